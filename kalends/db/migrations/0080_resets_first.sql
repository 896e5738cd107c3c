-- Mail about an account, for which its user waits, in the order in which it is sent: before everything else.
-- @needs 0075
-- @concurrently
CREATE INDEX deliveries_first ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify');
