-- Public events that last more than 31 days, with their ends: PostgreSQL skips those that are over without reading them. The index
-- without the ends stays, because SQLite prefers that of all public events to this one.
-- @concurrently
CREATE INDEX events_lasting_in_public ON events (start_at, id, until_at) WHERE public AND until_at - start_at > 2678400;
