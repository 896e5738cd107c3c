-- The calendar of the birthdays of one's contacts.
-- @needs 0112
-- A new version changes the secret URL of its feed.
ALTER TABLE users ADD COLUMN birthdays_version $int NOT NULL DEFAULT 0;
CREATE INDEX contacts_with_birthday ON contacts (user_id, id) WHERE birthday IS NOT NULL AND service IS NULL;
