-- The journal of changes, and the entries by which followers learn of them. Triggers write both, so that no change can be missed.

-- One row for each changed row. `before` is the row as it was, as JSON without derived columns; for a new one NULL, or the row if it has
-- no id. What it was changed to is the `before` of the next change, or the row itself. The changes of one request have the same set_id.
CREATE TABLE changes (
    id $id,
    set_id $int NOT NULL,
    at $int NOT NULL,
    -- NULL: a guest or the worker. An account may have been deleted since.
    actor_id $int,
    via TEXT NOT NULL,
    request_id TEXT,
    kind TEXT NOT NULL,
    record_id $int NOT NULL,
    event_id $int,
    owner_id $int,
    calendar_id $int,
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')),
    before TEXT
$end;
CREATE INDEX changes_of_set ON changes (set_id);
-- Each insertion of an event pays for each index, so a record is found by its event if it has one.
CREATE INDEX changes_of_event ON changes (event_id, id) WHERE event_id IS NOT NULL;
CREATE INDEX changes_of_record ON changes (record_id, kind, id) WHERE event_id IS NULL;
CREATE INDEX changes_of_owner ON changes (owner_id, id) WHERE op = 'delete';
CREATE INDEX changes_of_calendar ON changes (calendar_id, id) WHERE op = 'delete';

-- A record whose followers must read it again: the members of a calendar, or one user. $tx orders entries by the commits of their
-- transactions: entries below the oldest running transaction are final. (SQLite has one writer at a time, so ids are in that order.)
CREATE TABLE sync_entries (
    id $id,
    tx $tx,
    calendar_id $int,
    user_id $int,
    kind TEXT NOT NULL,
    record_id $int NOT NULL,
    at $int NOT NULL DEFAULT ($now)
$end;
CREATE INDEX sync_entries_of_calendar ON sync_entries (calendar_id, tx, id) WHERE calendar_id IS NOT NULL;
CREATE INDEX sync_entries_of_user ON sync_entries (user_id, tx, id) WHERE user_id IS NOT NULL;

-- The history begins after the entry of `pruned_tx` and `pruned_id`. The epoch is drawn when a database is made or restored: cursors of
-- another epoch are not valid.
CREATE TABLE journal (
    epoch $int NOT NULL,
    pruned_tx $int NOT NULL,
    pruned_id $int NOT NULL
$end;
INSERT INTO journal (epoch, pruned_tx, pruned_id) VALUES ($random, 0, 0);

-- The author of the running transaction, for the triggers of SQLite, which cannot read a setting of the transaction as PostgreSQL's can.
CREATE TABLE change_author (
    set_id $int NOT NULL,
    at $int NOT NULL,
    actor_id $int,
    via TEXT NOT NULL,
    request_id TEXT
$end;
INSERT INTO change_author (set_id, at, via) VALUES (0, 0, 'database');

-- @journal event ON events (id, id, owner_id, calendar_id): id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location, location_name, street, city, state, zip, country, image_url, tags, public, series_id, slot, edited, version, created_at, updated_at, uid, party_max, status, status_note
-- A new event is on its home calendar, which goes without saying.
-- @journal placement ON placements (id, event_id, NULL, calendar_id) INSERT WHEN NOT (row.grants AND row.granted_by IS NULL): id, event_id, calendar_id, grants, granted_by, created_at
-- @journal series ON series (id, NULL, NULL, NULL): id, start_date, end_date, clock, made_until, uid, rrule, also
-- @journal exception ON series_exceptions (series_id, NULL, NULL, NULL): series_id, slot
-- @journal comment ON comments (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, comment, response, approved, created_at, updated_at
-- @journal response ON responses (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in, version, proven, created_at, updated_at
-- @journal contact ON contacts (id, NULL, user_id, NULL) WHEN row.service IS NULL: id, user_id, first_name, last_name, phone_number, phone_e164, email_address, email_key, birthday, gender, country, zip_code, tags, unique_id, service, expires_at, version, created_at, updated_at
-- @journal calendar ON calendars (id, NULL, owner_id, id): id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max, created_at, updated_at
-- @journal share ON calendar_shares (calendar_id, NULL, user_id, calendar_id): calendar_id, user_id, role, created_at
-- @journal invitation ON calendar_invitations (id, NULL, user_id, calendar_id): id, calendar_id, user_id, email_address, email_key, role, declined, created_at

-- A placement shows the event to the members of its calendar, with all that belongs to the event. Its other calendars list it with that one.
-- @sync INSERT ON placements: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'event', event_id FROM placements WHERE event_id = NEW.event_id
-- @sync INSERT ON placements AS access WHEN NOT (NEW.grants AND NEW.granted_by IS NULL): INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT NEW.calendar_id, 'comment', id FROM comments WHERE event_id = NEW.event_id UNION ALL SELECT NEW.calendar_id, 'response', id FROM responses WHERE event_id = NEW.event_id
-- @sync DELETE ON placements: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT OLD.calendar_id, 'event', OLD.event_id UNION ALL SELECT calendar_id, 'event', event_id FROM placements WHERE event_id = OLD.event_id UNION ALL SELECT OLD.calendar_id, 'comment', id FROM comments WHERE event_id = OLD.event_id UNION ALL SELECT OLD.calendar_id, 'response', id FROM responses WHERE event_id = OLD.event_id
-- Before an event is deleted: the order in which its placements, comments and responses are deleted with it is not defined.
-- @sync DELETE ON events BEFORE: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT p.calendar_id, 'comment', c.id FROM comments c JOIN placements p ON p.event_id = c.event_id WHERE c.event_id = OLD.id UNION ALL SELECT p.calendar_id, 'response', r.id FROM responses r JOIN placements p ON p.event_id = r.event_id WHERE r.event_id = OLD.id
-- @sync UPDATE ON placements WHEN OLD.grants <> NEW.grants: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT NEW.calendar_id, 'event', NEW.event_id UNION ALL SELECT NEW.calendar_id, 'comment', id FROM comments WHERE event_id = NEW.event_id UNION ALL SELECT NEW.calendar_id, 'response', id FROM responses WHERE event_id = NEW.event_id
-- @sync UPDATE ON events: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'event', event_id FROM placements WHERE event_id = NEW.id
-- @sync UPDATE ON events AS access WHEN OLD.public <> NEW.public OR OLD.calendar_id <> NEW.calendar_id: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT p.calendar_id, 'comment', c.id FROM comments c JOIN placements p ON p.event_id = c.event_id WHERE c.event_id = NEW.id UNION ALL SELECT p.calendar_id, 'response', r.id FROM responses r JOIN placements p ON p.event_id = r.event_id WHERE r.event_id = NEW.id UNION ALL SELECT OLD.calendar_id, 'response', id FROM responses WHERE event_id = NEW.id
-- @sync UPDATE ON series: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT DISTINCT p.calendar_id, 'series', NEW.id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.id
-- @sync INSERT ON series_exceptions: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT DISTINCT p.calendar_id, 'series', NEW.series_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.series_id
-- @sync DELETE ON series_exceptions: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT DISTINCT p.calendar_id, 'series', OLD.series_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = OLD.series_id
-- @sync INSERT ON comments: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'comment', NEW.id FROM placements WHERE event_id = NEW.event_id
-- @sync UPDATE ON comments: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'comment', NEW.id FROM placements WHERE event_id = NEW.event_id
-- @sync DELETE ON comments: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'comment', OLD.id FROM placements WHERE event_id = OLD.event_id
-- @sync INSERT ON responses: INSERT INTO sync_entries (calendar_id, user_id, kind, record_id) SELECT calendar_id, CAST(NULL AS BIGINT), 'response', NEW.id FROM placements WHERE event_id = NEW.event_id UNION ALL SELECT CAST(NULL AS BIGINT), NEW.user_id, 'response', NEW.id WHERE NEW.user_id IS NOT NULL
-- @sync UPDATE ON responses: INSERT INTO sync_entries (calendar_id, user_id, kind, record_id) SELECT calendar_id, CAST(NULL AS BIGINT), 'response', NEW.id FROM placements WHERE event_id = NEW.event_id UNION ALL SELECT CAST(NULL AS BIGINT), NEW.user_id, 'response', NEW.id WHERE NEW.user_id IS NOT NULL UNION ALL SELECT CAST(NULL AS BIGINT), OLD.user_id, 'response', NEW.id WHERE OLD.user_id IS NOT NULL AND OLD.user_id IS DISTINCT FROM NEW.user_id
-- @sync DELETE ON responses: INSERT INTO sync_entries (calendar_id, user_id, kind, record_id) SELECT calendar_id, CAST(NULL AS BIGINT), 'response', OLD.id FROM placements WHERE event_id = OLD.event_id UNION ALL SELECT CAST(NULL AS BIGINT), OLD.user_id, 'response', OLD.id WHERE OLD.user_id IS NOT NULL
-- @sync INSERT ON contacts WHEN NEW.service IS NULL: INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'contact', NEW.id)
-- @sync UPDATE ON contacts WHEN OLD.service IS NULL OR NEW.service IS NULL: INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'contact', NEW.id)
-- @sync DELETE ON contacts WHEN OLD.service IS NULL: INSERT INTO sync_entries (user_id, kind, record_id) VALUES (OLD.user_id, 'contact', OLD.id)
-- @sync INSERT ON calendars: INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id)
-- @sync UPDATE ON calendars WHEN OLD.updated_at <> NEW.updated_at OR OLD.name <> NEW.name OR OLD.color <> NEW.color OR OLD.time_zone <> NEW.time_zone OR OLD.public <> NEW.public OR OLD.is_primary <> NEW.is_primary: INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id)
-- Those who see an event see on which public calendars it is.
-- @sync UPDATE ON calendars AS access WHEN OLD.public <> NEW.public: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT o.calendar_id, 'event', p.event_id FROM placements p JOIN placements o ON o.event_id = p.event_id AND o.calendar_id <> NEW.id WHERE p.calendar_id = NEW.id
-- The owner of a deleted calendar can no longer read its entries, nor can those with whom it was shared.
-- @sync DELETE ON calendars: INSERT INTO sync_entries (user_id, kind, record_id) SELECT DISTINCT OLD.owner_id, kind, record_id FROM sync_entries WHERE calendar_id = OLD.id UNION SELECT OLD.owner_id, 'calendar', OLD.id
-- @sync INSERT ON calendar_shares: INSERT INTO sync_entries (user_id, kind, record_id) SELECT NEW.user_id, 'calendar', NEW.calendar_id UNION ALL SELECT NEW.user_id, 'event', event_id FROM placements WHERE calendar_id = NEW.calendar_id UNION ALL SELECT NEW.user_id, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id UNION ALL SELECT NEW.user_id, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id
-- @sync UPDATE ON calendar_shares WHEN OLD.role <> NEW.role: INSERT INTO sync_entries (user_id, kind, record_id) SELECT NEW.user_id, 'calendar', NEW.calendar_id UNION ALL SELECT NEW.user_id, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id UNION ALL SELECT NEW.user_id, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id
-- @sync DELETE ON calendar_shares: INSERT INTO sync_entries (user_id, kind, record_id) SELECT DISTINCT OLD.user_id, kind, record_id FROM sync_entries WHERE calendar_id = OLD.calendar_id UNION SELECT OLD.user_id, 'calendar', OLD.calendar_id UNION SELECT OLD.user_id, 'event', event_id FROM placements WHERE calendar_id = OLD.calendar_id UNION SELECT OLD.user_id, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = OLD.calendar_id UNION SELECT OLD.user_id, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = OLD.calendar_id
-- @sync UPDATE ON users WHEN OLD.user_name <> NEW.user_name OR OLD.name IS DISTINCT FROM NEW.name: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT id, 'calendar', id FROM calendars WHERE owner_id = NEW.id
