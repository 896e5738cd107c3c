-- Pictures of events, which are stored in several sizes. An event has the path of the largest as its image_url.

-- `unused_at`: since when it may be unused; 0 until the worker has looked; NULL: an event has it.
CREATE TABLE pictures (
    path TEXT PRIMARY KEY,
    owner_id $int REFERENCES users ON DELETE SET NULL,
    size $int NOT NULL,
    created_at $int NOT NULL,
    unused_at $int
$end;
CREATE INDEX pictures_of_owner ON pictures (owner_id, size) WHERE owner_id IS NOT NULL;
CREATE INDEX pictures_unused ON pictures (unused_at) WHERE unused_at IS NOT NULL;

CREATE TABLE picture_files (
    path TEXT PRIMARY KEY,
    picture_path TEXT NOT NULL REFERENCES pictures ON DELETE CASCADE,
    content $bytes NOT NULL
$end;
CREATE INDEX picture_files_of_picture ON picture_files (picture_path);

ALTER TABLE events ADD COLUMN image_alt TEXT;
CREATE INDEX events_with_image ON events (image_url) WHERE image_url IS NOT NULL;

-- @sync UPDATE OF image_url ON events AS replaced_picture WHEN OLD.image_url IS NOT NULL AND OLD.image_url IS DISTINCT FROM NEW.image_url: UPDATE pictures SET unused_at = 0 WHERE path = OLD.image_url
-- @sync DELETE ON events AS deleted_picture WHEN OLD.image_url IS NOT NULL: UPDATE pictures SET unused_at = 0 WHERE path = OLD.image_url
-- @sync UPDATE OF owner_id ON pictures AS owner WHEN NEW.owner_id IS NULL AND NEW.unused_at IS NOT NULL: UPDATE pictures SET unused_at = 0 WHERE path = NEW.path
-- @journal event ON events (id, id, owner_id, calendar_id): id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location, location_name, street, city, state, zip, country, image_url, tags, public, series_id, slot, edited, version, created_at, updated_at, uid, party_max, status, status_note, image_alt
