-- The entries by which API clients, webhooks and CalDAV clients follow changes. Triggers write them.
-- The placeholders that lock and hold rows are empty on SQLite. On PostgreSQL, two transactions at once do not see each other's rows.

-- A record that must be read again by the members of a calendar, or by one user. `tx` orders entries by the commits of their transactions:
-- entries below the oldest running transaction are final. (SQLite has one writer at a time, so ids are in that order.)
CREATE TABLE sync_entries (
    id $id,
    tx $tx,
    -- One of these is NULL.
    calendar_id $int,
    user_id $int,
    kind TEXT NOT NULL,
    record_id $int NOT NULL,
    at $int NOT NULL DEFAULT ($now)
$end;
CREATE INDEX sync_entries_of_calendar ON sync_entries (calendar_id, tx, id) WHERE calendar_id IS NOT NULL;
CREATE INDEX sync_entries_of_user ON sync_entries (user_id, tx, id) WHERE user_id IS NOT NULL;

-- One row. History begins after the entry (pruned_tx, pruned_id). The epoch is drawn when a database is created or restored: cursors of
-- another epoch are not valid.
CREATE TABLE journal (
    epoch $int NOT NULL,
    pruned_tx $int NOT NULL,
    pruned_id $int NOT NULL
$end;
INSERT INTO journal (epoch, pruned_tx, pruned_id) VALUES ($random, 0, 0);

-- The transaction that last wrote the entries of an event for all its calendars: once in a transaction is enough. (A series of 1,000 dates
-- on 200 calendars wrote 20 million entries.)
CREATE TABLE synced_events (
    event_id $int PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    transaction_id $int NOT NULL
$end;

CREATE TRIGGER calendars_sync_insert AFTER INSERT ON calendars
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id);
END;

CREATE TRIGGER calendars_sync_update AFTER UPDATE OF updated_at, name, color, time_zone, public, is_primary ON calendars
WHEN OLD.updated_at <> NEW.updated_at
    OR OLD.name <> NEW.name
    OR OLD.color <> NEW.color
    OR OLD.time_zone <> NEW.time_zone
    OR OLD.public <> NEW.public
    OR OLD.is_primary <> NEW.is_primary
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id);
END;

-- Those who see an event see on which public calendars it is.
CREATE TRIGGER calendars_sync_access AFTER UPDATE OF public ON calendars
WHEN OLD.public <> NEW.public
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT o.calendar_id, 'event', p.event_id
    FROM placements p JOIN placements o ON o.event_id = p.event_id AND o.calendar_id <> NEW.id
    WHERE p.calendar_id = NEW.id;
END;

-- The owner of a deleted calendar can no longer read its entries, nor can those with whom it was shared.
CREATE TRIGGER calendars_sync_delete AFTER DELETE ON calendars
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id)
    SELECT DISTINCT OLD.owner_id, kind, record_id FROM sync_entries WHERE calendar_id = OLD.id
    UNION
    SELECT OLD.owner_id, 'calendar', OLD.id;
END;

-- A user who gets or loses a calendar reads all that is on it again. A transaction that adds to the calendar holds it (a new placement by
-- its foreign key), and this one locks it: one waits for the other.
CREATE TRIGGER calendar_shares_sync_insert AFTER INSERT ON calendar_shares
WHEN NEW.created_at > 0
BEGIN
    $lock_new_calendar
    INSERT INTO sync_entries (user_id, kind, record_id)
    SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'calendar', NEW.calendar_id
    UNION ALL
    SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'event', event_id
    FROM placements
    WHERE calendar_id = NEW.calendar_id
    UNION ALL
    SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'comment', c.id
    FROM placements p JOIN comments c ON c.event_id = p.event_id
    WHERE p.calendar_id = NEW.calendar_id
    UNION ALL
    SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'response', r.id
    FROM placements p JOIN responses r ON r.event_id = p.event_id
    WHERE p.calendar_id = NEW.calendar_id;
END;

