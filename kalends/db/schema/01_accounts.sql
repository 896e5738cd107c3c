-- Accounts, and how people sign in.
-- $id, $int, $flag, $bytes and $end stand for what the two databases call differently (kalends/db/render.py). Times are Unix seconds.
-- A unique index is named after its table and columns, or after its purpose: a violation is recognised by the name.

CREATE TABLE users (
    id $id,
    user_name TEXT NOT NULL,
    user_name_key TEXT NOT NULL,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- NULL: the user name is shown.
    name TEXT,
    time_zone TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    -- When the user followed a link that was mailed to the address; NULL: not yet.
    verified_at $int,
    -- Mail to organisers about new responses and comments.
    response_notices TEXT NOT NULL DEFAULT 'daily' CHECK (response_notices IN ('at_once', 'daily', 'off')),
    role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin')),
    -- Accounts that wait for approval or are suspended cannot be used.
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'waiting', 'suspended')),
    -- Empty: as the browser says, and for mail as the site is set.
    language TEXT NOT NULL DEFAULT '',
    hour_cycle TEXT NOT NULL DEFAULT '',
    week_start TEXT NOT NULL DEFAULT '',
    -- The names and the address, folded, so that admins find them.
    search TEXT NOT NULL DEFAULT '',
    -- Stopped: the account sends nothing to others, since many people refused its mail, or an admin has stopped it.
    sending TEXT NOT NULL DEFAULT 'allowed' CHECK (sending IN ('allowed', 'stopped')),
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX users_user_name_key ON users (user_name_key);
CREATE UNIQUE INDEX users_email_key ON users (email_key);
CREATE INDEX users_admins ON users (id) WHERE role = 'admin';
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'active';
CREATE SUBSTRING INDEX ON users (search);
CREATE INDEX users_stopped ON users (id) WHERE sending = 'stopped';

-- API keys, and app passwords for devices.
CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    wkey_hash $bytes NOT NULL,
    -- A key of the kind `dav` is an app password: a device signs in with it to CalDAV and CardDAV, and it opens nothing else.
    kind TEXT NOT NULL DEFAULT 'api' CHECK (kind IN ('api', 'dav')),
    -- To the hour; NULL: never.
    last_used_at $int,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX keys_wkey_hash ON keys (wkey_hash);
CREATE INDEX keys_of_user ON keys (user_id, created_at);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The key by which it was opened: they end together. NULL: it was opened with a password.
    key_id TEXT REFERENCES keys ON DELETE CASCADE,
    token_hash $bytes NOT NULL,
    created_at $int NOT NULL,
    last_used_at $int NOT NULL
$end;
CREATE UNIQUE INDEX sessions_token_hash ON sessions (token_hash);
CREATE INDEX sessions_of_user ON sessions (user_id);
CREATE INDEX sessions_of_key ON sessions (key_id);
CREATE INDEX sessions_by_use ON sessions (last_used_at);

-- Digests of signed requests, each of which is accepted once.
CREATE TABLE used_digests (
    digest $bytes PRIMARY KEY,
    expires_at $int NOT NULL
$end;
CREATE INDEX used_digests_by_expiry ON used_digests (expires_at);

-- Failed logins of a user name or a network, as a keyed hash.
CREATE TABLE failed_logins (
    id $id,
    subject $bytes NOT NULL,
    failed_at $int NOT NULL
$end;
CREATE INDEX failed_logins_of_subject ON failed_logins (subject, failed_at);
CREATE INDEX failed_logins_by_time ON failed_logins (failed_at);

-- Requests to reset a password. They are stored whether or not the user exists; a worker looks for the user, and deletes the row.
CREATE TABLE reset_requests (
    id $id,
    name TEXT NOT NULL,
    requested_at $int NOT NULL
$end;

-- Links to register where accounts are by invitation: one for each address. The token is derived from the server's secret and not stored.
CREATE TABLE account_invitations (
    id $id,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- The admin who invites; NULL: the operator, or an account that is deleted.
    invited_by $int REFERENCES users ON DELETE SET NULL,
    created_at $int NOT NULL,
    expires_at $int NOT NULL
$end;
CREATE UNIQUE INDEX account_invitations_email_key ON account_invitations (email_key);
CREATE INDEX account_invitations_by_expiry ON account_invitations (expires_at, id);
CREATE INDEX account_invitations_of_user ON account_invitations (invited_by) WHERE invited_by IS NOT NULL;
