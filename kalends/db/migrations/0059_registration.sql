-- Links by which somebody makes an account where accounts are by invitation: one for each address. The token is derived from the
-- server's secret and not stored.
CREATE TABLE account_invitations (
    id $id,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- The admin who invites; NULL: the operator, or somebody whose account is deleted.
    invited_by $int REFERENCES users ON DELETE SET NULL,
    created_at $int NOT NULL,
    expires_at $int NOT NULL
$end;
CREATE UNIQUE INDEX account_invitations_email_key ON account_invitations (email_key);
CREATE INDEX account_invitations_by_expiry ON account_invitations (expires_at, id);
CREATE INDEX account_invitations_of_user ON account_invitations (invited_by) WHERE invited_by IS NOT NULL;

-- Notices of more kinds: invitations, registrations that wait and what became of them, and a test of the mail server.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT
    CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created', 'webhook_created', 'webhook_disabled',
                      'place_granted', 'place_offered', 'place_lapsed', 'response_news', 'response_changed', 'response_removed',
                      'event_hidden', 'event_shown',
                      'account_invited', 'account_waiting', 'account_approved', 'account_refused', 'address_registered', 'test_message'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;

-- The names and the address of a user, folded, so that admins find them.
ALTER TABLE users ADD COLUMN search TEXT NOT NULL DEFAULT '';
-- @substrings users search
-- What was there before is folded for ASCII only, until the user is changed.
UPDATE users SET search = lower(user_name || ' ' || email_address || ' ' || coalesce(name, ''));
