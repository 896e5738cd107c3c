-- @needs 0107
-- The calendars that an app password opens.

-- Ids, separated by blanks; empty: all of its user. Of a calendar that is deleted, the id opens nothing.
ALTER TABLE keys ADD COLUMN calendar_ids TEXT NOT NULL DEFAULT '';
