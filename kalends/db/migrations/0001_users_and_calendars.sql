-- Users, the ways in which they sign in, and their calendars.
-- $id, $int, $flag, $bytes and $end are the words in which the two databases differ. Instants are Unix seconds.
-- A unique index is called after its table and columns: that is how a violation is recognised.

CREATE TABLE users (
    id $id,
    user_name TEXT NOT NULL,
    user_name_key TEXT NOT NULL,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT,
    time_zone TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX users_user_name_key ON users (user_name_key);
CREATE UNIQUE INDEX users_email_key ON users (email_key);

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    wkey_hash $bytes NOT NULL,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX keys_wkey_hash ON keys (wkey_hash);
CREATE INDEX keys_of_user ON keys (user_id, created_at);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The key by which it was opened, if it was: they end together.
    key_id TEXT REFERENCES keys ON DELETE CASCADE,
    token_hash $bytes NOT NULL,
    created_at $int NOT NULL,
    last_used_at $int NOT NULL
$end;
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_of_key ON sessions (key_id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);

CREATE TABLE used_digests (
    digest $bytes PRIMARY KEY,
    expires_at $int NOT NULL
$end;
CREATE INDEX used_digests_by_expiry ON used_digests (expires_at);

CREATE TABLE failed_logins (
    id $id,
    subject $bytes NOT NULL,
    failed_at $int NOT NULL
$end;
CREATE INDEX failed_logins_of_subject ON failed_logins (subject, failed_at);
CREATE INDEX failed_logins_by_time ON failed_logins (failed_at);

CREATE TABLE calendars (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT,
    color TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    public $flag NOT NULL,
    moderation TEXT NOT NULL CHECK (moderation IN ('none', 'guests', 'all')),
    is_primary $flag NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX calendars_of_owner ON calendars (owner_id, id);
CREATE UNIQUE INDEX calendars_primary ON calendars (owner_id) WHERE is_primary;

CREATE TABLE calendar_shares (
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
    created_at $int NOT NULL,
    PRIMARY KEY (calendar_id, user_id)
$end;
CREATE INDEX calendar_shares_of_user ON calendar_shares (user_id, calendar_id);
