-- Who granted a placement, what owners shared with whom, who blocks whom, and what a guest may know of a calendar's changes.

-- Who placed the event on a calendar beside its home. The grant ends when they may no longer edit the event. NULL: the home, or unknown.
ALTER TABLE placements ADD COLUMN granted_by $int REFERENCES users ON DELETE SET NULL;
CREATE INDEX placements_granted_by ON placements (granted_by) WHERE granted_by IS NOT NULL;

-- Whether the event lasts more than 31 days, so that lists of what overlaps a time read the long events of their own calendars only.
ALTER TABLE placements ADD COLUMN lasts $flag NOT NULL DEFAULT FALSE;
CREATE INDEX placements_that_last ON placements (calendar_id, start_at, event_id) WHERE lasts;
CREATE INDEX events_that_last_in_public ON events (start_at, id) WHERE public AND until_at - start_at > 2678400;
DROP INDEX events_that_last;

-- The revision at which something public changed last. A guest's ETag is made from it and not from `revision`.
ALTER TABLE calendars ADD COLUMN public_revision $int NOT NULL DEFAULT 1;
ALTER TABLE calendars ADD COLUMN public_changed_at $int NOT NULL DEFAULT 0;
UPDATE calendars SET public_revision = revision, public_changed_at = changed_at;

-- @replace INSERT ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN NEW.public THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN NEW.public THEN $now ELSE public_changed_at END WHERE id = NEW.calendar_id AND ($unmarked OR (NEW.public AND public_revision <> revision))
-- @replace DELETE ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN OLD.public THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN OLD.public THEN $now ELSE public_changed_at END WHERE id = OLD.calendar_id AND ($unmarked OR (OLD.public AND public_revision <> revision))
-- @replace UPDATE ON placements: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN NEW.public OR OLD.public THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN NEW.public OR OLD.public THEN $now ELSE public_changed_at END WHERE id = NEW.calendar_id AND ($unmarked OR ((NEW.public OR OLD.public) AND public_revision <> revision))
-- @replace UPDATE ON events: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN NEW.public OR OLD.public THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN NEW.public OR OLD.public THEN $now ELSE public_changed_at END WHERE ($unmarked OR ((NEW.public OR OLD.public) AND public_revision <> revision)) AND id IN (SELECT calendar_id FROM placements WHERE event_id = NEW.id); UPDATE placements SET lasts = (NEW.until_at - NEW.start_at > 2678400) WHERE event_id = NEW.id AND (NEW.until_at - NEW.start_at > 2678400) <> (OLD.until_at - OLD.start_at > 2678400)
-- @replace UPDATE ON series: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public) THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public) THEN $now ELSE public_changed_at END WHERE ($unmarked OR (public_revision <> revision AND EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public))) AND id IN (SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.id)
-- @replace INSERT ON series_exceptions: UPDATE calendars SET revision = revision + 1, changed_at = $now, public_revision = CASE WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public) THEN revision + 1 ELSE public_revision END, public_changed_at = CASE WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public) THEN $now ELSE public_changed_at END WHERE ($unmarked OR (public_revision <> revision AND EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public))) AND id IN (SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.series_id)

-- What an owner said: with whom a calendar is shared. `calendar_shares` has what follows from it.
CREATE TABLE calendar_invitations (
    id $id,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    -- The user who was named; of an e-mail address, the one who was first to prove that it is theirs.
    user_id $int REFERENCES users ON DELETE CASCADE,
    email_address TEXT,
    email_key TEXT,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
    -- Without effect: the user left the calendar, or blocks its owner.
    declined $flag NOT NULL DEFAULT FALSE,
    created_at $int NOT NULL,
    CHECK (user_id IS NOT NULL OR email_key IS NOT NULL),
    CHECK ((email_key IS NULL) = (email_address IS NULL))
$end;
CREATE UNIQUE INDEX calendar_invitations_calendar_id_user_id ON calendar_invitations (calendar_id, user_id) WHERE email_key IS NULL;
CREATE UNIQUE INDEX calendar_invitations_calendar_id_email_key ON calendar_invitations (calendar_id, email_key);
CREATE INDEX calendar_invitations_of_user ON calendar_invitations (user_id, calendar_id);
CREATE INDEX calendar_invitations_by_address ON calendar_invitations (email_key) WHERE user_id IS NULL;
INSERT INTO calendar_invitations (calendar_id, user_id, role, created_at)
SELECT calendar_id, user_id, role, created_at FROM calendar_shares ORDER BY calendar_id, user_id;

-- Whose calendars a user does not want to be shared with them.
CREATE TABLE blocks (
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at $int NOT NULL,
    PRIMARY KEY (user_id, owner_id)
$end;
CREATE INDEX blocks_of_owner ON blocks (owner_id);

UPDATE placements SET lasts = TRUE WHERE event_id IN (SELECT id FROM events WHERE until_at - start_at > 2678400);
-- On another calendar of the event's owner, or on one that they edit: the event's owner.
UPDATE placements SET granted_by = (SELECT e.owner_id FROM events e WHERE e.id = placements.event_id)
WHERE grants AND EXISTS (
    SELECT 1 FROM events e JOIN calendars c ON c.id = placements.calendar_id
    WHERE e.id = placements.event_id AND e.calendar_id <> c.id AND (c.owner_id = e.owner_id OR EXISTS (
        SELECT 1 FROM calendar_shares s WHERE s.calendar_id = c.id AND s.user_id = e.owner_id AND s.role = 'editor')));
-- On a calendar of somebody else who edits the home: they. (They may have been helped by the event's owner; then the grant ends with theirs.)
UPDATE placements SET granted_by = (SELECT c.owner_id FROM calendars c WHERE c.id = placements.calendar_id)
WHERE grants AND EXISTS (
    SELECT 1 FROM events e JOIN calendars h ON h.id = e.calendar_id JOIN calendars c ON c.id = placements.calendar_id
    WHERE e.id = placements.event_id AND h.id <> c.id AND c.owner_id <> e.owner_id AND (c.owner_id = h.owner_id OR EXISTS (
        SELECT 1 FROM calendar_shares s WHERE s.calendar_id = h.id AND s.user_id = c.owner_id AND s.role = 'editor')));
