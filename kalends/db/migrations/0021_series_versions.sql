-- How often a series has changed: its rule, its exceptions or one of its events. Feeds say it as SEQUENCE, which must only grow; the
-- versions of events do not do for that, since events are created and deleted.
CREATE TABLE series_versions (
    series_id $int PRIMARY KEY NOT NULL REFERENCES series ON DELETE CASCADE,
    version $int NOT NULL
$end;
INSERT INTO series_versions (series_id, version)
SELECT r.id, coalesce((SELECT max(e.version) FROM events e WHERE e.series_id = r.id), 0) + 1 FROM series r;

-- @sync INSERT ON series AS version_insert: INSERT INTO series_versions (series_id, version) VALUES (NEW.id, 1)
-- @sync UPDATE ON series AS version_update: UPDATE series_versions SET version = version + 1 WHERE series_id = NEW.id AND $unmarked
-- @sync INSERT ON series_exceptions AS version_insert: UPDATE series_versions SET version = version + 1 WHERE series_id = NEW.series_id AND $unmarked
-- @sync DELETE ON series_exceptions AS version_delete: UPDATE series_versions SET version = version + 1 WHERE series_id = OLD.series_id AND $unmarked
-- @sync INSERT ON events AS version_insert WHEN NEW.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1 WHERE series_id = NEW.series_id AND $unmarked
-- @sync UPDATE ON events AS version_update WHEN OLD.series_id IS NOT NULL OR NEW.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1 WHERE series_id IN (OLD.series_id, NEW.series_id) AND $unmarked
-- @sync DELETE ON events AS version_delete WHEN OLD.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1 WHERE series_id = OLD.series_id AND $unmarked
