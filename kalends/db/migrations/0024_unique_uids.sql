-- Clients may choose the UID of an event; a calendar has each once.
DROP INDEX events_by_uid;
CREATE UNIQUE INDEX events_by_uid ON events (calendar_id, uid) WHERE uid IS NOT NULL;
CREATE INDEX events_of_uid ON events (uid) WHERE uid IS NOT NULL;
