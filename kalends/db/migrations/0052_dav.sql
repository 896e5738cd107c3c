-- What CalDAV clients wrote: the name and the file of a resource. An event or a series that no client wrote has no row; its name is made
-- from its id.
CREATE TABLE dav_resources (
    id $id,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    component TEXT NOT NULL,
    -- It grows with each file.
    version $int NOT NULL,
    -- The file, what the service itself wrote of its events then, and the versions that these had; both compressed.
    original $bytes NOT NULL,
    base $bytes NOT NULL,
    state TEXT NOT NULL,
    -- False for what is kept as a file alone: tasks, and rules that no series here can have.
    has_events $flag NOT NULL,
    -- Of a file without events: its times, and whether it was deleted.
    first_at $int,
    last_at $int,
    gone $flag NOT NULL,
    written_at $int NOT NULL
$end;
CREATE UNIQUE INDEX dav_resources_by_name ON dav_resources (calendar_id, name);
CREATE INDEX dav_resources_by_uid ON dav_resources (calendar_id, uid);
CREATE INDEX dav_resources_alone ON dav_resources (calendar_id) WHERE NOT has_events;

-- The events and series that a resource became. These rows outlive them: followers learn the name of what was deleted, and what is
-- restored has its name again.
CREATE TABLE dav_parts (
    resource_id $int NOT NULL REFERENCES dav_resources ON DELETE CASCADE,
    calendar_id $int NOT NULL,
    event_id $int,
    series_id $int
$end;
CREATE INDEX dav_parts_of_resource ON dav_parts (resource_id);
CREATE INDEX dav_parts_of_event ON dav_parts (calendar_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX dav_parts_of_series ON dav_parts (calendar_id, series_id) WHERE series_id IS NOT NULL;
