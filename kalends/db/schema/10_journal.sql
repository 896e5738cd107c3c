-- The journal: who changed what, and how it was before. Triggers write it, so that no change can be missed.

-- One row for each changed row. `before` is the row as it was, as JSON without derived columns; for a new one NULL, or the row if it has
-- no id. What it was changed to is the `before` of the next change, or the row itself. The changes of one request have the same set_id.
CREATE TABLE changes (
    id $id,
    set_id $int NOT NULL,
    at $int NOT NULL,
    -- NULL: a guest or the worker. The account may have been deleted since.
    actor_id $int,
    via TEXT NOT NULL,
    -- NULL: it was no request.
    request_id TEXT,
    kind TEXT NOT NULL,
    record_id $int NOT NULL,
    -- What the record belongs to; NULL: to none.
    event_id $int,
    owner_id $int,
    calendar_id $int,
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')),
    before TEXT
$end;
CREATE INDEX changes_of_set ON changes (set_id);
-- Each insertion of an event pays for each index, so a record is found by its event if it has one.
CREATE INDEX changes_of_event ON changes (event_id, id) WHERE event_id IS NOT NULL;
CREATE INDEX changes_of_record ON changes (record_id, kind, id) WHERE event_id IS NULL;
-- What was deleted, by owner and by calendar, in the order of the requests that deleted it: the trash finds each request by one search.
CREATE INDEX changes_of_owner_by_request ON changes (owner_id, kind, set_id, id) WHERE op = 'delete' AND owner_id IS NOT NULL;
CREATE INDEX changes_of_calendar_by_request ON changes (calendar_id, kind, set_id, id) WHERE op = 'delete' AND calendar_id IS NOT NULL;
-- The history of the responses and comments of an account, which goes with the account.
CREATE INDEX changes_of_guest ON changes (owner_id) WHERE owner_id IS NOT NULL AND kind IN ('response', 'comment');

-- One row: the author of the running transaction, for the triggers of SQLite. Those of PostgreSQL read a setting of the transaction.
CREATE TABLE change_author (
    set_id $int NOT NULL,
    at $int NOT NULL,
    -- NULL: a guest or the worker.
    actor_id $int,
    via TEXT NOT NULL,
    -- NULL: it is no request.
    request_id TEXT,
    transaction_id $int NOT NULL DEFAULT 0
$end;
INSERT INTO change_author (set_id, at, via) VALUES (0, 0, 'database');

-- Undos that take several transactions and are not finished. If the server stops in between, the worker finishes them.
CREATE TABLE running_undos (
    -- The request that is undone, and the number that all changes of the undo have.
    set_id $int PRIMARY KEY,
    undo_set_id $int NOT NULL,
    actor_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    notify TEXT NOT NULL,
    -- NULL: none.
    message TEXT,
    -- When its last step was done.
    at $int NOT NULL
$end;
CREATE INDEX running_undos_of_actor ON running_undos (actor_id);
CREATE INDEX running_undos_by_undo ON running_undos (undo_set_id);

CREATE JOURNAL OF events AS event
    KEYS (id, id, owner_id, calendar_id)
    COLUMNS (
        id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location,
        location_name, street, city, state, zip, country, image_url, tags, public, by_link, link_number,
        series_id, slot, edited, version, created_at, updated_at, uid, party_max, status, status_note, image_alt
    );

-- The placement of a new event and that of an invited guest are not recorded: they follow from the event and from the invitation.
CREATE JOURNAL OF placements AS placement
    KEYS (id, event_id, NULL, calendar_id)
    COLUMNS (id, event_id, calendar_id, grants, granted_by, by_invitation, created_at)
    INSERT WHEN NOT (row.grants AND row.granted_by IS NULL) AND NOT row.by_invitation;

CREATE JOURNAL OF series AS series
    KEYS (id, NULL, NULL, NULL)
    COLUMNS (id, start_date, end_date, clock, made_until, uid, rrule, also);

CREATE JOURNAL OF series_exceptions AS exception
    KEYS (series_id, NULL, NULL, NULL)
    COLUMNS (series_id, slot);

CREATE JOURNAL OF comments AS comment
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, comment, response, approved, created_at,
        updated_at, proposed
    );

CREATE JOURNAL OF responses AS response
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in,
        version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party,
        forced, accepted_for, link_version, by_series, added, confirm_until, added_by
    );

CREATE JOURNAL OF contacts AS contact
    KEYS (id, NULL, user_id, NULL)
    COLUMNS (
        id, user_id, first_name, last_name, phone_number, phone_e164, email_address, email_key, birthday,
        gender, country, zip_code, tags, unique_id, service, expires_at, version, created_at, updated_at
    )
    WHEN row.service IS NULL;

CREATE JOURNAL OF calendars AS calendar
    KEYS (id, NULL, owner_id, id)
    COLUMNS (
        id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max,
        confirmations, confirm_responses, created_at, updated_at, confirm_above, hold_minutes, scheduling
    );

-- See calendar_shares.created_at.
CREATE JOURNAL OF calendar_shares AS share
    KEYS (calendar_id, NULL, user_id, calendar_id)
    COLUMNS (calendar_id, user_id, role, created_at)
    WHEN row.created_at > 0;

-- That someone declines an invitation is not recorded: their address would be known to have an account.
CREATE JOURNAL OF calendar_invitations AS invitation
    KEYS (id, NULL, user_id, calendar_id)
    COLUMNS (id, calendar_id, user_id, email_address, email_key, role, declined, created_at);

CREATE JOURNAL OF questions AS question
    KEYS (id, event_id, NULL, calendar_id)
    COLUMNS (
        id, event_id, calendar_id, origin_id, label, kind, required, per, options, ask_if_origin, ask_if_answer,
        keep_days, created_at, updated_at
    );

CREATE JOURNAL OF question_answers AS answer
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (id, event_id, response_id, question_id, user_id, person, label, kind, answer);

CREATE JOURNAL OF response_settings AS settings
    KEYS (event_id, event_id, NULL, NULL)
    COLUMNS (
        event_id, responses_open, responses_until, capacity, waiting_list, waiting_order, show_counts, approval,
        offer_hours
    );

CREATE JOURNAL OF reminders AS reminder
    KEYS (id, event_id, NULL, calendar_id)
    COLUMNS (
        id, event_id, calendar_id, origin_id, before, days_before, at, audience, channel, text, created_at,
        updated_at
    );

-- Deletions alone: what was mailed cannot be undone.
CREATE JOURNAL OF invitations AS event_invitation FOR DELETE
    KEYS (id, event_id, owner_id, NULL)
    COLUMNS (
        id, event_id, series_id, address, email_key, name, message, party_max, state, detail, sequence, mails,
        created_at, updated_at, owner_id, split_from, invited_by
    );
