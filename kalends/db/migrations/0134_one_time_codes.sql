-- One-time codes as the second factor of a password, and recovery codes for who has lost the phone.
-- @needs 0112

CREATE TABLE totp (
    user_id $int PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- Encrypted with a key that is derived from the server's secret.
    secret TEXT NOT NULL,
    -- When a code proved that the app has the secret; NULL: not yet, and nobody is asked for codes.
    enabled_at $int,
    -- The time step of the last code that was used: each step works once.
    last_step $int NOT NULL DEFAULT 0,
    -- Whether a key or a digest still opens a session without a code.
    key_logins $flag NOT NULL DEFAULT TRUE,
    created_at $int NOT NULL
$end;

CREATE TABLE recovery_codes (
    user_id $int NOT NULL REFERENCES totp ON DELETE CASCADE,
    -- A keyed hash: the codes are too short for a plain one.
    code_mac TEXT NOT NULL,
    PRIMARY KEY (user_id, code_mac)
$end;
