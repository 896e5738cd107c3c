-- Who may edit a calendar sees the events on it that its viewers do not see: those that an admin has hidden, and private ones.
-- @needs 0091
CREATE OR REPLACE TRIGGER calendar_shares_sync_update AFTER UPDATE ON calendar_shares
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
