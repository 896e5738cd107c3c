-- Triggers that count the versions of calendars, series and files, by which clients learn that something is new.
-- $unmarked: once in a transaction is enough. DEFERRED: the row of the calendar is locked at the end of the transaction only.

CREATE TRIGGER placements_after_insert AFTER INSERT ON placements DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE WHEN NEW.public THEN revision + 1 ELSE public_revision END,
        public_changed_at = CASE WHEN NEW.public THEN $now ELSE public_changed_at END
    WHERE id = NEW.calendar_id AND ($unmarked OR (NEW.public AND public_revision <> revision));
END;

-- A change of has_others is not one of the calendar.
CREATE TRIGGER placements_after_update AFTER UPDATE ON placements DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE WHEN NEW.public OR OLD.public THEN revision + 1 ELSE public_revision END,
        public_changed_at = CASE WHEN NEW.public OR OLD.public THEN $now ELSE public_changed_at END
    WHERE id = NEW.calendar_id
        AND NEW.has_others = OLD.has_others
        AND ($unmarked OR ((NEW.public OR OLD.public) AND public_revision <> revision));
END;

CREATE TRIGGER placements_after_delete AFTER DELETE ON placements DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE WHEN OLD.public THEN revision + 1 ELSE public_revision END,
        public_changed_at = CASE WHEN OLD.public THEN $now ELSE public_changed_at END
    WHERE id = OLD.calendar_id AND ($unmarked OR (OLD.public AND public_revision <> revision));
END;

CREATE TRIGGER events_after_update AFTER UPDATE ON events DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE WHEN NEW.public OR OLD.public THEN revision + 1 ELSE public_revision END,
        public_changed_at = CASE WHEN NEW.public OR OLD.public THEN $now ELSE public_changed_at END
    WHERE ($unmarked OR ((NEW.public OR OLD.public) AND public_revision <> revision))
        AND id IN (SELECT calendar_id FROM placements WHERE event_id = NEW.id);
    UPDATE placements SET
        lasts = (NEW.until_at - NEW.start_at > 2678400),
        takes_days = (NEW.all_day OR NEW.until_at - NEW.start_at >= 86400)
    WHERE event_id = NEW.id
        AND (
            (NEW.until_at - NEW.start_at > 2678400) <> (OLD.until_at - OLD.start_at > 2678400)
            OR (
                NEW.all_day OR NEW.until_at - NEW.start_at >= 86400
            ) <> (OLD.all_day OR OLD.until_at - OLD.start_at >= 86400)
        );
END;

CREATE TRIGGER events_sync_version_insert AFTER INSERT ON events
WHEN NEW.series_id IS NOT NULL
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id = NEW.series_id AND $unmarked;
END;

CREATE TRIGGER events_sync_version_update AFTER UPDATE ON events
WHEN OLD.series_id IS NOT NULL OR NEW.series_id IS NOT NULL
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id IN (OLD.series_id, NEW.series_id) AND $unmarked;
END;

CREATE TRIGGER events_sync_version_delete AFTER DELETE ON events
WHEN OLD.series_id IS NOT NULL
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id = OLD.series_id AND $unmarked;
END;

-- What is shown of an event is cached by its version: a change that forgets to count it up gets a new one here.
CREATE TRIGGER events_sync_content
    AFTER UPDATE OF title, start_at, end_at, all_day, time_zone, location, image_url, tags, status, status_note
    ON events
WHEN OLD.version = NEW.version
    AND (
        OLD.title <> NEW.title
        OR OLD.start_at <> NEW.start_at
        OR OLD.end_at IS DISTINCT FROM NEW.end_at
        OR OLD.all_day <> NEW.all_day
        OR OLD.time_zone <> NEW.time_zone
        OR OLD.location IS DISTINCT FROM NEW.location
        OR OLD.image_url IS DISTINCT FROM NEW.image_url
        OR OLD.tags <> NEW.tags
        OR OLD.status <> NEW.status
        OR OLD.status_note IS DISTINCT FROM NEW.status_note
    )
BEGIN
    UPDATE events SET version = version + 1 WHERE id = NEW.id;
END;

-- Where an event is on a calendar without granting its members to see it, what they see depends on the shares of its other calendars. With
-- these, the revision changes, and so the ctag by which devices learn that they must read the calendar again.
CREATE TRIGGER calendar_shares_after_insert AFTER INSERT ON calendar_shares
BEGIN
    UPDATE calendars SET revision = revision + 1, changed_at = $now
    WHERE $unmarked
        AND NEW.created_at > 0
        AND id IN (
            SELECT q.calendar_id
            FROM placements p JOIN placements q ON q.event_id = p.event_id
            WHERE p.calendar_id = NEW.calendar_id AND NOT q.grants
        );
END;

CREATE TRIGGER calendar_shares_after_update AFTER UPDATE ON calendar_shares
BEGIN
    UPDATE calendars SET revision = revision + 1, changed_at = $now
    WHERE $unmarked
        AND OLD.role <> NEW.role
        AND id IN (
            SELECT q.calendar_id
            FROM placements p JOIN placements q ON q.event_id = p.event_id
            WHERE p.calendar_id = NEW.calendar_id AND NOT q.grants
        );
