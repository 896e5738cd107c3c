-- Responses made with proof of the address, addresses that confirm their opt-in, and how many people one response may bring.

-- Messages of more kinds: 'confirm' asks an address whether it wants to be on a list, 'verify' and 'notice' are about an account.
-- Neither database shares a statement that changes a CHECK, so the column is made anew.
DROP INDEX deliveries_announced;
ALTER TABLE deliveries RENAME COLUMN kind TO old_kind;
ALTER TABLE deliveries ADD COLUMN kind TEXT NOT NULL DEFAULT 'send_to_me'
    CHECK (kind IN ('send_to_me', 'announce', 'reset', 'confirm', 'verify', 'notice'));
UPDATE deliveries SET kind = old_kind;
ALTER TABLE deliveries DROP COLUMN old_kind;
CREATE UNIQUE INDEX deliveries_announced ON deliveries (event_id, channel, address_key) WHERE kind = 'announce';

-- Whether the response was made or changed by somebody who proved that the address is theirs, or by an editor of the event.
ALTER TABLE responses ADD COLUMN proven $flag NOT NULL DEFAULT FALSE;
-- An account used to be linked to responses that others had made with its address. It loses those that are not its address's now.
UPDATE responses SET user_id = NULL WHERE user_id IS NOT NULL AND version > 1
    AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = responses.user_id AND u.email_key = responses.email_key);

-- When the address itself confirmed the opt-in. What was recorded before there was a confirmation counts as confirmed.
ALTER TABLE subscribers ADD COLUMN confirmed_at $int;
UPDATE subscribers SET confirmed_at = consented_at;
CREATE INDEX subscribers_unconfirmed ON subscribers (consented_at) WHERE confirmed_at IS NULL;
ALTER TABLE subscribers RENAME COLUMN source TO old_source;
ALTER TABLE subscribers ADD COLUMN source TEXT NOT NULL DEFAULT 'response' CHECK (source IN ('response', 'send_to_me', 'confirmation'));
UPDATE subscribers SET source = old_source;
ALTER TABLE subscribers DROP COLUMN old_source;

-- Who has left an owner's list: a keyed hash of channel and address, lifted only by that address's own confirmation.
CREATE TABLE suppressions (
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    hash $bytes NOT NULL,
    created_at $int NOT NULL,
    PRIMARY KEY (owner_id, hash)
$end;

-- The most people (number + plus_n) that one response may bring: the event's own limit, else its home calendar's, else none.
ALTER TABLE events ADD COLUMN party_max $int CHECK (party_max BETWEEN 1 AND 20000);
ALTER TABLE calendars ADD COLUMN party_max $int CHECK (party_max BETWEEN 1 AND 20000);
