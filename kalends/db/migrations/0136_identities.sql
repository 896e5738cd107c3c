-- With which accounts of OpenID Connect providers people sign in.
-- @needs 0112

CREATE TABLE identities (
    id TEXT PRIMARY KEY,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The two by which a provider names a person for good. Names and addresses may go to somebody else.
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- NULL: never.
    last_used_at $int,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX identities_subject ON identities (issuer, subject);
CREATE INDEX identities_of_user ON identities (user_id, created_at);
