-- Whoever changes an event marks its calendars, and others who do wait for that: so it is done last, when the transaction commits.

-- @defer INSERT ON placements
-- @defer DELETE ON placements
-- @defer UPDATE ON placements
-- @defer UPDATE ON events
-- @defer UPDATE ON series
-- @defer INSERT ON series_exceptions
