-- What takes whole days on a calendar, for the bars of a month.
-- @concurrently
CREATE INDEX placements_that_take_days ON placements (calendar_id, start_at, event_id) WHERE takes_days;
