-- Offers to hand over a calendar to another user.
-- @needs 0124
CREATE TABLE ownership_offers (
    id $id,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    -- To whom it is offered.
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Its owner; or an admin, of a calendar whose owner is suspended.
    offered_by $int NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at $int NOT NULL,
    CHECK (user_id <> offered_by)
$end;
CREATE UNIQUE INDEX ownership_offers_of_calendar ON ownership_offers (calendar_id);
CREATE INDEX ownership_offers_to_user ON ownership_offers (user_id, id);
CREATE INDEX ownership_offers_by_user ON ownership_offers (offered_by, id);
CREATE INDEX ownership_offers_by_age ON ownership_offers (created_at);

-- All who see the calendar read who owns it. The new owner reads all that is on it, as one does with whom it is shared; one who was a
-- member does so as the share ends.
CREATE TRIGGER calendars_sync_owner AFTER UPDATE OF owner_id ON calendars
WHEN OLD.owner_id <> NEW.owner_id
BEGIN
    INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (NEW.id, 'calendar', NEW.id);
    INSERT INTO sync_entries (user_id, kind, record_id)
    SELECT NEW.owner_id, 'calendar', NEW.id
    WHERE NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = NEW.id AND s.user_id = NEW.owner_id)
    UNION ALL
    SELECT NEW.owner_id, 'event', p.event_id
    FROM placements p
    WHERE p.calendar_id = NEW.id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = NEW.id AND s.user_id = NEW.owner_id)
    UNION ALL
    SELECT NEW.owner_id, 'comment', c.id
    FROM placements p JOIN comments c ON c.event_id = p.event_id
    WHERE p.calendar_id = NEW.id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = NEW.id AND s.user_id = NEW.owner_id)
    UNION ALL
    SELECT NEW.owner_id, 'response', r.id
    FROM placements p JOIN responses r ON r.event_id = p.event_id
    WHERE p.calendar_id = NEW.id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = NEW.id AND s.user_id = NEW.owner_id);
END;