-- Who may edit a calendar sees the events on it that its viewers do not see: those that an admin has hidden, and private ones.
CREATE TRIGGER calendar_shares_sync_update AFTER UPDATE ON calendar_shares
WHEN OLD.role <> NEW.role
BEGIN
    $lock_new_calendar
    INSERT INTO sync_entries (user_id, kind, record_id) SELECT NEW.user_id, 'calendar', NEW.calendar_id
    UNION ALL
    SELECT NEW.user_id, 'event', event_id FROM placements WHERE calendar_id = NEW.calendar_id AND NOT grants
    UNION ALL
    SELECT NEW.user_id, 'comment', c.id
    FROM placements p JOIN comments c ON c.event_id = p.event_id
    WHERE p.calendar_id = NEW.calendar_id
    UNION ALL
    SELECT NEW.user_id, 'response', r.id
    FROM placements p JOIN responses r ON r.event_id = p.event_id
    WHERE p.calendar_id = NEW.calendar_id;
END;

CREATE TRIGGER calendar_shares_sync_delete AFTER DELETE ON calendar_shares
WHEN OLD.created_at > 0
BEGIN
    $lock_old_calendar
    INSERT INTO sync_entries (user_id, kind, record_id)
    SELECT DISTINCT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, kind, record_id
    FROM sync_entries
    WHERE calendar_id = OLD.calendar_id
    UNION
    SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'calendar', OLD.calendar_id
    UNION
    SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'event', event_id
    FROM placements
    WHERE calendar_id = OLD.calendar_id
    UNION
    SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'comment', c.id
    FROM placements p JOIN comments c ON c.event_id = p.event_id
    WHERE p.calendar_id = OLD.calendar_id
    UNION
    SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'response', r.id
    FROM placements p JOIN responses r ON r.event_id = p.event_id
    WHERE p.calendar_id = OLD.calendar_id;
END;

CREATE TRIGGER users_sync_update AFTER UPDATE ON users
WHEN OLD.user_name <> NEW.user_name OR OLD.name IS DISTINCT FROM NEW.name
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT id, 'calendar', id FROM calendars WHERE owner_id = NEW.id;
END;

CREATE TRIGGER events_sync_update AFTER UPDATE ON events
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT calendar_id, 'event', event_id FROM placements WHERE event_id = NEW.id;
END;

CREATE TRIGGER events_sync_access AFTER UPDATE ON events
WHEN OLD.public <> NEW.public OR OLD.calendar_id <> NEW.calendar_id
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT p.calendar_id, 'comment', c.id
    FROM comments c JOIN placements p ON p.event_id = c.event_id
    WHERE c.event_id = NEW.id
    UNION ALL
    SELECT p.calendar_id, 'response', r.id
    FROM responses r JOIN placements p ON p.event_id = r.event_id
    WHERE r.event_id = NEW.id
    UNION ALL
    SELECT OLD.calendar_id, 'response', id FROM responses WHERE event_id = NEW.id;
END;

-- Before an event is deleted: the order in which its placements, comments and responses are deleted with it is not defined.
CREATE TRIGGER events_sync_delete BEFORE DELETE ON events
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT p.calendar_id, 'comment', c.id
    FROM comments c JOIN placements p ON p.event_id = c.event_id
    WHERE c.event_id = OLD.id
    UNION ALL
    SELECT p.calendar_id, 'response', r.id
    FROM responses r JOIN placements p ON p.event_id = r.event_id
    WHERE r.event_id = OLD.id;
END;

-- A placement shows the event to the members of its calendar, with its comments and responses. Its other calendars list it with that one.
CREATE TRIGGER placements_sync_insert AFTER INSERT ON placements
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.calendar_id, 'event', NEW.event_id);
END;

CREATE TRIGGER placements_sync_update AFTER UPDATE ON placements
WHEN OLD.grants <> NEW.grants
BEGIN
    $lock_new_event
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT p.calendar_id, 'event', p.event_id FROM $unsynced_new CROSS JOIN placements p WHERE p.event_id = unsynced.id
    UNION ALL
    SELECT p.calendar_id, 'comment', c.id
    FROM $unsynced_new CROSS JOIN placements p CROSS JOIN comments c
    WHERE p.event_id = unsynced.id AND c.event_id = unsynced.id
    UNION ALL
    SELECT p.calendar_id, 'response', r.id
    FROM $unsynced_new CROSS JOIN placements p CROSS JOIN responses r
    WHERE p.event_id = unsynced.id AND r.event_id = unsynced.id;
    INSERT INTO synced_events (event_id, transaction_id)
    SELECT unsynced.id, $transaction
    FROM $unsynced_new
    WHERE TRUE
    ON CONFLICT (event_id) DO UPDATE SET transaction_id = excluded.transaction_id;
