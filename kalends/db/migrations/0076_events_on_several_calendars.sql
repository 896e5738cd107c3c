-- Whether the event is, or was, on other calendars too: only then does the list of a calendar look for them. A change of it is not one of
-- the calendar.
-- @needs 0075
ALTER TABLE placements ADD COLUMN has_others $flag NOT NULL DEFAULT FALSE;
-- @replace UPDATE ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN NEW.public OR OLD.public THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN NEW.public OR OLD.public THEN $now ELSE public_changed_at END WHERE id = NEW.calendar_id AND NEW.has_others = OLD.has_others AND ($unmarked OR ((NEW.public OR OLD.public) AND public_revision <> revision))
-- @sync INSERT ON placements: INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.calendar_id, 'event', NEW.event_id); UPDATE placements SET has_others = TRUE WHERE event_id = NEW.event_id AND NOT has_others AND EXISTS (SELECT 1 FROM placements o WHERE o.event_id = NEW.event_id AND o.calendar_id <> NEW.calendar_id)
UPDATE placements SET has_others = TRUE WHERE EXISTS (
    SELECT 1 FROM placements o WHERE o.event_id = placements.event_id AND o.calendar_id <> placements.calendar_id);
