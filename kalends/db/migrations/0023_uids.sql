-- A calendar has each UID once, and an event that was repeated shares it with its series. (The index comes next: PostgreSQL does not create it
-- in the transaction that changed the rows.)

UPDATE events SET uid = NULL WHERE uid IS NOT NULL AND EXISTS (
    SELECT 1 FROM events o WHERE o.calendar_id = events.calendar_id AND o.uid = events.uid AND o.id < events.id
);
UPDATE series SET uid = (SELECT min(e.uid) FROM events e WHERE e.series_id = series.id)
WHERE uid IS NULL AND id IN (SELECT e.series_id FROM events e WHERE e.uid IS NOT NULL);
UPDATE events SET uid = NULL WHERE uid IS NOT NULL AND series_id IS NOT NULL
    AND uid <> (SELECT r.uid FROM series r WHERE r.id = events.series_id);
