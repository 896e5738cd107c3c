-- The names of a public calendar and of its owner, folded, so that people find them; empty for a private one.

ALTER TABLE calendars ADD COLUMN search TEXT NOT NULL DEFAULT '';
-- @substrings calendars search
-- What was there before is folded for ASCII only, until the calendar or its owner is changed.
UPDATE calendars SET search = (SELECT lower(calendars.name || ' ' || coalesce(u.name, u.user_name)) FROM users u WHERE u.id = calendars.owner_id)
WHERE public;
