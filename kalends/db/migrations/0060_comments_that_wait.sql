-- Comments that wait for approval, of the whole site.
-- @needs 0053
-- @concurrently
CREATE INDEX comments_that_wait ON comments (id) WHERE NOT approved;
