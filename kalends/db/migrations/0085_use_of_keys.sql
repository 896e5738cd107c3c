-- When a key or an app password was last used, to the hour, and the key by which a webhook was made or last changed: the webhook is
-- switched off when that key is deleted.
-- @needs 0084
ALTER TABLE keys ADD COLUMN last_used_at $int;
ALTER TABLE webhooks ADD COLUMN key_id TEXT;
ALTER TABLE webhooks RENAME COLUMN disabled_reason TO old_disabled_reason;
ALTER TABLE webhooks ADD COLUMN disabled_reason TEXT
    CHECK (disabled_reason IN ('owner', 'failing', 'gone', 'calendar', 'password', 'suspended', 'key'));
UPDATE webhooks SET disabled_reason = old_disabled_reason WHERE old_disabled_reason IS NOT NULL;
ALTER TABLE webhooks DROP COLUMN old_disabled_reason;
