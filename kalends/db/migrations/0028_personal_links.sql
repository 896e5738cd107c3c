-- Personal links of responses, changes that are proposed without proof, and the mail about both.

-- The personal link is derived from the server's secret, the address and this number, and not stored. Counting it up makes the link void.
ALTER TABLE responses ADD COLUMN link_version $int NOT NULL DEFAULT 0;
-- @journal response ON responses (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in, version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party, forced, accepted_for, link_version

-- Whether guests get mail about their responses, and whether a response without proof waits until its address has confirmed it.
ALTER TABLE calendars ADD COLUMN confirmations TEXT NOT NULL DEFAULT 'on' CHECK (confirmations IN ('on', 'off'));
ALTER TABLE calendars ADD COLUMN confirm_responses TEXT NOT NULL DEFAULT 'none' CHECK (confirm_responses IN ('none', 'always'));
-- @journal calendar ON calendars (id, NULL, owner_id, id): id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max, confirmations, confirm_responses, created_at, updated_at

-- A response of somebody without proof that counts only when the link in its mail is followed: one for each event and address.
-- `fields` is JSON: what was sent. Links are void when `version` is counted up, since they are then about other fields.
CREATE TABLE proposals (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    fields TEXT NOT NULL,
    version $int NOT NULL,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX proposals_event_id_email_key ON proposals (event_id, email_key);
CREATE INDEX proposals_by_age ON proposals (created_at);

-- Messages of more kinds: 'response' and 'proposal' go to the address of one, 'link' to whoever asked for the personal link.
DROP INDEX deliveries_announced;
DROP INDEX deliveries_urgent;
ALTER TABLE deliveries RENAME COLUMN kind TO old_kind;
ALTER TABLE deliveries ADD COLUMN kind TEXT NOT NULL DEFAULT 'send_to_me'
    CHECK (kind IN ('send_to_me', 'announce', 'reset', 'confirm', 'verify', 'notice', 'response', 'proposal', 'link'));
UPDATE deliveries SET kind = old_kind;
ALTER TABLE deliveries DROP COLUMN old_kind;
CREATE UNIQUE INDEX deliveries_announced ON deliveries (event_id, channel, address_key) WHERE kind = 'announce';
CREATE INDEX deliveries_urgent ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify');
ALTER TABLE deliveries ADD COLUMN proposal_id $int REFERENCES proposals ON DELETE SET NULL;
CREATE INDEX deliveries_of_proposal ON deliveries (proposal_id) WHERE proposal_id IS NOT NULL;
-- Several changes before the mail is sent are one mail.
CREATE UNIQUE INDEX deliveries_about ON deliveries (kind, coalesce(response_id, 0), coalesce(proposal_id, 0))
    WHERE state = 'queued' AND attempts = 0 AND kind IN ('response', 'proposal') AND coalesce(response_id, proposal_id) IS NOT NULL;
