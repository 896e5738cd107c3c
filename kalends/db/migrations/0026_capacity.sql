-- Settings of events for their responses, capacity, and the waiting list by party.

-- A row only for events with settings of their own. What people hold, what is offered to them and how many wait is counted by triggers,
-- so that a response to an event with 50,000 costs what one to an event with ten costs.
CREATE TABLE response_settings (
    event_id $int PRIMARY KEY NOT NULL REFERENCES events ON DELETE CASCADE,
    responses_open $flag NOT NULL,
    responses_until $int,
    capacity $int CHECK (capacity BETWEEN 1 AND 1000000),
    waiting_list TEXT NOT NULL CHECK (waiting_list IN ('off', 'auto', 'offer')),
    waiting_order TEXT NOT NULL CHECK (waiting_order IN ('fit', 'strict')),
    show_counts $flag NOT NULL,
    approval $flag NOT NULL,
    offer_hours $int NOT NULL CHECK (offer_hours BETWEEN 1 AND 336),
    -- Seats that are held or offered, and people who wait for one.
    taken $int NOT NULL DEFAULT 0,
    waiting $int NOT NULL DEFAULT 0,
    -- The last place that was given in the queue.
    last_queued_at $int NOT NULL DEFAULT 0,
    -- The most seats that may be taken now: the capacity, or as many as were taken when it was lowered or an editor forced somebody in.
    ceiling $int,
    CHECK (taken <= ceiling)
$end;

-- Seats that the response holds, and those that are offered to it until `offer_until`. Only where the event has a capacity.
ALTER TABLE responses ADD COLUMN held $int NOT NULL DEFAULT 0 CHECK (held >= 0);
ALTER TABLE responses ADD COLUMN offered $int NOT NULL DEFAULT 0 CHECK (offered >= 0);
ALTER TABLE responses ADD COLUMN offer_until $int;
-- The place in the queue, in microseconds, and the number of seats for which it was given.
ALTER TABLE responses ADD COLUMN queued_at $int;
ALTER TABLE responses ADD COLUMN queued_for $int NOT NULL DEFAULT 0;
-- The smallest number of people that would still come; NULL: only all of them.
ALTER TABLE responses ADD COLUMN min_party $int CHECK (min_party >= 1);
-- An editor let them in beyond the capacity.
ALTER TABLE responses ADD COLUMN forced $flag NOT NULL DEFAULT FALSE;
-- How many people an editor has accepted; NULL where editors need not accept responses.
ALTER TABLE responses ADD COLUMN accepted_for $int;
CREATE INDEX responses_waiting ON responses (event_id, queued_at, id) WHERE queued_at IS NOT NULL AND held + offered < queued_for;
CREATE INDEX responses_offered ON responses (offer_until) WHERE offered > 0;

-- Seats that the waiting list gave: who had an earlier place and did not get them was passed over, since so few were free.
CREATE TABLE seat_grants (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    at $int NOT NULL,
    queued_at $int NOT NULL,
    seats $int NOT NULL,
    free $int NOT NULL
$end;
CREATE INDEX seat_grants_of_event ON seat_grants (event_id, queued_at);

-- @sync INSERT ON response_settings: UPDATE response_settings SET taken = (SELECT coalesce(sum(held + offered), 0) FROM responses WHERE event_id = NEW.event_id), waiting = (SELECT coalesce(sum(CASE WHEN queued_at IS NULL THEN 0 ELSE queued_for - held - offered END), 0) FROM responses WHERE event_id = NEW.event_id), last_queued_at = (SELECT coalesce(max(queued_at), 0) FROM responses WHERE event_id = NEW.event_id), ceiling = CASE WHEN (SELECT sum(held + offered) FROM responses WHERE event_id = NEW.event_id) > NEW.capacity THEN (SELECT sum(held + offered) FROM responses WHERE event_id = NEW.event_id) ELSE NEW.capacity END WHERE event_id = NEW.event_id
-- @sync UPDATE ON response_settings WHEN OLD.capacity IS DISTINCT FROM NEW.capacity: UPDATE response_settings SET ceiling = CASE WHEN taken > capacity THEN taken ELSE capacity END WHERE event_id = NEW.event_id
-- @sync INSERT ON responses AS seats_insert WHEN NEW.held + NEW.offered > 0 OR NEW.queued_at IS NOT NULL: UPDATE response_settings SET taken = taken + NEW.held + NEW.offered, waiting = waiting + CASE WHEN NEW.queued_at IS NULL THEN 0 ELSE NEW.queued_for - NEW.held - NEW.offered END WHERE event_id = NEW.event_id
-- Fewer seats lower the ceiling to the capacity, and those of an editor raise it; others must stay below it.
-- @sync UPDATE ON responses AS seats_update WHEN OLD.held <> NEW.held OR OLD.offered <> NEW.offered OR OLD.queued_at IS DISTINCT FROM NEW.queued_at OR OLD.queued_for <> NEW.queued_for: UPDATE response_settings SET taken = taken + NEW.held + NEW.offered - OLD.held - OLD.offered, ceiling = CASE WHEN NEW.held + NEW.offered >= OLD.held + OLD.offered AND NOT NEW.forced THEN ceiling WHEN taken + NEW.held + NEW.offered - OLD.held - OLD.offered > capacity THEN taken + NEW.held + NEW.offered - OLD.held - OLD.offered ELSE capacity END, waiting = waiting + CASE WHEN NEW.queued_at IS NULL THEN 0 ELSE NEW.queued_for - NEW.held - NEW.offered END - CASE WHEN OLD.queued_at IS NULL THEN 0 ELSE OLD.queued_for - OLD.held - OLD.offered END, last_queued_at = CASE WHEN NEW.queued_at > last_queued_at THEN NEW.queued_at ELSE last_queued_at END WHERE event_id = NEW.event_id
-- @sync DELETE ON responses AS seats_delete WHEN OLD.held + OLD.offered > 0 OR OLD.queued_at IS NOT NULL: UPDATE response_settings SET taken = taken - OLD.held - OLD.offered, ceiling = CASE WHEN taken - OLD.held - OLD.offered > capacity THEN taken - OLD.held - OLD.offered ELSE capacity END, waiting = waiting - CASE WHEN OLD.queued_at IS NULL THEN 0 ELSE OLD.queued_for - OLD.held - OLD.offered END WHERE event_id = OLD.event_id

-- @journal settings ON response_settings (event_id, event_id, NULL, NULL): event_id, responses_open, responses_until, capacity, waiting_list, waiting_order, show_counts, approval, offer_hours
-- @journal response ON responses (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in, version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party, forced, accepted_for

-- Mail to guests about their places.
ALTER TABLE deliveries ADD COLUMN response_id $int REFERENCES responses ON DELETE SET NULL;
CREATE INDEX deliveries_of_response ON deliveries (response_id) WHERE response_id IS NOT NULL;
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created',
    'webhook_created', 'webhook_disabled', 'place_granted', 'place_offered', 'place_lapsed'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
