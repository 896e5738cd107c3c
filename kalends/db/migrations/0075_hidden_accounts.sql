-- Sharing with an e-mail address writes the same entries and changes whether or not someone has verified it: where there is no share to
-- delete or to create, one takes its place for a moment. Its time is 1 when it is recorded, for nobody (user 0), and 0 when it is not.
-- @needs 0072
-- @journal share ON calendar_shares (calendar_id, NULL, user_id, calendar_id) WHEN row.created_at > 0: calendar_id, user_id, role, created_at
-- @sync INSERT ON calendar_shares WHEN NEW.created_at > 0: $lock_new_calendar INSERT INTO sync_entries (user_id, kind, record_id) SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'calendar', NEW.calendar_id UNION ALL SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'event', event_id FROM placements WHERE calendar_id = NEW.calendar_id UNION ALL SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id UNION ALL SELECT CASE WHEN NEW.created_at = 1 THEN 0 ELSE NEW.user_id END, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id
-- @sync DELETE ON calendar_shares WHEN OLD.created_at > 0: $lock_old_calendar INSERT INTO sync_entries (user_id, kind, record_id) SELECT DISTINCT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, kind, record_id FROM sync_entries WHERE calendar_id = OLD.calendar_id UNION SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'calendar', OLD.calendar_id UNION SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'event', event_id FROM placements WHERE calendar_id = OLD.calendar_id UNION SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = OLD.calendar_id UNION SELECT CASE WHEN OLD.created_at = 1 THEN 0 ELSE OLD.user_id END, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = OLD.calendar_id
-- @replace INSERT ON calendar_shares: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE $unmarked AND NEW.created_at > 0 AND id IN (SELECT q.calendar_id FROM placements p JOIN placements q ON q.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id AND NOT q.grants)
-- @replace DELETE ON calendar_shares: UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE $unmarked AND OLD.created_at > 0 AND id IN (SELECT q.calendar_id FROM placements p JOIN placements q ON q.event_id = p.event_id WHERE p.calendar_id = OLD.calendar_id AND NOT q.grants)

-- That someone declines an invitation is not recorded any more: their address would be known to have an account.
-- @journal invitation ON calendar_invitations (id, NULL, user_id, calendar_id): id, calendar_id, user_id, email_address, email_key, role, declined, created_at

-- Whether an event is on a calendar because its owner is invited. Whose an address is, is not told to those who invite: neither that nor
-- the history of it.
ALTER TABLE placements ADD COLUMN by_invitation $flag NOT NULL DEFAULT FALSE;
UPDATE placements SET by_invitation = TRUE WHERE grants AND granted_by IS NOT NULL AND EXISTS (
    SELECT 1 FROM events e JOIN calendars c ON c.id = placements.calendar_id JOIN users u ON u.id = c.owner_id
    JOIN invitations i ON i.email_key = u.email_key AND (i.event_id = e.id OR i.series_id = e.series_id)
    WHERE e.id = placements.event_id AND e.owner_id = placements.granted_by AND e.owner_id <> c.owner_id);
DELETE FROM changes WHERE kind = 'placement' AND op = 'create' AND event_id IN (SELECT event_id FROM placements WHERE by_invitation)
    AND record_id IN (SELECT id FROM placements WHERE by_invitation);
-- @journal placement ON placements (id, event_id, NULL, calendar_id) INSERT WHEN NOT (row.grants AND row.granted_by IS NULL) AND NOT row.by_invitation: id, event_id, calendar_id, grants, granted_by, by_invitation, created_at
