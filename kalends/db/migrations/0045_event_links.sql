-- Whether whoever has the link of an event sees it, and the number in the link, which a new link changes.
ALTER TABLE events ADD COLUMN by_link $flag NOT NULL DEFAULT FALSE;
ALTER TABLE events ADD COLUMN link_number $int NOT NULL DEFAULT 1;
-- @journal event ON events (id, id, owner_id, calendar_id): id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location, location_name, street, city, state, zip, country, image_url, tags, public, by_link, link_number, series_id, slot, edited, version, created_at, updated_at, uid, party_max, status, status_note, image_alt
