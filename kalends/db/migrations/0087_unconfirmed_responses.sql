-- Responses without proof of the address that hold places for a while only, or none, until they are confirmed.
-- @needs 0086

-- NULL: it is confirmed, or need not be. Else the time until which it has its places, or its place in the queue; 0: it has none, and does
-- not count, until the guest confirms it or an editor accepts it.
ALTER TABLE responses ADD COLUMN confirm_until $int;
-- A response for more people must be confirmed before it counts. With a capacity, any other one holds its places for this time.
ALTER TABLE calendars ADD COLUMN confirm_above $int NOT NULL DEFAULT 10 CHECK (confirm_above BETWEEN 1 AND 20000);
ALTER TABLE calendars ADD COLUMN hold_minutes $int NOT NULL DEFAULT 60 CHECK (hold_minutes BETWEEN 1 AND 10080);
CREATE OR REPLACE JOURNAL OF calendars AS calendar
    KEYS (id, NULL, owner_id, id)
    COLUMNS (
        id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max,
        confirmations, confirm_responses, created_at, updated_at, confirm_above, hold_minutes
    );
CREATE OR REPLACE JOURNAL OF responses AS response
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in,
        version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party,
        forced, accepted_for, link_version, by_series, added, confirm_until
    );

-- Responses that wait for an editor, or for their confirmation, do not count.
CREATE OR REPLACE TRIGGER responses_after_insert AFTER INSERT ON responses DEFERRED
BEGIN
    INSERT INTO response_tallies (event_id, yes, maybe, no, people)
    SELECT
        e.id,
        CASE
            WHEN NEW.response = 'YES'
                AND (NEW.accepted_for IS NULL OR NEW.accepted_for >= NEW.number + NEW.plus_n)
                AND (NEW.confirm_until IS NULL OR NEW.confirm_until > 0)
            THEN 1
            ELSE 0
        END,
        CASE NEW.response WHEN 'MAYBE' THEN 1 ELSE 0 END,
        CASE NEW.response WHEN 'NO' THEN 1 ELSE 0 END,
        CASE
            WHEN NEW.response = 'YES'
                AND (NEW.accepted_for IS NULL OR NEW.accepted_for >= NEW.number + NEW.plus_n)
                AND (NEW.confirm_until IS NULL OR NEW.confirm_until > 0)
            THEN NEW.number + NEW.plus_n
            ELSE 0
        END
    FROM events e
    WHERE e.id = NEW.event_id
    ON CONFLICT (event_id) DO UPDATE SET
        yes = response_tallies.yes + excluded.yes,
        maybe = response_tallies.maybe + excluded.maybe,
        no = response_tallies.no + excluded.no,
        people = response_tallies.people + excluded.people;
END;

CREATE OR REPLACE TRIGGER responses_after_update AFTER UPDATE ON responses DEFERRED
BEGIN
    UPDATE response_tallies SET
        yes = yes
            + CASE
                WHEN NEW.response = 'YES'
                    AND (NEW.accepted_for IS NULL OR NEW.accepted_for >= NEW.number + NEW.plus_n)
                    AND (NEW.confirm_until IS NULL OR NEW.confirm_until > 0)
                THEN 1
                ELSE 0
            END
            - CASE
                WHEN OLD.response = 'YES'
                    AND (OLD.accepted_for IS NULL OR OLD.accepted_for >= OLD.number + OLD.plus_n)
                    AND (OLD.confirm_until IS NULL OR OLD.confirm_until > 0)
                THEN 1
                ELSE 0
            END,
        maybe = maybe
            + CASE NEW.response WHEN 'MAYBE' THEN 1 ELSE 0 END
            - CASE OLD.response WHEN 'MAYBE' THEN 1 ELSE 0 END,
        no = no + CASE NEW.response WHEN 'NO' THEN 1 ELSE 0 END - CASE OLD.response WHEN 'NO' THEN 1 ELSE 0 END,
        people = people
            + CASE
                WHEN NEW.response = 'YES'
                    AND (NEW.accepted_for IS NULL OR NEW.accepted_for >= NEW.number + NEW.plus_n)
                    AND (NEW.confirm_until IS NULL OR NEW.confirm_until > 0)
                THEN NEW.number + NEW.plus_n
                ELSE 0
            END
            - CASE
                WHEN OLD.response = 'YES'
                    AND (OLD.accepted_for IS NULL OR OLD.accepted_for >= OLD.number + OLD.plus_n)
                    AND (OLD.confirm_until IS NULL OR OLD.confirm_until > 0)
                THEN OLD.number + OLD.plus_n
                ELSE 0
            END
    WHERE event_id = NEW.event_id
        AND (
            OLD.response <> NEW.response
            OR OLD.number + OLD.plus_n <> NEW.number + NEW.plus_n
            OR OLD.accepted_for IS DISTINCT FROM NEW.accepted_for
            OR OLD.confirm_until IS DISTINCT FROM NEW.confirm_until
            OR (OLD.held = NEW.held AND OLD.offered = NEW.offered AND OLD.queued_at IS NOT DISTINCT FROM NEW.queued_at)
        );
END;

CREATE OR REPLACE TRIGGER responses_after_delete AFTER DELETE ON responses DEFERRED
BEGIN
    UPDATE response_tallies SET
        yes = yes
            - CASE
                WHEN OLD.response = 'YES'
                    AND (OLD.accepted_for IS NULL OR OLD.accepted_for >= OLD.number + OLD.plus_n)
                    AND (OLD.confirm_until IS NULL OR OLD.confirm_until > 0)
                THEN 1
                ELSE 0
            END,
        maybe = maybe - CASE OLD.response WHEN 'MAYBE' THEN 1 ELSE 0 END,
        no = no - CASE OLD.response WHEN 'NO' THEN 1 ELSE 0 END,
        people = people
            - CASE
                WHEN OLD.response = 'YES'
                    AND (OLD.accepted_for IS NULL OR OLD.accepted_for >= OLD.number + OLD.plus_n)
                    AND (OLD.confirm_until IS NULL OR OLD.confirm_until > 0)
                THEN OLD.number + OLD.plus_n
                ELSE 0
            END
    WHERE event_id = OLD.event_id;
END;

UPDATE response_tallies SET
    yes = (
        SELECT count(*) FROM responses r
        WHERE r.event_id = response_tallies.event_id
            AND r.response = 'YES'
            AND (r.accepted_for IS NULL OR r.accepted_for >= r.number + r.plus_n)
    ),
    people = (
        SELECT coalesce(sum(r.number + r.plus_n), 0) FROM responses r
        WHERE r.event_id = response_tallies.event_id
            AND r.response = 'YES'
            AND (r.accepted_for IS NULL OR r.accepted_for >= r.number + r.plus_n)
    )
WHERE event_id IN (SELECT event_id FROM responses WHERE response = 'YES' AND accepted_for < number + plus_n);
