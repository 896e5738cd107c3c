-- The narrow index too: SQLite prefers that of all public events to a wider one.
-- @concurrently
CREATE INDEX events_that_last_in_public ON events (start_at, id) WHERE public AND until_at - start_at > 2678400;
