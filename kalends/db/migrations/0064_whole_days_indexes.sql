-- Public events that take whole days; and the index of a calendar with what a month counts.
-- @concurrently
CREATE INDEX events_that_take_days_in_public ON events (start_at, id) WHERE public AND (all_day OR until_at - start_at >= 86400);
CREATE INDEX placements_of_calendar ON placements (calendar_id, start_at, event_id, takes_days, grants);
DROP INDEX placements_in_calendar;
