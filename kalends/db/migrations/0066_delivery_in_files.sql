-- What became of the mails of invitations is in the files of the organiser (RFC 6638, section 7.3).
-- @needs 0065
-- Nothing has used these.
ALTER TABLE dav_resources DROP COLUMN first_at;
ALTER TABLE dav_resources DROP COLUMN last_at;

-- A file that tells of a mail that came back has another ETag.
-- @sync UPDATE OF state ON invitations AS bounce WHEN (OLD.state = 'bounced') <> (NEW.state = 'bounced'): UPDATE dav_resources SET version = version + 1 WHERE id IN (SELECT d.resource_id FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id WHERE p.event_id = NEW.event_id UNION SELECT d.resource_id FROM events e JOIN placements p ON p.event_id = e.id JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id WHERE e.series_id = NEW.series_id)
