-- The guests whom somebody added.
-- @needs 0100
-- @concurrently
CREATE INDEX responses_by_adder ON responses (added_by) WHERE added_by IS NOT NULL;
CREATE INDEX series_responses_by_adder ON series_responses (added_by) WHERE added_by IS NOT NULL;
