-- Events, and the calendars on which they are placed. The home calendar is a placement too.

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
    series_id $int,
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
