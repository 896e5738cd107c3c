-- The file of a series has another ETag when the mail to a guest of one of its dates comes back.
-- @needs 0075
CREATE OR REPLACE TRIGGER invitations_sync_bounce AFTER UPDATE OF state ON invitations
WHEN (OLD.state = 'bounced') <> (NEW.state = 'bounced')
BEGIN
    UPDATE dav_resources SET version = version + 1
    WHERE id IN (
        SELECT d.resource_id
        FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id
        WHERE p.event_id = NEW.event_id
        UNION
        SELECT d.resource_id
        FROM events e
        JOIN placements p ON p.event_id = e.id
        JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id
        WHERE e.series_id = NEW.series_id
        UNION
        SELECT d.resource_id
        FROM events e
        JOIN placements p ON p.event_id = e.id
        JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id
        WHERE e.id = NEW.event_id
    );
END;