END;

-- A transaction that writes a comment or response holds the event, and one that places the event locks it: one waits for the other.
CREATE TRIGGER placements_sync_access AFTER INSERT ON placements
WHEN NOT (NEW.grants AND NEW.granted_by IS NULL)
BEGIN
    $lock_new_event
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT NEW.calendar_id, 'comment', id FROM comments WHERE event_id = NEW.event_id
    UNION ALL
    SELECT NEW.calendar_id, 'response', id FROM responses WHERE event_id = NEW.event_id;
END;

-- The first calendar of an event has no others.
CREATE TRIGGER placements_sync_others AFTER INSERT ON placements
WHEN EXISTS (SELECT 1 FROM placements o WHERE o.event_id = NEW.event_id AND o.calendar_id <> NEW.calendar_id)
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT p.calendar_id, 'event', p.event_id
    FROM $unsynced_new CROSS JOIN placements p
    WHERE p.event_id = unsynced.id AND p.calendar_id <> NEW.calendar_id
    UNION ALL
    SELECT p.calendar_id, 'comment', c.id
    FROM $unsynced_new CROSS JOIN placements p CROSS JOIN comments c
    WHERE p.event_id = unsynced.id AND p.calendar_id <> NEW.calendar_id AND c.event_id = unsynced.id
    UNION ALL
    SELECT p.calendar_id, 'response', r.id
    FROM $unsynced_new CROSS JOIN placements p CROSS JOIN responses r
    WHERE p.event_id = unsynced.id AND p.calendar_id <> NEW.calendar_id AND r.event_id = unsynced.id;
    INSERT INTO synced_events (event_id, transaction_id)
    SELECT unsynced.id, $transaction
    FROM $unsynced_new
    WHERE TRUE
    ON CONFLICT (event_id) DO UPDATE SET transaction_id = excluded.transaction_id;
    UPDATE placements SET has_others = TRUE WHERE event_id = NEW.event_id AND NOT has_others;
END;

-- The calendars of a deleted event get their entries by its placements, each for itself.
CREATE TRIGGER placements_sync_delete AFTER DELETE ON placements
BEGIN
    $lock_old_event
    INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT OLD.calendar_id, 'event', OLD.event_id
    UNION ALL
    SELECT OLD.calendar_id, 'comment', id FROM comments WHERE event_id = OLD.event_id
    UNION ALL
    SELECT OLD.calendar_id, 'response', id FROM responses WHERE event_id = OLD.event_id
    UNION ALL
    SELECT p.calendar_id, 'event', p.event_id FROM $unsynced_old CROSS JOIN placements p WHERE p.event_id = unsynced.id
    UNION ALL
    SELECT p.calendar_id, 'comment', c.id
    FROM $unsynced_old CROSS JOIN placements p CROSS JOIN comments c
    WHERE p.event_id = unsynced.id AND c.event_id = unsynced.id
    UNION ALL
    SELECT p.calendar_id, 'response', r.id
    FROM $unsynced_old CROSS JOIN placements p CROSS JOIN responses r
    WHERE p.event_id = unsynced.id AND r.event_id = unsynced.id;
    INSERT INTO synced_events (event_id, transaction_id)
    SELECT unsynced.id, $transaction
    FROM $unsynced_old
    WHERE TRUE
    ON CONFLICT (event_id) DO UPDATE SET transaction_id = excluded.transaction_id;
END;

CREATE TRIGGER series_sync_update AFTER UPDATE ON series
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT DISTINCT p.calendar_id, 'series', NEW.id
    FROM events e JOIN placements p ON p.event_id = e.id
    WHERE e.series_id = NEW.id;
END;

CREATE TRIGGER series_exceptions_sync_insert AFTER INSERT ON series_exceptions
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT DISTINCT p.calendar_id, 'series', NEW.series_id
    FROM events e JOIN placements p ON p.event_id = e.id
    WHERE e.series_id = NEW.series_id;
END;

CREATE TRIGGER series_exceptions_sync_delete AFTER DELETE ON series_exceptions
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT DISTINCT p.calendar_id, 'series', OLD.series_id
    FROM events e JOIN placements p ON p.event_id = e.id
    WHERE e.series_id = OLD.series_id;
