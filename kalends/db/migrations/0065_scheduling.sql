-- Scheduling by CalDAV (RFC 6638).
-- @needs 0064
-- Counts what the organiser writes: the Schedule-Tag stays as it is when guests reply.
ALTER TABLE dav_resources ADD COLUMN schedule_version $int NOT NULL DEFAULT 0;

-- The invitations in the inbox of a user, which stay until a client deletes them there.
CREATE TABLE dav_messages (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX dav_messages_of_user ON dav_messages (user_id, invitation_id);
CREATE INDEX dav_messages_of_invitation ON dav_messages (invitation_id);

-- The response of somebody who is invited is in the files of the event, so that these have another ETag.
-- @sync INSERT ON responses AS invited_insert: UPDATE dav_resources SET version = version + 1 WHERE id IN (SELECT d.resource_id FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id WHERE p.event_id = NEW.event_id UNION SELECT d.resource_id FROM events e JOIN placements p ON p.event_id = e.id JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id WHERE e.id = NEW.event_id) AND (EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = NEW.event_id AND i.email_key = NEW.email_key) OR EXISTS (SELECT 1 FROM events e JOIN invitations i ON i.series_id = e.series_id WHERE e.id = NEW.event_id AND i.email_key = NEW.email_key))
-- @sync UPDATE OF response ON responses AS invited_update WHEN OLD.response <> NEW.response: UPDATE dav_resources SET version = version + 1 WHERE id IN (SELECT d.resource_id FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id WHERE p.event_id = NEW.event_id UNION SELECT d.resource_id FROM events e JOIN placements p ON p.event_id = e.id JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id WHERE e.id = NEW.event_id) AND (EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = NEW.event_id AND i.email_key = NEW.email_key) OR EXISTS (SELECT 1 FROM events e JOIN invitations i ON i.series_id = e.series_id WHERE e.id = NEW.event_id AND i.email_key = NEW.email_key))
-- @sync DELETE ON responses AS invited_delete: UPDATE dav_resources SET version = version + 1 WHERE id IN (SELECT d.resource_id FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id WHERE p.event_id = OLD.event_id UNION SELECT d.resource_id FROM events e JOIN placements p ON p.event_id = e.id JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id WHERE e.id = OLD.event_id) AND (EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = OLD.event_id AND i.email_key = OLD.email_key) OR EXISTS (SELECT 1 FROM events e JOIN invitations i ON i.series_id = e.series_id WHERE e.id = OLD.event_id AND i.email_key = OLD.email_key))
