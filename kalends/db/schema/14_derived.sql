-- Triggers that compute columns from others.

-- Responses that wait for an editor, or for their confirmation, do not count. DEFERRED: the tally of an event is locked at the end only.
CREATE TRIGGER responses_after_insert AFTER INSERT ON responses DEFERRED
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

CREATE TRIGGER responses_after_update AFTER UPDATE ON responses DEFERRED
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

CREATE TRIGGER responses_after_delete AFTER DELETE ON responses DEFERRED
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

CREATE TRIGGER responses_sync_seats_insert AFTER INSERT ON responses
WHEN NEW.held + NEW.offered > 0 OR NEW.queued_at IS NOT NULL
BEGIN
    UPDATE response_settings SET
        taken = taken + NEW.held + NEW.offered,
        waiting = waiting + CASE WHEN NEW.queued_at IS NULL THEN 0 ELSE NEW.queued_for - NEW.held - NEW.offered END
    WHERE event_id = NEW.event_id;
END;

-- Fewer seats lower the ceiling to the capacity, and those of an editor raise it; others must stay below it.
CREATE TRIGGER responses_sync_seats_update AFTER UPDATE ON responses
WHEN OLD.held <> NEW.held
    OR OLD.offered <> NEW.offered
    OR OLD.queued_at IS DISTINCT FROM NEW.queued_at
    OR OLD.queued_for <> NEW.queued_for
BEGIN
    UPDATE response_settings SET
        taken = taken + NEW.held + NEW.offered - OLD.held - OLD.offered,
        ceiling = CASE
            WHEN NEW.held + NEW.offered >= OLD.held + OLD.offered AND NOT NEW.forced THEN ceiling
            WHEN taken + NEW.held + NEW.offered - OLD.held - OLD.offered > capacity
            THEN taken + NEW.held + NEW.offered - OLD.held - OLD.offered
            ELSE capacity
        END,
        waiting = waiting
            + CASE WHEN NEW.queued_at IS NULL THEN 0 ELSE NEW.queued_for - NEW.held - NEW.offered END
            - CASE WHEN OLD.queued_at IS NULL THEN 0 ELSE OLD.queued_for - OLD.held - OLD.offered END,
        last_queued_at = CASE WHEN NEW.queued_at > last_queued_at THEN NEW.queued_at ELSE last_queued_at END
    WHERE event_id = NEW.event_id;
END;

CREATE TRIGGER responses_sync_seats_delete AFTER DELETE ON responses
WHEN OLD.held + OLD.offered > 0 OR OLD.queued_at IS NOT NULL
BEGIN
    UPDATE response_settings SET
        taken = taken - OLD.held - OLD.offered,
        ceiling = CASE
            WHEN taken - OLD.held - OLD.offered > capacity THEN taken - OLD.held - OLD.offered
            ELSE capacity
        END,
        waiting = waiting - CASE WHEN OLD.queued_at IS NULL THEN 0 ELSE OLD.queued_for - OLD.held - OLD.offered END
    WHERE event_id = OLD.event_id;
END;

-- Seats and waiting list.
CREATE TRIGGER response_settings_sync_insert AFTER INSERT ON response_settings
BEGIN
    UPDATE response_settings SET
        taken = (SELECT coalesce(sum(held + offered), 0) FROM responses WHERE event_id = NEW.event_id),
        waiting = (
            SELECT coalesce(sum(CASE WHEN queued_at IS NULL THEN 0 ELSE queued_for - held - offered END), 0)
            FROM responses WHERE event_id = NEW.event_id
        ),
        last_queued_at = (SELECT coalesce(max(queued_at), 0) FROM responses WHERE event_id = NEW.event_id),
        ceiling = CASE
            WHEN (SELECT sum(held + offered) FROM responses WHERE event_id = NEW.event_id) > NEW.capacity
            THEN (SELECT sum(held + offered) FROM responses WHERE event_id = NEW.event_id)
            ELSE NEW.capacity
        END
    WHERE event_id = NEW.event_id;
