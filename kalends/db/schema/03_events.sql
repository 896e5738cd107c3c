-- Events, the calendars on which they are, repetition, and pictures.

-- The rule of a repeated event. Dates are local, as 2026-05-11. Occurrences exist up to made_until.
CREATE TABLE series (
    id $id,
    start_date TEXT NOT NULL,
    -- NULL: without end.
    end_date TEXT,
    -- The local start, in seconds of the day.
    clock $int NOT NULL CHECK (clock BETWEEN 0 AND 86399),
    made_until TEXT NOT NULL,
    -- The UID under which it was imported; NULL: it follows from the id.
    uid TEXT,
    -- The canonical RRULE (RFC 5545), whose UNTIL is the last local day.
    rrule TEXT NOT NULL DEFAULT '',
    -- Dates that were added to the rule, as 2026-05-11,2026-05-18.
    also TEXT NOT NULL DEFAULT ''
$end;
CREATE INDEX series_without_end ON series (made_until) WHERE end_date IS NULL;
CREATE INDEX series_by_uid ON series (uid) WHERE uid IS NOT NULL;

-- Occurrences that were deleted alone, and are not created again.
CREATE TABLE series_exceptions (
    series_id $int NOT NULL REFERENCES series ON DELETE CASCADE,
    slot TEXT NOT NULL,
    PRIMARY KEY (series_id, slot)
$end;

-- How often a series has changed: its rule, its exceptions or one of its events. Feeds show it as SEQUENCE, which must only grow; the
-- versions of events do not serve for that, since events are created and deleted.
CREATE TABLE series_versions (
    series_id $int PRIMARY KEY NOT NULL REFERENCES series ON DELETE CASCADE,
    -- The transaction that last raised the version. Followers get one entry of the kind `dates` from it for each calendar.
    transaction_id $int NOT NULL DEFAULT 0,
    version $int NOT NULL
$end;

CREATE TABLE events (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    calendar_id $int NOT NULL REFERENCES calendars,
    title TEXT NOT NULL,
    -- NULL: none; so are the other texts.
    description TEXT,
    start_at $int NOT NULL,
    -- NULL: no end was given.
    end_at $int,
    -- The end, or what counts as the end for lists.
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
    -- The path of a picture here, or a URL; NULL: none.
    image_url TEXT,
    tags TEXT NOT NULL,
    public $flag NOT NULL,
    -- NULL: it is not repeated.
    series_id $int REFERENCES series ON DELETE SET NULL,
    -- The date for which the rule created it, wherever it was moved since; NULL: it is not repeated.
    slot TEXT,
    -- Whether it was changed alone.
    edited $flag NOT NULL DEFAULT FALSE,
    -- The texts, folded (kalends/db/text_search.py).
    search TEXT NOT NULL,
    -- The UID under which it was imported; NULL: it follows from the id.
    uid TEXT,
    -- The most people (number + plus_n) that one response may bring; NULL: as the home calendar says.
    party_max $int CHECK (party_max BETWEEN 1 AND 20000),
    status TEXT NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'cancelled', 'postponed')),
    -- Why it is cancelled or postponed; NULL: no reason was given.
    status_note TEXT CHECK (status_note IS NULL OR status <> 'planned'),
    -- What the picture shows, for people who do not see it; NULL: not given.
    image_alt TEXT,
    -- Whether everyone who has the link sees it, and the number in the link, which a new link changes.
    by_link $flag NOT NULL DEFAULT FALSE,
    link_number $int NOT NULL DEFAULT 1,
    version $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK (end_at >= start_at),
    CHECK (until_at >= start_at)
$end;
CREATE UNIQUE INDEX events_id_start_at_public ON events (id, start_at, public);
CREATE INDEX events_in_public ON events (start_at, id) WHERE public;
CREATE INDEX events_of_owner ON events (owner_id);
CREATE INDEX events_of_calendar ON events (calendar_id);
CREATE SUBSTRING INDEX ON events (search);
CREATE INDEX events_not_planned_in_public ON events (start_at, id) WHERE public AND status <> 'planned';
CREATE UNIQUE INDEX events_by_uid ON events (calendar_id, uid) WHERE uid IS NOT NULL;
CREATE INDEX events_of_uid ON events (uid) WHERE uid IS NOT NULL;
CREATE UNIQUE INDEX events_series_id_slot ON events (series_id, slot) WHERE series_id IS NOT NULL;
CREATE INDEX events_of_series ON events (series_id, start_at, id) WHERE series_id IS NOT NULL;
CREATE INDEX events_with_image ON events (image_url) WHERE image_url IS NOT NULL;
-- Public events that last more than 31 days, with their ends: those that are over are skipped without being read.
CREATE INDEX events_lasting_in_public ON events (start_at, id, until_at) WHERE public AND until_at - start_at > 2678400;
-- Public events that take whole days, with their ends.
CREATE INDEX events_taking_days_in_public ON events (start_at, id, until_at) WHERE public AND (all_day OR until_at - start_at >= 86400);

-- The calendars on which an event is, its home among them. `start_at` and `public` repeat the event's, so that the list of a calendar is
-- read in order from one index.
CREATE TABLE placements (
    id $id,
    event_id $int NOT NULL,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    start_at $int NOT NULL,
    public $flag NOT NULL,
    -- Whether somebody who may edit the event has placed it: only then do the calendar's members see it.
    grants $flag NOT NULL,
    -- Who placed the event on a calendar beside its home: the grant ends with their right to edit the event. NULL: the home, or unknown.
    granted_by $int REFERENCES users ON DELETE SET NULL,
    -- Whether the event lasts more than 31 days: lists of what overlaps a time read the long events of a calendar apart.
    lasts $flag NOT NULL DEFAULT FALSE,
    -- Whether the event is all day or lasts a day or more. A month counts the others on the day of their start, without reading them.
    takes_days $flag NOT NULL DEFAULT FALSE,
    -- Whether the event is here because the owner of the calendar is invited. People who invite do not learn to which account an address
    -- belongs, so neither that nor its history is shown to them.
    by_invitation $flag NOT NULL DEFAULT FALSE,
    -- Whether the event is, or was, on other calendars too: only then does the list of a calendar look for them.
    has_others $flag NOT NULL DEFAULT FALSE,
    -- The address that is invited: members of the calendar see the event while it is. NULL: it is not here by invitation.
    invited_key TEXT,
    created_at $int NOT NULL,
    FOREIGN KEY (event_id, start_at, public) REFERENCES events (id, start_at, public) ON UPDATE CASCADE ON DELETE CASCADE
$end;
CREATE UNIQUE INDEX placements_event_id_calendar_id ON placements (event_id, calendar_id);
CREATE INDEX placements_in_public ON placements (calendar_id, start_at, event_id) WHERE public;
CREATE INDEX placements_granted_by ON placements (granted_by) WHERE granted_by IS NOT NULL;
CREATE INDEX placements_that_last ON placements (calendar_id, start_at, event_id) WHERE lasts;
-- What takes whole days on a calendar, for the bars of a month.
CREATE INDEX placements_that_take_days ON placements (calendar_id, start_at, event_id) WHERE takes_days;
CREATE INDEX placements_in_order ON placements (calendar_id, start_at, event_id, takes_days, grants, by_invitation, has_others);

-- Public events that were deleted: their pages say so.
CREATE TABLE deleted_events (
    event_id $int PRIMARY KEY NOT NULL,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    title TEXT NOT NULL,
    -- NULL: the organiser gave no reason.
    note TEXT,
    deleted_at $int NOT NULL
$end;
CREATE INDEX deleted_events_of_owner ON deleted_events (owner_id);
CREATE INDEX deleted_events_by_age ON deleted_events (deleted_at);

-- What admins have hidden from everybody but its editors: an event, or all dates of a series.
CREATE TABLE hidden_events (
    id $id,
    -- The event that the admin chose.
    event_id $int NOT NULL,
    reason TEXT NOT NULL,
    hidden_at $int NOT NULL
$end;

-- The hidden events. An event is neither public nor seen by its link meanwhile, and its placements grant nothing; the row has what it was
-- before. It outlives the event, so that one that is restored is still hidden.
CREATE TABLE hidden_dates (
    event_id $int PRIMARY KEY,
    hidden_id $int NOT NULL REFERENCES hidden_events ON DELETE CASCADE,
    public $flag NOT NULL,
    by_link $flag NOT NULL,
    -- The ids of the placements that granted access, delimited by commas.
    granting TEXT NOT NULL
$end;
CREATE INDEX hidden_dates_together ON hidden_dates (hidden_id, event_id);

-- Pictures of events, in several sizes. An event has the path of the largest as its image_url.
CREATE TABLE pictures (
    path TEXT PRIMARY KEY,
    -- NULL: the account is deleted.
    owner_id $int REFERENCES users ON DELETE SET NULL,
    size $int NOT NULL,
    created_at $int NOT NULL,
    -- Since when it may be unused; 0: the worker has not looked yet. NULL: an event has it.
    unused_at $int
$end;
CREATE INDEX pictures_of_owner ON pictures (owner_id, size) WHERE owner_id IS NOT NULL;
CREATE INDEX pictures_unused ON pictures (unused_at) WHERE unused_at IS NOT NULL;

-- The sizes of a picture.
CREATE TABLE picture_files (
    path TEXT PRIMARY KEY,
    picture_path TEXT NOT NULL REFERENCES pictures ON DELETE CASCADE,
    content $bytes NOT NULL
$end;
CREATE INDEX picture_files_of_picture ON picture_files (picture_path);
