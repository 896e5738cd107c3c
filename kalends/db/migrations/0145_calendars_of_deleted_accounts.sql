-- The calendars of deleted accounts that nobody else edited: an admin can give them to somebody else while the journal has what was on them.
-- @needs 0140
CREATE TABLE deleted_calendars (
    calendar_id $int PRIMARY KEY,
    -- The account, which is deleted.
    owner_id $int NOT NULL,
    name TEXT NOT NULL,
    events $int NOT NULL,
    -- The changes of the journal by which the calendar was deleted, and nothing else.
    set_id $int NOT NULL,
    deleted_at $int NOT NULL
$end;
CREATE INDEX deleted_calendars_by_age ON deleted_calendars (deleted_at, calendar_id);