END;

-- A change of one date raises the version of its series, and so the ETag of the series on each calendar that has another of its dates.
CREATE TRIGGER series_versions_sync_update AFTER UPDATE ON series_versions
WHEN OLD.transaction_id <> NEW.transaction_id
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT DISTINCT p.calendar_id, 'dates', NEW.series_id
    FROM events e JOIN placements p ON p.event_id = e.id
    WHERE e.series_id = NEW.series_id;
END;

CREATE TRIGGER comments_sync_insert AFTER INSERT ON comments
BEGIN
    $hold_new_event
    $hold_calendars
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT calendar_id, 'comment', NEW.id FROM placements WHERE event_id = NEW.event_id;
END;

CREATE TRIGGER comments_sync_update AFTER UPDATE ON comments
BEGIN
    $hold_new_event
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT calendar_id, 'comment', NEW.id FROM placements WHERE event_id = NEW.event_id;
END;

CREATE TRIGGER comments_sync_delete AFTER DELETE ON comments
BEGIN
    $hold_old_event
    INSERT INTO sync_entries (calendar_id, kind, record_id)
    SELECT calendar_id, 'comment', OLD.id FROM placements WHERE event_id = OLD.event_id;
END;

CREATE TRIGGER responses_sync_insert AFTER INSERT ON responses
BEGIN
    $hold_new_event
    $hold_calendars
    INSERT INTO sync_entries (calendar_id, user_id, kind, record_id)
    SELECT calendar_id, CAST(NULL AS BIGINT), 'response', NEW.id FROM placements WHERE event_id = NEW.event_id
    UNION ALL
    SELECT CAST(NULL AS BIGINT), NEW.user_id, 'response', NEW.id WHERE NEW.user_id IS NOT NULL;
END;

CREATE TRIGGER responses_sync_update AFTER UPDATE ON responses
BEGIN
    $hold_new_event
    INSERT INTO sync_entries (calendar_id, user_id, kind, record_id)
    SELECT calendar_id, CAST(NULL AS BIGINT), 'response', NEW.id FROM placements WHERE event_id = NEW.event_id
    UNION ALL
    SELECT CAST(NULL AS BIGINT), NEW.user_id, 'response', NEW.id WHERE NEW.user_id IS NOT NULL
    UNION ALL
    SELECT CAST(NULL AS BIGINT), OLD.user_id, 'response', NEW.id
    WHERE OLD.user_id IS NOT NULL AND OLD.user_id IS DISTINCT FROM NEW.user_id;
END;

CREATE TRIGGER responses_sync_delete AFTER DELETE ON responses
BEGIN
    $hold_old_event
    INSERT INTO sync_entries (calendar_id, user_id, kind, record_id)
    SELECT calendar_id, CAST(NULL AS BIGINT), 'response', OLD.id FROM placements WHERE event_id = OLD.event_id
    UNION ALL
    SELECT CAST(NULL AS BIGINT), OLD.user_id, 'response', OLD.id WHERE OLD.user_id IS NOT NULL;
END;

CREATE TRIGGER contacts_sync_insert AFTER INSERT ON contacts
WHEN NEW.service IS NULL
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'contact', NEW.id);
END;

CREATE TRIGGER contacts_sync_update AFTER UPDATE ON contacts
WHEN OLD.service IS NULL OR NEW.service IS NULL
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'contact', NEW.id);
END;

CREATE TRIGGER contacts_sync_delete AFTER DELETE ON contacts
WHEN OLD.service IS NULL
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (OLD.user_id, 'contact', OLD.id);
END;

-- Followers of a calendar learn of a file that a client wrote, also if it changed nothing that an event has: an alarm, or a task.
CREATE TRIGGER dav_resources_sync_insert AFTER INSERT ON dav_resources
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.calendar_id, 'resource', NEW.id);
END;

CREATE TRIGGER dav_resources_sync_update AFTER UPDATE OF version ON dav_resources
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.calendar_id, 'resource', NEW.id);
END;

CREATE TRIGGER dav_cards_sync_insert AFTER INSERT ON dav_cards
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'card', NEW.id);
END;

CREATE TRIGGER dav_cards_sync_update AFTER UPDATE ON dav_cards
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'card', NEW.id);
END;
