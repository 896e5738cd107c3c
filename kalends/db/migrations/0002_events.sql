-- Events, and the calendars on which they are placed. The home calendar is a placement too.

-- The rule of a repeated event. Dates are local, as 2026-05-11, and so is the clock, in seconds of the day; occurrences exist up
-- to made_until.
CREATE TABLE series (
    id $id,
    frequency TEXT NOT NULL CHECK (frequency IN ('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY')),
    step $int NOT NULL CHECK (step BETWEEN 1 AND 1000),
    start_date TEXT NOT NULL,
    end_date TEXT,
    clock $int NOT NULL CHECK (clock BETWEEN 0 AND 86399),
    made_until TEXT NOT NULL
$end;
CREATE INDEX series_without_end ON series (made_until) WHERE end_date IS NULL;

-- Occurrences that were destroyed alone, and are not made again.
CREATE TABLE series_exceptions (
    series_id $int NOT NULL REFERENCES series ON DELETE CASCADE,
    slot TEXT NOT NULL,
    PRIMARY KEY (series_id, slot)
$end;

CREATE TABLE events (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    calendar_id $int NOT NULL REFERENCES calendars,
    title TEXT NOT NULL,
    description TEXT,
    start_at $int NOT NULL,
    end_at $int,
    until_at $int NOT NULL,
    all_day $flag NOT NULL,
    time_zone TEXT NOT NULL,
    location TEXT,
    location_name TEXT,
    street TEXT,
    city TEXT,
    state TEXT,
    zip TEXT,
    country TEXT,
    image_url TEXT,
    tags TEXT NOT NULL,
    public $flag NOT NULL,
    series_id $int REFERENCES series ON DELETE SET NULL,
    -- The date for which the rule made it, wherever it was moved since; and whether it was changed alone.
    slot TEXT,
    edited $flag NOT NULL DEFAULT FALSE,
    search TEXT NOT NULL,
    version $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK (end_at >= start_at),
    CHECK (until_at >= start_at)
$end;
-- What a placement repeats of its event, so that a calendar's list is read in order from one index.
CREATE UNIQUE INDEX events_id_start_at_public ON events (id, start_at, public);
CREATE INDEX events_in_public ON events (start_at, id) WHERE public;
-- The few long ones (more than 31 days), for lists of what overlaps a time.
CREATE INDEX events_that_last ON events (until_at, start_at) WHERE until_at - start_at > 2678400;
CREATE INDEX events_of_owner ON events (owner_id);
CREATE UNIQUE INDEX events_series_id_slot ON events (series_id, slot);
CREATE INDEX events_of_series ON events (series_id, start_at, id);
CREATE INDEX events_of_calendar ON events (calendar_id);
-- @substrings events search

CREATE TABLE placements (
    id $id,
    event_id $int NOT NULL,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    start_at $int NOT NULL,
    public $flag NOT NULL,
    -- Whether somebody who may edit the event has placed it: only then do the calendar's members see it.
    grants $flag NOT NULL,
    created_at $int NOT NULL,
    FOREIGN KEY (event_id, start_at, public) REFERENCES events (id, start_at, public) ON UPDATE CASCADE ON DELETE CASCADE
$end;
CREATE UNIQUE INDEX placements_event_id_calendar_id ON placements (event_id, calendar_id);
CREATE INDEX placements_in_calendar ON placements (calendar_id, start_at, event_id);
CREATE INDEX placements_in_public ON placements (calendar_id, start_at, event_id) WHERE public;
