-- Invitations of people whom a guest does not know: the event is on the guest's calendar once they have accepted.
-- @needs 0075
CREATE TABLE invitation_proposals (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    granted_by $int NOT NULL REFERENCES users ON DELETE CASCADE,
    accepted $flag NOT NULL,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX invitation_proposals_of_invitation ON invitation_proposals (invitation_id, calendar_id);
CREATE INDEX invitation_proposals_on_calendar ON invitation_proposals (calendar_id, accepted);
CREATE INDEX invitation_proposals_granted_by ON invitation_proposals (granted_by);
