-- E-mail addresses and domains of guests whose responses, comments, subscriptions and reports are not stored.
CREATE TABLE blocked_senders (
    id $id,
    -- In lower case: `spam@example.org`, or a domain with all its subdomains: `example.org`.
    sender TEXT NOT NULL,
    note TEXT,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX blocked_senders_sender_key ON blocked_senders (sender);
