-- The site: its settings and administration, and what servers share.

-- One row as soon as an admin has set something. NULL: the setting has its default.
CREATE TABLE site (
    id $int PRIMARY KEY CHECK (id = 1),
    name TEXT,
    headline TEXT,
    tagline TEXT,
    logo TEXT,
    accent_color TEXT,
    time_zone TEXT,
    language TEXT,
    imprint_url TEXT,
    privacy_url TEXT,
    registration TEXT CHECK (registration IN ('open', 'invitation', 'approval', 'closed'))
$end;

-- What people report to the administrators of the site: an event, a comment or a calendar.
CREATE TABLE reports (
    id $id,
    -- Two of these are NULL.
    event_id $int REFERENCES events ON DELETE CASCADE,
    comment_id $int REFERENCES comments ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    -- NULL: a guest.
    user_id $int REFERENCES users ON DELETE SET NULL,
    -- NULL: not given; so is the text.
    email_address TEXT,
    reason TEXT NOT NULL,
    text TEXT,
    created_at $int NOT NULL,
    -- When an admin closed it; NULL: it waits.
    closed_at $int
$end;
CREATE INDEX reports_in_order ON reports (id) WHERE closed_at IS NULL;
CREATE INDEX reports_by_age ON reports (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX reports_of_event ON reports (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX reports_of_comment ON reports (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX reports_of_calendar ON reports (calendar_id) WHERE calendar_id IS NOT NULL;
CREATE INDEX reports_of_user ON reports (user_id) WHERE user_id IS NOT NULL;

-- E-mail addresses and domains of guests whose responses, comments, subscriptions and reports are not stored.
CREATE TABLE blocked_senders (
    id $id,
    -- In lower case: `spam@example.org`, or a domain with all its subdomains: `example.org`.
    sender TEXT NOT NULL,
    -- NULL: none.
    note TEXT,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX blocked_senders_sender_key ON blocked_senders (sender);

-- What admins and the operator did: the log of the administration. It has ids and no names, so that a deleted account leaves none.
CREATE TABLE audit_entries (
    id $id,
    at $int NOT NULL,
    -- NULL: the operator, with a command.
    actor_id $int,
    via TEXT NOT NULL CHECK (via IN ('page', 'api', 'key', 'command')),
    action TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    -- NULL: the site itself.
    subject_id $int,
    detail TEXT NOT NULL DEFAULT ''
$end;
CREATE INDEX audit_entries_by_time ON audit_entries (at);

-- When the background worker and a backup last ran.
CREATE TABLE last_runs (
    task TEXT PRIMARY KEY CHECK (task IN ('worker', 'backup')),
    ran_at $int NOT NULL
$end;

-- One row, written at the first start: identifies the secret, which all servers of this database must share.
CREATE TABLE secret_fingerprints (
    id $int PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT NOT NULL
$end;

-- How often something was done in a fixed window of time, for rate limits that hold across processes and servers.
CREATE TABLE rate_counters (
    window_start $int NOT NULL,
    -- What is counted and for whom, as a keyed hash: no address is stored.
    subject TEXT NOT NULL,
    uses $int NOT NULL,
    -- When no limit looks at it any more.
    expires_at $int NOT NULL,
    PRIMARY KEY (subject, window_start)
$end;
CREATE INDEX rate_counters_expired ON rate_counters (expires_at);

-- Replies to requests with an Idempotency-Key.
CREATE TABLE idempotent_responses (
    -- Keyed hashes of the key with its owner, and of the request.
    key_hash $bytes PRIMARY KEY NOT NULL,
    request_hash $bytes NOT NULL,
    reply $bytes NOT NULL,
    -- A hash of what the reader saw when the reply was stored: it is replayed while they see the same. NULL: it is not replayed.
    access_hash $bytes,
    created_at $int NOT NULL
$end;
CREATE INDEX idempotent_responses_by_age ON idempotent_responses (created_at);
