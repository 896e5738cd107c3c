-- The address whose invitation an event is on a calendar by: members of the calendar see the event while the address is invited to it.
-- @needs 0075
ALTER TABLE placements ADD COLUMN invited_key TEXT;
-- The file that the service wrote for the guest is named for the invitation. A guest may have moved it: then the address is the account's.
UPDATE placements SET invited_key = coalesce(
    (SELECT i.email_key FROM dav_parts d JOIN dav_resources r ON r.id = d.resource_id JOIN events e ON e.id = placements.event_id
        JOIN invitations i ON (i.event_id = e.id OR i.series_id = e.series_id) AND r.name = 'invitation-' || i.id || '.ics'
        WHERE d.calendar_id = placements.calendar_id AND (d.event_id = e.id OR d.series_id = e.series_id) LIMIT 1),
    (SELECT u.email_key FROM calendars c JOIN users u ON u.id = c.owner_id WHERE c.id = placements.calendar_id))
WHERE by_invitation;
-- Invitations that were withdrawn left the event with the guest.
DELETE FROM placements WHERE by_invitation AND NOT EXISTS (
    SELECT 1 FROM events e JOIN invitations i ON i.event_id = e.id OR i.series_id = e.series_id
    WHERE e.id = placements.event_id AND i.email_key = placements.invited_key AND i.state <> 'withdrawn');
UPDATE dav_resources SET has_events = FALSE, gone = TRUE, version = version + 1
WHERE name LIKE 'invitation-%' AND has_events AND NOT EXISTS (
    SELECT 1 FROM dav_parts d JOIN events e ON e.id = d.event_id OR e.series_id = d.series_id
    JOIN placements p ON p.event_id = e.id AND p.calendar_id = d.calendar_id WHERE d.resource_id = dav_resources.id);
DELETE FROM dav_parts WHERE resource_id IN (SELECT id FROM dav_resources WHERE name LIKE 'invitation-%' AND gone);
