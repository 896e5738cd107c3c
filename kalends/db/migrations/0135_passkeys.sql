-- Passkeys (WebAuthn), with which people sign in without a password.
-- @needs 0112

CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    credential_id $bytes NOT NULL,
    -- The attested credential data of WebAuthn, which has the public key.
    credential $bytes NOT NULL,
    -- How often the authenticator says that it has signed; 0: it does not count.
    sign_count $int NOT NULL,
    -- NULL: never.
    last_used_at $int,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX passkeys_credential_id ON passkeys (credential_id);
CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);
