-- Managers: editors who also change the calendar itself, and share it. To all that asks for an editor, a manager is one.
-- @needs 0112
ALTER TABLE calendar_invitations ADD COLUMN manages $flag NOT NULL DEFAULT FALSE CHECK (NOT manages OR role = 'editor');
ALTER TABLE calendar_shares ADD COLUMN manages $flag NOT NULL DEFAULT FALSE CHECK (NOT manages OR role = 'editor');

CREATE OR REPLACE JOURNAL OF calendar_shares AS share
    KEYS (calendar_id, NULL, user_id, calendar_id)
    COLUMNS (calendar_id, user_id, role, created_at, manages)
    WHEN row.created_at > 0;
CREATE OR REPLACE JOURNAL OF calendar_invitations AS invitation
    KEYS (id, NULL, user_id, calendar_id)
    COLUMNS (id, calendar_id, user_id, email_address, email_key, role, declined, created_at, manages);

-- A manager sees what an editor sees: the calendar alone has changed for them.
CREATE TRIGGER calendar_shares_sync_manages AFTER UPDATE ON calendar_shares
WHEN OLD.manages <> NEW.manages AND OLD.role = NEW.role
BEGIN
    INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'calendar', NEW.calendar_id);
END;
