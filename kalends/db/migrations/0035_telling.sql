-- Messages to the guests of an event: of more kinds, each sent once for its cause, and not to those who want none.

-- Neither database shares a statement that changes a CHECK, so the column is made anew.
DROP INDEX deliveries_announced;
DROP INDEX deliveries_urgent;
DROP INDEX deliveries_about;
ALTER TABLE deliveries RENAME COLUMN kind TO old_kind;
ALTER TABLE deliveries ADD COLUMN kind TEXT NOT NULL DEFAULT 'send_to_me'
    CHECK (kind IN ('send_to_me', 'announce', 'reset', 'confirm', 'verify', 'notice', 'response', 'proposal', 'link',
                    'change', 'cancel', 'message', 'reminder', 'invitation', 'promotion', 'confirmation', 'verification'));
UPDATE deliveries SET kind = old_kind;
ALTER TABLE deliveries DROP COLUMN old_kind;
CREATE UNIQUE INDEX deliveries_announced ON deliveries (event_id, channel, address_key) WHERE kind = 'announce';
CREATE INDEX deliveries_urgent ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify');
CREATE UNIQUE INDEX deliveries_about ON deliveries (kind, coalesce(response_id, 0), coalesce(proposal_id, 0))
    WHERE state = 'queued' AND attempts = 0 AND kind IN ('response', 'proposal') AND coalesce(response_id, proposal_id) IS NOT NULL;

-- What the message is sent for, such as `change:17`: an address gets one message for it, whatever crashes and is retried.
ALTER TABLE deliveries ADD COLUMN cause TEXT;
CREATE UNIQUE INDEX deliveries_caused ON deliveries (cause, channel, address) WHERE cause IS NOT NULL;
-- The events that it is about, delimited by commas: an event that was deleted may be restored with its id.
ALTER TABLE deliveries ADD COLUMN event_ids TEXT;

-- Addresses that get no messages of a purpose: from one organiser, about one event, or (both NULL) from the whole service.
CREATE TABLE suppressed_addresses (
    id $id,
    owner_id $int REFERENCES users ON DELETE CASCADE,
    event_id $int REFERENCES events ON DELETE CASCADE,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('notice', 'reminder', 'invitation')),
    reason TEXT NOT NULL CHECK (reason IN ('refused', 'bounced', 'unsubscribed')),
    -- What the mail server said.
    detail TEXT,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX suppressed_addresses_key
    ON suppressed_addresses (address_key, channel, purpose, coalesce(owner_id, 0), coalesce(event_id, 0));
CREATE INDEX suppressed_addresses_of_owner ON suppressed_addresses (owner_id, id);
CREATE INDEX suppressed_addresses_of_event ON suppressed_addresses (event_id) WHERE event_id IS NOT NULL;
