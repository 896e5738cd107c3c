-- The responses that wait for their confirmation: by the time until which they hold places, and those of an event.
-- @needs 0087
-- @concurrently
CREATE INDEX responses_held_until ON responses (confirm_until) WHERE confirm_until > 0;
CREATE INDEX responses_unconfirmed ON responses (event_id, id) WHERE confirm_until = 0;
