-- Public events that last more than 31 days, with their ends: those that are over are skipped without being read.
-- @concurrently
CREATE INDEX events_lasting_in_public ON events (start_at, id, until_at) WHERE public AND until_at - start_at > 2678400;
DROP INDEX events_that_last_in_public;
