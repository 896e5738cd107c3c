-- The index of a calendar, with whether an event is on it by invitation.
-- @needs 0075
-- @concurrently
CREATE INDEX placements_in_order ON placements (calendar_id, start_at, event_id, takes_days, grants, by_invitation, has_others);
DROP INDEX placements_by_start;