END;

CREATE TRIGGER calendar_shares_after_delete AFTER DELETE ON calendar_shares
BEGIN
    UPDATE calendars SET revision = revision + 1, changed_at = $now
    WHERE $unmarked
        AND OLD.created_at > 0
        AND id IN (
            SELECT q.calendar_id
            FROM placements p JOIN placements q ON q.event_id = p.event_id
            WHERE p.calendar_id = OLD.calendar_id AND NOT q.grants
        );
END;

CREATE TRIGGER series_after_update AFTER UPDATE ON series DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE
            WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public) THEN revision + 1
            ELSE public_revision
        END,
        public_changed_at = CASE
            WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public) THEN $now
            ELSE public_changed_at
        END
    WHERE (
        $unmarked
        OR (public_revision <> revision AND EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.id AND e.public))
    )
        AND id IN (SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.id);
END;

CREATE TRIGGER series_sync_version_insert AFTER INSERT ON series
BEGIN
    INSERT INTO series_versions (series_id, version, transaction_id) VALUES (NEW.id, 1, $transaction);
END;

CREATE TRIGGER series_sync_version_update AFTER UPDATE ON series
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id = NEW.id AND $unmarked;
END;

CREATE TRIGGER series_exceptions_after_insert AFTER INSERT ON series_exceptions DEFERRED
BEGIN
    UPDATE calendars SET
        revision = revision + 1,
        changed_at = $now,
        public_revision = CASE
            WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public) THEN revision + 1
            ELSE public_revision
        END,
        public_changed_at = CASE
            WHEN EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public) THEN $now
            ELSE public_changed_at
        END
    WHERE (
        $unmarked
        OR (
            public_revision <> revision
            AND EXISTS (SELECT 1 FROM events e WHERE e.series_id = NEW.series_id AND e.public)
        )
    )
        AND id IN (
            SELECT p.calendar_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.series_id
        );
END;

CREATE TRIGGER series_exceptions_sync_version_insert AFTER INSERT ON series_exceptions
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id = NEW.series_id AND $unmarked;
END;

CREATE TRIGGER series_exceptions_sync_version_delete AFTER DELETE ON series_exceptions
BEGIN
    UPDATE series_versions SET version = version + 1, transaction_id = $transaction
    WHERE series_id = OLD.series_id AND $unmarked;
END;

CREATE TRIGGER dav_resources_after_insert AFTER INSERT ON dav_resources
BEGIN
    UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE id = NEW.calendar_id AND $unmarked;
END;

CREATE TRIGGER dav_resources_after_update AFTER UPDATE ON dav_resources
BEGIN
    UPDATE calendars SET revision = revision + 1, changed_at = $now WHERE id = NEW.calendar_id AND $unmarked;
END;

-- The response of an invited guest is in the files of the event, which therefore get another ETag.
CREATE TRIGGER responses_sync_invited_insert AFTER INSERT ON responses
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
        WHERE e.id = NEW.event_id
    )
        AND (
            EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = NEW.event_id AND i.email_key = NEW.email_key)
            OR EXISTS (
                SELECT 1
                FROM events e JOIN invitations i ON i.series_id = e.series_id
                WHERE e.id = NEW.event_id AND i.email_key = NEW.email_key
            )
        );
END;

CREATE TRIGGER responses_sync_invited_update AFTER UPDATE OF response ON responses
WHEN OLD.response <> NEW.response
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
        WHERE e.id = NEW.event_id
    )
        AND (
            EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = NEW.event_id AND i.email_key = NEW.email_key)
            OR EXISTS (
                SELECT 1
                FROM events e JOIN invitations i ON i.series_id = e.series_id
                WHERE e.id = NEW.event_id AND i.email_key = NEW.email_key
            )
        );
END;

CREATE TRIGGER responses_sync_invited_delete AFTER DELETE ON responses
BEGIN
    UPDATE dav_resources SET version = version + 1
    WHERE id IN (
        SELECT d.resource_id
        FROM placements p JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = p.event_id
        WHERE p.event_id = OLD.event_id
        UNION
        SELECT d.resource_id
        FROM events e
        JOIN placements p ON p.event_id = e.id
        JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.series_id = e.series_id
        WHERE e.id = OLD.event_id
    )
        AND (
            EXISTS (SELECT 1 FROM invitations i WHERE i.event_id = OLD.event_id AND i.email_key = OLD.email_key)
            OR EXISTS (
                SELECT 1
                FROM events e JOIN invitations i ON i.series_id = e.series_id
                WHERE e.id = OLD.event_id AND i.email_key = OLD.email_key
            )
        );
END;

-- The file of a series has another ETag when the mail to a guest of one of its dates comes back.
CREATE TRIGGER invitations_sync_bounce AFTER UPDATE OF state ON invitations
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
