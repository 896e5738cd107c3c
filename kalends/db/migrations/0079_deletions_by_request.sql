-- What was deleted, by owner and by calendar, in the order of the requests that deleted it: the trash finds each request by one search.
-- @needs 0078
-- @concurrently
CREATE INDEX changes_of_owner_by_request ON changes (owner_id, kind, set_id, id) WHERE op = 'delete' AND owner_id IS NOT NULL;
CREATE INDEX changes_of_calendar_by_request ON changes (calendar_id, kind, set_id, id) WHERE op = 'delete' AND calendar_id IS NOT NULL;
DROP INDEX changes_of_owner;
DROP INDEX changes_of_calendar;
