-- Calendars that live elsewhere and are followed here.
-- @needs 0112
CREATE TABLE sources (
    id $id,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    -- Who follows it: the events are theirs.
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- As it was pasted. It may have a password, which is shown nowhere.
    url TEXT NOT NULL,
    -- What is fetched: the same, or the calendar to which the page leads.
    feed_url TEXT NOT NULL,
    -- What was found there: a calendar file, a page that leads to one, or a page that describes its events itself.
    kind TEXT NOT NULL CHECK (kind IN ('calendar', 'linked', 'page')),
    name TEXT NOT NULL,
    public $flag NOT NULL,
    -- Whether its events may be in public feeds, the sitemap and webhooks.
    republish $flag NOT NULL,
    tag_list TEXT NOT NULL,
    title_contains TEXT NOT NULL,
    -- Minutes between two fetches; NULL: as the source says.
    every $int CHECK (every BETWEEN 15 AND 1440),
    -- The seconds that the source asks for.
    suggested $int NOT NULL,
    -- Why it is not fetched; NULL: it is.
    paused TEXT CHECK (paused IN ('owner', 'failing', 'access')),
    -- What the server said of the version that was applied last, and the hash of what it sent.
    etag TEXT NOT NULL DEFAULT '',
    modified TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    -- How often it was the same since it changed.
    unchanged $int NOT NULL DEFAULT 0,
    failures $int NOT NULL DEFAULT 0,
    -- NULL: never yet; so is the next one.
    checked_at $int,
    good_at $int,
    -- NULL: the last run was good.
    failing_since $int,
    -- When its owner was notified that something is wrong. NULL: nothing is.
    notified_at $int,
    next_at $int NOT NULL,
    leased_until $int NOT NULL DEFAULT 0,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX sources_by_address ON sources (calendar_id, feed_url);
CREATE INDEX sources_by_feed ON sources (feed_url);
CREATE INDEX sources_of_user ON sources (user_id, id);
CREATE INDEX sources_due ON sources (next_at) WHERE paused IS NULL;

-- What each fetch led to. The last 50 of a source are kept.
CREATE TABLE source_runs (
    id $id,
    source_id $int NOT NULL REFERENCES sources ON DELETE CASCADE,
    state TEXT NOT NULL CHECK (state IN ('applied', 'unchanged', 'held', 'failed')),
    -- The HTTP status; NULL: there was no response.
    status $int,
    size $int NOT NULL,
    created $int NOT NULL,
    changed $int NOT NULL,
    removed $int NOT NULL,
    -- One sentence; empty: all went well.
    reason TEXT NOT NULL,
    -- What was fetched, compressed, while it can still be accepted. NULL: it cannot.
    content $bytes,
    -- When somebody accepted what was held back; it is applied from then on. NULL: nobody did.
    accepted_at $int,
    created_at $int NOT NULL
$end;
CREATE INDEX source_runs_of_source ON source_runs (source_id, id);

-- What a source has on its calendar, by UID. An event that is gone here, or that was detached, keeps its row, so that it does not come back.
CREATE TABLE source_items (
    source_id $int NOT NULL REFERENCES sources ON DELETE CASCADE,
    uid TEXT NOT NULL,
    -- The hash of what the source says of it; empty: it is no longer in the source.
    digest TEXT NOT NULL,
    -- The event, or the series. Neither refers to its table: what is deleted may be restored. Both NULL: it was detached.
    event_id $int,
    series_id $int,
    -- The page of the event at the source; NULL: it names none.
    page_url TEXT,
    PRIMARY KEY (source_id, uid),
    CHECK (event_id IS NULL OR series_id IS NULL)
$end;
CREATE UNIQUE INDEX source_items_by_event ON source_items (event_id) WHERE event_id IS NOT NULL;
CREATE UNIQUE INDEX source_items_by_series ON source_items (series_id) WHERE series_id IS NOT NULL;
