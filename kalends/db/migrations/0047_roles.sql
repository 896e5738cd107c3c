-- Administrators, and accounts that cannot be used: they wait for approval, or are suspended.
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin'));
ALTER TABLE users ADD COLUMN status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'waiting', 'suspended'));
CREATE INDEX users_admins ON users (id) WHERE role = 'admin';
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'active';

-- Webhooks of a suspended account are switched off.
ALTER TABLE webhooks RENAME COLUMN disabled_reason TO old_disabled_reason;
ALTER TABLE webhooks ADD COLUMN disabled_reason TEXT
    CHECK (disabled_reason IN ('owner', 'failing', 'gone', 'calendar', 'password', 'suspended'));
UPDATE webhooks SET disabled_reason = old_disabled_reason WHERE old_disabled_reason IS NOT NULL;
ALTER TABLE webhooks DROP COLUMN old_disabled_reason;
