-- Invitations that a member has taken off their calendar without answering.
-- @needs 0078
ALTER TABLE invitations ADD COLUMN off_calendar $flag NOT NULL DEFAULT FALSE;
