-- Invitations come back with the event or the series that they are to, if a deletion is undone; only deletions are recorded: what was
-- mailed cannot be undone. The owner is that of the event. `split_from`: the invitation to the series from which these dates were split,
-- while the guest's calendar has not been told of it.
ALTER TABLE invitations ADD COLUMN owner_id $int;
ALTER TABLE invitations ADD COLUMN split_from $int;
UPDATE invitations SET owner_id = (SELECT e.owner_id FROM events e WHERE e.id = invitations.event_id) WHERE event_id IS NOT NULL;
UPDATE invitations SET owner_id = (SELECT min(e.owner_id) FROM events e WHERE e.series_id = invitations.series_id) WHERE series_id IS NOT NULL;
CREATE INDEX invitations_split ON invitations (split_from) WHERE split_from IS NOT NULL;
-- @journal event_invitation ON invitations (id, event_id, owner_id, NULL) DELETE: id, event_id, series_id, address, email_key, name, message, party_max, state, detail, sequence, mails, created_at, updated_at, owner_id, split_from

-- What cancels deleted events in the calendar of a guest: the file, which is made before the invitation is deleted with the event; or the
-- series that goes on without these dates.
CREATE TABLE cancellations (
    id $id,
    notice_id $int NOT NULL REFERENCES change_notices ON DELETE CASCADE,
    event_id $int NOT NULL,
    email_key TEXT NOT NULL,
    calendar TEXT,
    series_id $int,
    CHECK ((calendar IS NULL) <> (series_id IS NULL))
$end;
CREATE INDEX cancellations_of_notice ON cancellations (notice_id, email_key);
