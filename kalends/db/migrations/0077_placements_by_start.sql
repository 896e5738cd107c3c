-- The index of a calendar, with whether its events have others.
-- @needs 0075
-- @concurrently
CREATE INDEX placements_by_start ON placements (calendar_id, start_at, event_id, takes_days, grants, has_others);
DROP INDEX placements_of_calendar;
