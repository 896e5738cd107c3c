-- What other calendars need: what an imported event is called there, and when a feed has changed.

-- The UID under which it was imported; others have one that follows from their id.
ALTER TABLE events ADD COLUMN uid TEXT;
CREATE INDEX events_by_uid ON events (calendar_id, uid) WHERE uid IS NOT NULL;
ALTER TABLE series ADD COLUMN uid TEXT;
CREATE INDEX series_by_uid ON series (uid) WHERE uid IS NOT NULL;

-- How often the calendar's feed has changed, and when it did last; and how often its secret address was changed.
ALTER TABLE calendars ADD COLUMN revision $int NOT NULL DEFAULT 1;
ALTER TABLE calendars ADD COLUMN changed_at $int NOT NULL DEFAULT 0;
ALTER TABLE calendars ADD COLUMN feed_version $int NOT NULL DEFAULT 1;
UPDATE calendars SET changed_at = $now;

-- $unmarked: once in a transaction is enough.
-- @after INSERT ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE id = NEW.calendar_id AND $unmarked
-- @after DELETE ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE id = OLD.calendar_id AND $unmarked
-- @after UPDATE ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE id = NEW.calendar_id AND $unmarked
-- @after UPDATE ON events: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE $unmarked AND id IN (SELECT calendar_id FROM placements WHERE event_id = NEW.id)
-- @after UPDATE ON series: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE $unmarked AND id IN (SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.id)
-- @after INSERT ON series_exceptions: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE $unmarked AND id IN (SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.series_id)