END;

CREATE TRIGGER response_settings_sync_update AFTER UPDATE ON response_settings
WHEN OLD.capacity IS DISTINCT FROM NEW.capacity
BEGIN
    UPDATE response_settings SET ceiling = CASE WHEN taken > capacity THEN taken ELSE capacity END
    WHERE event_id = NEW.event_id;
END;

-- When answers are erased.
CREATE TRIGGER question_answers_sync_expiry AFTER INSERT ON question_answers
BEGIN
    UPDATE question_answers SET
        erase_at = (SELECT e.until_at FROM events e WHERE e.id = NEW.event_id) + 86400 * (
            SELECT q.keep_days FROM questions q WHERE q.id = NEW.question_id
        )
    WHERE id = NEW.id;
END;

CREATE TRIGGER questions_sync_expiry AFTER UPDATE ON questions
WHEN OLD.keep_days <> NEW.keep_days
BEGIN
    UPDATE question_answers SET erase_at = erase_at + 86400 * (NEW.keep_days - OLD.keep_days) WHERE question_id = NEW.id;
END;

CREATE TRIGGER events_sync_expiry AFTER UPDATE ON events
WHEN OLD.until_at <> NEW.until_at
BEGIN
    UPDATE question_answers SET erase_at = erase_at + NEW.until_at - OLD.until_at WHERE event_id = NEW.id;
END;

CREATE TRIGGER events_sync_reminders AFTER UPDATE OF start_at ON events
WHEN OLD.start_at <> NEW.start_at
BEGIN
    UPDATE reminders SET due_from = due_from + NEW.start_at - OLD.start_at WHERE event_id = NEW.id;
END;

-- Pictures that may be unused now.
CREATE TRIGGER events_sync_replaced_picture AFTER UPDATE OF image_url ON events
WHEN OLD.image_url IS NOT NULL AND OLD.image_url IS DISTINCT FROM NEW.image_url
BEGIN
    UPDATE pictures SET unused_at = 0 WHERE path = OLD.image_url;
END;

CREATE TRIGGER events_sync_deleted_picture AFTER DELETE ON events
WHEN OLD.image_url IS NOT NULL
BEGIN
    UPDATE pictures SET unused_at = 0 WHERE path = OLD.image_url;
END;

-- A reminder is not due before this time in any time zone (26 hours before the local day), and an SMS may wait for half a day.
CREATE TRIGGER reminders_sync_due AFTER INSERT ON reminders
WHEN NEW.event_id IS NOT NULL
BEGIN
    UPDATE reminders SET
        due_from = (
            SELECT e.start_at FROM events e WHERE e.id = NEW.event_id
        ) - coalesce(60 * before, 86400 * days_before + 93600 - 60 * at)
            - CASE channel WHEN 'sms' THEN 43200 ELSE 0 END
    WHERE id = NEW.id;
END;

CREATE TRIGGER reminders_sync_due_update AFTER UPDATE OF before, days_before, at, channel ON reminders
WHEN NEW.event_id IS NOT NULL
BEGIN
    UPDATE reminders SET
        due_from = (
            SELECT e.start_at FROM events e WHERE e.id = NEW.event_id
        ) - coalesce(60 * before, 86400 * days_before + 93600 - 60 * at)
            - CASE channel WHEN 'sms' THEN 43200 ELSE 0 END
    WHERE id = NEW.id;
END;

CREATE TRIGGER pictures_sync_owner AFTER UPDATE OF owner_id ON pictures
WHEN NEW.owner_id IS NULL AND NEW.unused_at IS NOT NULL
BEGIN
    UPDATE pictures SET unused_at = 0 WHERE path = NEW.path;
END;

CREATE TRIGGER contacts_sync_card AFTER DELETE ON contacts
WHEN OLD.service IS NULL
BEGIN
    UPDATE dav_cards SET deleted_at = $now WHERE user_id = OLD.user_id AND contact_id = OLD.id;
END;
