-- What CalDAV clients wrote outlives its calendar for as long as the calendar can be restored: its path, its files and their properties. It
-- goes with the history of the deletion.
-- @needs 0097
-- SQLite has no statement that drops a reference. This is how its documentation does it; the index below makes other connections notice.

-- @only SQLite
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES calendars ON DELETE CASCADE', '')
WHERE type = 'table' AND name IN ('dav_calendars', 'dav_properties', 'dav_resources');
PRAGMA writable_schema = RESET;

-- @only PostgreSQL
ALTER TABLE dav_calendars DROP CONSTRAINT dav_calendars_calendar_id_fkey;
ALTER TABLE dav_properties DROP CONSTRAINT dav_properties_calendar_id_fkey;
ALTER TABLE dav_resources DROP CONSTRAINT dav_resources_calendar_id_fkey;

DROP INDEX dav_calendars_by_slug;
CREATE UNIQUE INDEX dav_calendars_by_slug ON dav_calendars (owner_id, slug);
