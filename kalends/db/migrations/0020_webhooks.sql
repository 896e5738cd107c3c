-- Webhooks: addresses to which the changes that a user may see are sent.

-- The entries up to (tx, entry_id) have been queued. Secrets are derived from the server's secret and a secret_id, and not stored.
-- A calendar that was deleted may be restored with its id, so calendar_id does not refer to it.
CREATE TABLE webhooks (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    url TEXT NOT NULL,
    calendar_id $int,
    kinds TEXT NOT NULL,
    secret_id TEXT NOT NULL,
    previous_secret_id TEXT,
    rotated_at $int,
    epoch $int NOT NULL,
    tx $int NOT NULL,
    entry_id $int NOT NULL,
    advanced_at $int NOT NULL,
    enabled $flag NOT NULL,
    disabled_reason TEXT CHECK (disabled_reason IN ('owner', 'failing', 'gone', 'calendar', 'password')),
    failures $int NOT NULL,
    failing_since $int,
    next_at $int NOT NULL,
    leased_until $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX webhooks_of_user ON webhooks (user_id, id);
CREATE INDEX webhooks_due ON webhooks (next_at) WHERE enabled;

-- What was sent or is to be sent, without its content: that is read when it is sent. `event_ids` are the changed dates of a series.
CREATE TABLE webhook_deliveries (
    id $id,
    webhook_id $int NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    record_id $int,
    event_ids TEXT NOT NULL,
    tx $int NOT NULL,
    entry_id $int NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'superseded')),
    attempts $int NOT NULL,
    status $int,
    duration_ms $int,
    error TEXT,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_queued ON webhook_deliveries (webhook_id, id) WHERE state = 'queued';
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (updated_at) WHERE state <> 'queued';

-- Notices of more kinds. Neither database shares a statement that changes a CHECK, so the column is made anew.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT
    CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created', 'webhook_created', 'webhook_disabled'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
