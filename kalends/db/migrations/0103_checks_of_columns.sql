-- PostgreSQL checked calendars and events by functions. Now the constraints are at the columns, as on SQLite, and
-- have the names that they have in a new database.
-- @needs 0078

-- @only PostgreSQL
ALTER TABLE calendars
    DROP CONSTRAINT calendars_check,
    DROP CONSTRAINT IF EXISTS calendars_confirm_above_check,
    DROP CONSTRAINT IF EXISTS calendars_hold_minutes_check,
    DROP CONSTRAINT IF EXISTS calendars_scheduling_check,
    ADD CONSTRAINT calendars_moderation_check CHECK (moderation IN ('none', 'guests', 'all')),
    ADD CONSTRAINT calendars_party_max_check CHECK (party_max BETWEEN 1 AND 20000),
    ADD CONSTRAINT calendars_confirmations_check CHECK (confirmations IN ('on', 'off')),
    ADD CONSTRAINT calendars_confirm_responses_check CHECK (confirm_responses IN ('none', 'always')),
    ADD CONSTRAINT calendars_confirm_above_check CHECK (confirm_above BETWEEN 1 AND 20000),
    ADD CONSTRAINT calendars_hold_minutes_check CHECK (hold_minutes BETWEEN 1 AND 10080),
    ADD CONSTRAINT calendars_scheduling_check CHECK (scheduling IN ('on', 'off'));
DROP FUNCTION IF EXISTS is_calendar(TEXT, TEXT, TEXT, BIGINT);
DROP FUNCTION IF EXISTS is_calendar(TEXT, TEXT, TEXT, BIGINT, BIGINT, BIGINT);
DROP FUNCTION IF EXISTS is_calendar(TEXT, TEXT, TEXT, BIGINT, BIGINT, BIGINT, TEXT);
ALTER TABLE events
    DROP CONSTRAINT events_check,
    ADD CONSTRAINT events_party_max_check CHECK (party_max BETWEEN 1 AND 20000),
    ADD CONSTRAINT events_status_check CHECK (status IN ('planned', 'cancelled', 'postponed')),
    ADD CONSTRAINT events_check CHECK (status_note IS NULL OR status <> 'planned'),
    ADD CONSTRAINT events_check1 CHECK (end_at >= start_at),
    ADD CONSTRAINT events_check2 CHECK (until_at >= start_at);
DROP FUNCTION is_event(BIGINT, BIGINT, BIGINT, BIGINT, TEXT, TEXT);
ALTER TABLE deliveries RENAME CONSTRAINT deliveries_kind_check1 TO deliveries_kind_check;
ALTER TABLE subscribers RENAME CONSTRAINT subscribers_source_check1 TO subscribers_source_check;
