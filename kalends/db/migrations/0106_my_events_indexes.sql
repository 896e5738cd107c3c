-- What a member is invited to and has answered, by their address: the list and the calendar of their events read it.
-- @needs 0105
-- @concurrently
CREATE INDEX responses_by_address ON responses (email_key);
CREATE INDEX invitations_by_address ON invitations (email_key);
