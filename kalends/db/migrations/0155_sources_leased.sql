-- The sources that runs have right now: one of each host is fetched at a time.
-- @needs 0139
CREATE INDEX sources_leased ON sources (leased_until);
