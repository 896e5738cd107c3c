-- A create writes less: events that are not in a series have no entries in the indexes of series,
DROP INDEX events_series_id_slot;
CREATE UNIQUE INDEX events_series_id_slot ON events (series_id, slot) WHERE series_id IS NOT NULL;
DROP INDEX events_of_series;
CREATE INDEX events_of_series ON events (series_id, start_at, id) WHERE series_id IS NOT NULL;

-- and the new revision of its calendar starts no trigger for other columns.
-- @journal calendar ON calendars (id, NULL, owner_id, id): id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max, created_at, updated_at
-- @sync UPDATE OF updated_at, name, color, time_zone, public, is_primary ON calendars WHEN OLD.updated_at <> NEW.updated_at OR OLD.name <> NEW.name OR OLD.color <> NEW.color OR OLD.time_zone <> NEW.time_zone OR OLD.public <> NEW.public OR OLD.is_primary <> NEW.is_primary: INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id)
-- @sync UPDATE OF public ON calendars AS access WHEN OLD.public <> NEW.public: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT o.calendar_id, 'event', p.event_id FROM placements p JOIN placements o ON o.event_id = p.event_id AND o.calendar_id <> NEW.id WHERE p.calendar_id = NEW.id
