-- @needs 0106
-- What a key opens, and until when.

-- Empty: everything. The scopes of an API key, separated by blanks; `read` for an app password that changes nothing.
ALTER TABLE keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
-- NULL: until it is deleted.
ALTER TABLE keys ADD COLUMN expires_at $int;
