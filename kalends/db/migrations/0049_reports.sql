-- What people tell the administrators of the site about an event, a comment or a calendar: exactly one of them.
CREATE TABLE reports (
    id $id,
    event_id $int REFERENCES events ON DELETE CASCADE,
    comment_id $int REFERENCES comments ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    -- Who reported it; NULL for guests.
    user_id $int REFERENCES users ON DELETE SET NULL,
    email_address TEXT,
    reason TEXT NOT NULL,
    text TEXT,
    created_at $int NOT NULL,
    -- When an administrator dealt with it; NULL: it waits.
    closed_at $int
$end;
CREATE INDEX reports_in_order ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_by_age ON reports (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reports_of_event ON reports (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX reports_of_comment ON reports (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX reports_of_calendar ON reports (calendar_id) WHERE calendar_id IS NOT NULL;
CREATE INDEX reports_of_user ON reports (user_id) WHERE user_id IS NOT NULL;
