-- Webhooks: URLs to which the changes that a user may see are sent.

-- The entries up to (tx, entry_id) have been queued. Secrets are derived from the server's secret and a secret_id, and not stored.
CREATE TABLE webhooks (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    url TEXT NOT NULL,
    -- NULL: all calendars of the user. One that was deleted may be restored with its id, so this does not refer to it.
    calendar_id $int,
    kinds TEXT NOT NULL,
    secret_id TEXT NOT NULL,
    -- NULL: the secret was never changed.
    previous_secret_id TEXT,
    rotated_at $int,
    epoch $int NOT NULL,
    tx $int NOT NULL,
    entry_id $int NOT NULL,
    advanced_at $int NOT NULL,
    enabled $flag NOT NULL,
    failures $int NOT NULL,
    -- NULL: the last delivery succeeded.
    failing_since $int,
    next_at $int NOT NULL,
    leased_until $int NOT NULL,
    -- The key by which it was created or last changed: with that key, it is switched off. NULL: it was no key.
    key_id TEXT,
    -- NULL: it is enabled.
    disabled_reason TEXT
        CHECK (disabled_reason IN ('owner', 'failing', 'gone', 'calendar', 'password', 'suspended', 'key')),
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
    -- NULL: it is a test.
    record_id $int,
    -- The changed dates of a series.
    event_ids TEXT NOT NULL,
    tx $int NOT NULL,
    entry_id $int NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'superseded')),
    attempts $int NOT NULL,
    -- The HTTP status of the last attempt; NULL: there was no response.
    status $int,
    -- NULL: there was no response.
    duration_ms $int,
    -- NULL: none.
    error TEXT,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_queued ON webhook_deliveries (webhook_id, id) WHERE state = 'queued';
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (updated_at) WHERE state <> 'queued';
