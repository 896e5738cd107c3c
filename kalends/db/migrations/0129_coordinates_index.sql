-- Events near a place.
-- @needs 0128
-- @concurrently
CREATE INDEX events_by_coordinates ON events (latitude, longitude) WHERE latitude IS NOT NULL;
