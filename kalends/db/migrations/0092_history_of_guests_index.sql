-- The history of the responses and comments of an account, which goes with the account.
-- @needs 0091
-- @concurrently
CREATE INDEX changes_of_guest ON changes (owner_id) WHERE owner_id IS NOT NULL AND kind IN ('response', 'comment');
