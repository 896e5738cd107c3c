-- The birthdays of some days of any year, for the calendar.
-- @needs 0133
CREATE INDEX contacts_by_birthday ON contacts (user_id, substr(birthday, 6, 5)) WHERE birthday IS NOT NULL AND service IS NULL;
