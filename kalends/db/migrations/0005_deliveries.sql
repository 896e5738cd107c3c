-- What is to be sent: written with its cause, and sent by a worker.

CREATE TABLE deliveries (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- None for what is about the owner's account.
    event_id $int REFERENCES events ON DELETE SET NULL,
    -- Whose link to leave the list the message carries.
    subscriber_id $int REFERENCES subscribers ON DELETE SET NULL,
    kind TEXT NOT NULL CHECK (kind IN ('send_to_me', 'announce', 'reset')),
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    -- Whether everyone saw the event when it was asked for.
    public $flag NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed')),
    attempts $int NOT NULL,
    -- When to try next; while it is being sent, when its worker is given up for dead.
    due_at $int NOT NULL,
    error TEXT,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX deliveries_waiting ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending');
CREATE INDEX deliveries_done ON deliveries (updated_at) WHERE state IN ('sent', 'failed');
CREATE INDEX deliveries_of_owner ON deliveries (owner_id, id);
CREATE INDEX deliveries_of_event ON deliveries (event_id, id);
CREATE INDEX deliveries_of_subscriber ON deliveries (subscriber_id);
CREATE INDEX deliveries_to_address ON deliveries (address_key, created_at);
-- An event is announced once to each address.
CREATE UNIQUE INDEX deliveries_announced ON deliveries (event_id, channel, address_key) WHERE kind = 'announce';
