-- Accounts that may not send to others, since many people refused their mail, or an admin has stopped them.
-- @needs 0075
ALTER TABLE users ADD COLUMN sending TEXT NOT NULL DEFAULT 'allowed' CHECK (sending IN ('allowed', 'stopped'));
CREATE INDEX users_stopped ON users (id) WHERE sending = 'stopped';
