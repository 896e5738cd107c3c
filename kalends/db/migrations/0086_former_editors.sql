-- What editors who are none any more have granted on events that they created: until now, their rights on these did not end.
-- @needs 0075
DELETE FROM placements WHERE NOT public AND id IN (
    SELECT p.id FROM placements p JOIN events e ON e.id = p.event_id
    JOIN calendars h ON h.id = e.calendar_id JOIN calendars c ON c.id = p.calendar_id
    WHERE p.grants AND c.id <> h.id AND c.owner_id = p.granted_by AND p.granted_by <> h.owner_id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = p.granted_by AND s.role = 'editor'));
UPDATE placements SET grants = FALSE, granted_by = NULL WHERE id IN (
    SELECT p.id FROM placements p JOIN events e ON e.id = p.event_id
    JOIN calendars h ON h.id = e.calendar_id JOIN calendars c ON c.id = p.calendar_id
    WHERE p.grants AND c.id <> h.id AND p.granted_by <> h.owner_id AND c.owner_id <> h.owner_id
    AND NOT EXISTS (SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = p.granted_by AND s.role = 'editor'));

-- Who invited a guest: what an editor leaves behind can be withdrawn with the role. Of those who are invited already, the event's owner.
ALTER TABLE invitations ADD COLUMN invited_by $int REFERENCES users ON DELETE SET NULL;
UPDATE invitations SET invited_by = owner_id WHERE owner_id IN (SELECT id FROM users);
CREATE INDEX invitations_by_user ON invitations (invited_by) WHERE invited_by IS NOT NULL;
CREATE OR REPLACE JOURNAL OF invitations AS event_invitation FOR DELETE
    KEYS (id, event_id, owner_id, NULL)
    COLUMNS (
        id, event_id, series_id, address, email_key, name, message, party_max, state, detail, sequence, mails,
        created_at, updated_at, owner_id, split_from, invited_by
    );
