-- The table told_events becomes synced_events, and an index says what it has. What the table held counts within one transaction only.
-- @needs 0078

CREATE TABLE synced_events (
    event_id $int PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    transaction_id $int NOT NULL
$end;

CREATE OR REPLACE TRIGGER placements_sync_update AFTER UPDATE ON placements
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

CREATE OR REPLACE TRIGGER placements_sync_others AFTER INSERT ON placements
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

CREATE OR REPLACE TRIGGER placements_sync_delete AFTER DELETE ON placements
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

DROP TABLE told_events;

-- @only SQLite
DROP INDEX organiser_news_untold;
CREATE UNIQUE INDEX organiser_news_pending ON organiser_news (owner_id, response_id) WHERE delivery_id IS NULL;

-- @only PostgreSQL
ALTER INDEX organiser_news_untold RENAME TO organiser_news_pending;
