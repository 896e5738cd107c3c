-- Devices that are told by Web Push when one of their calendars or address books changes (WebDAV-Push).
-- @needs 0112
CREATE TABLE push_subscriptions (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The app password by which it was made: they end together. NULL: it was made in a session.
    key_id TEXT REFERENCES keys ON DELETE CASCADE,
    -- NULL: it is for an address book.
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    -- The address book of the user; 0: the one that everybody has. NULL: it is for a calendar.
    book_id $int,
    -- Identifies the calendar or address book to the device and to the push service.
    topic TEXT NOT NULL,
    -- Where messages are sent to, and the keys of the device that encrypt them (RFC 8291).
    url TEXT NOT NULL,
    public_key TEXT NOT NULL,
    auth_secret TEXT NOT NULL,
    -- The device knows of the entries of the journal up to here.
    epoch $int NOT NULL,
    tx $int NOT NULL,
    entry_id $int NOT NULL,
    failures $int NOT NULL DEFAULT 0,
    next_at $int NOT NULL,
    leased_until $int NOT NULL DEFAULT 0,
    expires_at $int NOT NULL,
    created_at $int NOT NULL,
    CHECK ((calendar_id IS NULL) <> (book_id IS NULL))
$end;
CREATE UNIQUE INDEX push_subscriptions_by_url ON push_subscriptions (user_id, topic, url);
CREATE INDEX push_subscriptions_of_calendar ON push_subscriptions (calendar_id) WHERE calendar_id IS NOT NULL;
CREATE INDEX push_subscriptions_of_key ON push_subscriptions (key_id) WHERE key_id IS NOT NULL;
