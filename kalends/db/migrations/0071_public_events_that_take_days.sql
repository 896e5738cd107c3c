-- Public events that take whole days, with their ends: those that are over are skipped without being read. Statements name their index on
-- SQLite, so that one of the two for long events is enough.
-- @needs 0070
-- @concurrently
CREATE INDEX events_taking_days_in_public ON events (start_at, id, until_at) WHERE public AND (all_day OR until_at - start_at >= 86400);
DROP INDEX events_that_take_days_in_public;
DROP INDEX events_that_last_in_public;
