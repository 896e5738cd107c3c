-- What is sent to people, why, and to whom not.

-- People who have opted in to an organiser's announcements.
CREATE TABLE subscribers (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    -- The event on whose page they opted in; NULL: none, or it was deleted.
    event_id $int REFERENCES events ON DELETE SET NULL,
    consent TEXT NOT NULL,
    consented_at $int NOT NULL,
    -- When the address itself confirmed the opt-in; NULL: not yet.
    confirmed_at $int,
    source TEXT NOT NULL DEFAULT 'response' CHECK (source IN ('response', 'send_to_me', 'confirmation'))
$end;
CREATE UNIQUE INDEX subscribers_owner_id_channel_address_key ON subscribers (owner_id, channel, address_key);
CREATE INDEX subscribers_of_owner ON subscribers (owner_id, id);
CREATE INDEX subscribers_of_event ON subscribers (event_id);
CREATE INDEX subscribers_unconfirmed ON subscribers (consented_at) WHERE confirmed_at IS NULL;

-- Addresses that have left an owner's list, as a keyed hash of channel and address. Only that address's own confirmation lifts it.
CREATE TABLE suppressions (
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    hash $bytes NOT NULL,
    created_at $int NOT NULL,
    PRIMARY KEY (owner_id, hash)
$end;

-- Addresses that get no messages of a purpose: from one organiser, about one event, or (both NULL) from the whole service.
CREATE TABLE suppressed_addresses (
    id $id,
    -- NULL: from the whole service.
    owner_id $int REFERENCES users ON DELETE CASCADE,
    -- NULL: about any event.
    event_id $int REFERENCES events ON DELETE CASCADE,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('notice', 'reminder', 'invitation')),
    reason TEXT NOT NULL CHECK (reason IN ('refused', 'bounced', 'unsubscribed')),
    -- What the mail server said; NULL: nothing.
    detail TEXT,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX suppressed_addresses_key
    ON suppressed_addresses (address_key, channel, purpose, coalesce(owner_id, 0), coalesce(event_id, 0));
CREATE INDEX suppressed_addresses_of_owner ON suppressed_addresses (owner_id, id);
CREATE INDEX suppressed_addresses_of_event ON suppressed_addresses (event_id) WHERE event_id IS NOT NULL;

-- Who has answered the mail of an organiser, and who has refused it; by a hash of the address.
CREATE TABLE reactions (
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    address_hash TEXT NOT NULL,
    -- NULL: never.
    answered_at $int,
    -- NULL: never.
    refused_at $int,
    PRIMARY KEY (owner_id, address_hash)
$end;

-- The language in which a guest last wrote from an address, for the mail to it.
CREATE TABLE recipient_languages (
    address_key TEXT PRIMARY KEY,
    language TEXT NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX recipient_languages_updated_at ON recipient_languages (updated_at);

-- The queue of e-mail and SMS: written in the transaction of its cause, and sent by a worker.
CREATE TABLE deliveries (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- NULL: it is about the account of the owner, or the event was deleted.
    event_id $int REFERENCES events ON DELETE SET NULL,
    -- Whose link to leave the list the message has; NULL: none.
    subscriber_id $int REFERENCES subscribers ON DELETE SET NULL,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    -- Whether everyone saw the event when it was asked for.
    public $flag NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed')),
    attempts $int NOT NULL,
    -- When to try next; while it is being sent, when its worker counts as dead.
    due_at $int NOT NULL,
    -- What the mail server or gateway said; NULL: nothing went wrong.
    error TEXT,
    -- The response that it is about; NULL: none.
    response_id $int REFERENCES responses ON DELETE SET NULL,
    -- The proposal that it is about; NULL: none.
    proposal_id $int REFERENCES proposals ON DELETE SET NULL,
    kind TEXT NOT NULL DEFAULT 'send_to_me'
        CHECK (kind IN ('send_to_me', 'announce', 'reset', 'confirm', 'verify', 'notice', 'response',
            'proposal', 'link', 'change', 'cancel', 'message', 'reminder', 'invitation', 'promotion',
            'confirmation', 'verification')),
    -- What the message is sent for, such as `change:17`: an address gets one message for it, whatever crashes and is retried. NULL: each
    -- is sent.
    cause TEXT,
    -- The events that it is about, delimited by commas: an event that was deleted may be restored with its id. NULL: event_id alone.
    event_ids TEXT,
    -- What a message of the kind `notice` is about; NULL: it is of another kind.
    notice TEXT,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX deliveries_waiting ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending');
CREATE INDEX deliveries_done ON deliveries (updated_at) WHERE state IN ('sent', 'failed');
CREATE INDEX deliveries_of_owner ON deliveries (owner_id, id);
CREATE INDEX deliveries_of_event ON deliveries (event_id, id);
CREATE INDEX deliveries_of_subscriber ON deliveries (subscriber_id);
CREATE INDEX deliveries_to_address ON deliveries (address_key, created_at);
CREATE INDEX deliveries_of_response ON deliveries (response_id) WHERE response_id IS NOT NULL;
CREATE INDEX deliveries_of_proposal ON deliveries (proposal_id) WHERE proposal_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_announced ON deliveries (event_id, channel, address_key) WHERE kind = 'announce';
CREATE UNIQUE INDEX deliveries_about ON deliveries (kind, coalesce(response_id, 0), coalesce(proposal_id, 0))
    WHERE state = 'queued' AND attempts = 0 AND kind IN ('response', 'proposal') AND coalesce(response_id, proposal_id) IS NOT NULL;
CREATE UNIQUE INDEX deliveries_caused ON deliveries (cause, channel, address) WHERE cause IS NOT NULL;
CREATE INDEX deliveries_urgent ON deliveries (channel, owner_id, due_at, id)
    WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify', 'confirm', 'response', 'proposal', 'link', 'send_to_me');
CREATE INDEX deliveries_waiting_by_owner ON deliveries (channel, owner_id, due_at, id) WHERE state IN ('queued', 'sending');
-- Mail about an account, for which its user waits, in the order in which it is sent: before everything else.
CREATE INDEX deliveries_first ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify');

-- Messages to many recipients that are not in the queue yet: a worker queues them in steps, so that no write takes long.
CREATE TABLE delivery_batches (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- That of its deliveries.
    cause TEXT NOT NULL,
    size $int NOT NULL,
    -- The parameters of the statement that queues them, as JSON.
    content TEXT NOT NULL
$end;
CREATE INDEX delivery_batches_of_owner ON delivery_batches (owner_id);
CREATE INDEX delivery_batches_of_cause ON delivery_batches (cause);

-- New responses and comments of which the owner of an event is notified at due_at.
CREATE TABLE organiser_news (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- One of these is NULL.
    response_id $int REFERENCES responses ON DELETE CASCADE,
    comment_id $int REFERENCES comments ON DELETE CASCADE,
    at $int NOT NULL,
    due_at $int NOT NULL,
    -- The message about it; NULL: there is none yet.
    delivery_id $int REFERENCES deliveries ON DELETE CASCADE,
    CHECK ((response_id IS NULL) <> (comment_id IS NULL))
$end;
CREATE INDEX organiser_news_due ON organiser_news (due_at) WHERE delivery_id IS NULL;
CREATE INDEX organiser_news_of_owner ON organiser_news (owner_id, due_at);
-- Changes of a response before the message are one piece of news.
CREATE UNIQUE INDEX organiser_news_pending ON organiser_news (owner_id, response_id) WHERE delivery_id IS NULL;
CREATE INDEX organiser_news_of_response ON organiser_news (response_id) WHERE response_id IS NOT NULL;
CREATE INDEX organiser_news_of_comment ON organiser_news (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX organiser_news_of_delivery ON organiser_news (delivery_id) WHERE delivery_id IS NOT NULL;

-- Notices to guests of what changed: the changes of some minutes are one message, from the first old to the last new values.
CREATE TABLE change_notices (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- What the organiser adds; NULL: nothing.
    message TEXT,
    due_at $int NOT NULL,
    -- When a worker began to send it: later changes are another notice. NULL: not yet.
    closed_at $int
$end;
CREATE INDEX change_notices_of_owner ON change_notices (owner_id);
CREATE INDEX change_notices_by_age ON change_notices (due_at);

-- The events of a notice. An event that was deleted may be restored with its id, so event_id does not refer to it.
CREATE TABLE changed_events (
    notice_id $int NOT NULL REFERENCES change_notices ON DELETE CASCADE,
    event_id $int NOT NULL,
    -- Whether the notice has changes of all fields, or only of those that guests must know.
    tells_all $flag NOT NULL,
    -- JSON: as it was before the first change; and as it was when the notice was closed (NULL: deleted, or it is not closed).
    old TEXT NOT NULL,
    new TEXT,
    PRIMARY KEY (notice_id, event_id)
$end;
CREATE INDEX changed_events_of_event ON changed_events (event_id);

-- What cancels deleted events in the calendar of a guest.
CREATE TABLE cancellations (
    id $id,
    notice_id $int NOT NULL REFERENCES change_notices ON DELETE CASCADE,
    event_id $int NOT NULL,
    email_key TEXT NOT NULL,
    -- The file, made before the invitation is deleted with the event; NULL: the series goes on without these dates.
    calendar TEXT,
    -- NULL: the file cancels it.
    series_id $int,
    CHECK ((calendar IS NULL) <> (series_id IS NULL))
$end;
CREATE INDEX cancellations_of_notice ON cancellations (notice_id, email_key);

-- Of one event; or of all events whose home is the calendar, unless they have reminders of their own. Copies of a reminder, as the dates
-- of a series have them, share an origin: the id of the first.
CREATE TABLE reminders (
    id $id,
    -- One of these is NULL.
    event_id $int REFERENCES events ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    -- NULL: it is no copy.
    origin_id $int,
    -- Minutes before the start; NULL: on days_before at a minute of the day (`at`), on the clock of the event.
    before $int CHECK (before BETWEEN 5 AND 86400),
    days_before $int CHECK (days_before BETWEEN 0 AND 60),
    at $int CHECK (at BETWEEN 0 AND 1439),
    -- Delimited by commas; empty: nobody is reminded.
    audience TEXT NOT NULL,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    -- What the organiser adds; NULL: nothing.
    text TEXT,
    -- It is not due before; the exact time follows from the time zone of the event, which no database computes. NULL: of a calendar.
    due_from $int,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK ((event_id IS NULL) <> (calendar_id IS NULL)),
    CHECK ((before IS NULL) <> (days_before IS NULL)),
    CHECK ((days_before IS NULL) = (at IS NULL))
$end;
CREATE INDEX reminders_of_event ON reminders (event_id, id) WHERE event_id IS NOT NULL;
CREATE INDEX reminders_of_calendar ON reminders (calendar_id, id) WHERE calendar_id IS NOT NULL;
CREATE INDEX reminders_due ON reminders (due_from) WHERE due_from IS NOT NULL;

-- A reminder that was sent for one start of an event, or was not, because its time was over.
CREATE TABLE reminder_runs (
    reminder_id $int NOT NULL REFERENCES reminders ON DELETE CASCADE,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    start_at $int NOT NULL,
    ran_at $int NOT NULL,
    -- Until then, guests who respond late are reminded, too.
    until_at $int NOT NULL,
    -- It was not sent.
    is_late $flag NOT NULL,
    PRIMARY KEY (reminder_id, event_id, start_at)
$end;
CREATE INDEX reminder_runs_of_event ON reminder_runs (event_id);

-- What organisers write to the guests of an event. The deliveries with the cause `message:<id>` are its mails.
CREATE TABLE messages (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX messages_of_event ON messages (event_id, id);
CREATE INDEX messages_by_age ON messages (created_at);
