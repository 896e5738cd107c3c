-- Comments, responses (RSVPs) with capacity and waiting list, and questions to guests.

CREATE TABLE comments (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    -- NULL: a guest without an account.
    user_id $int REFERENCES users ON DELETE SET NULL,
    email_address TEXT NOT NULL,
    -- NULL: not given.
    name TEXT,
    comment TEXT NOT NULL,
    -- The response that was sent with it; NULL: none.
    response TEXT CHECK (response IN ('YES', 'MAYBE', 'NO')),
    approved $flag NOT NULL,
    -- The address in the form in which it is compared.
    email_key TEXT NOT NULL DEFAULT '',
    -- Whether that response waits until the owner of the address confirms it.
    proposed $flag NOT NULL DEFAULT FALSE,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX comments_of_event ON comments (event_id, id);
CREATE INDEX comments_of_user ON comments (user_id);
CREATE INDEX comments_by_address ON comments (event_id, email_key);
-- Comments that wait for approval, of the whole site.
CREATE INDEX comments_that_wait ON comments (id) WHERE NOT approved;

CREATE TABLE responses (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    -- NULL: a guest without an account.
    user_id $int REFERENCES users ON DELETE SET NULL,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- NULL: not given.
    name TEXT,
    response TEXT NOT NULL CHECK (response IN ('YES', 'MAYBE', 'NO')),
    number $int NOT NULL CHECK (number BETWEEN 1 AND 10000),
    plus_n $int NOT NULL CHECK (plus_n BETWEEN 0 AND 10000),
    -- NULL: none.
    comment TEXT,
    opt_in $flag NOT NULL,
    -- Whether it was made by a person who proved that the address is theirs, or by an editor.
    proven $flag NOT NULL DEFAULT FALSE,
    -- Where the event has a capacity: seats that it holds, and those that are offered to it until offer_until (NULL: none are).
    held $int NOT NULL DEFAULT 0 CHECK (held >= 0),
    offered $int NOT NULL DEFAULT 0 CHECK (offered >= 0),
    offer_until $int,
    -- The place in the queue, in microseconds (NULL: it does not wait), and the number of seats for which it was given.
    queued_at $int,
    queued_for $int NOT NULL DEFAULT 0,
    -- The smallest number of people that would still come; NULL: only all of them.
    min_party $int CHECK (min_party >= 1),
    -- Whether an editor let them in beyond the capacity.
    forced $flag NOT NULL DEFAULT FALSE,
    -- How many people an editor has accepted; NULL where editors need not accept responses.
    accepted_for $int,
    -- The personal link is derived from the server's secret, the address and this number: counting it up makes the link void.
    link_version $int NOT NULL DEFAULT 0,
    -- Whether the response to the whole series wrote it. One that the guest gave for this date alone stays as it is.
    by_series $flag NOT NULL DEFAULT FALSE,
    -- Whether an editor added the guest, who then sees a private event by the personal link.
    added $flag NOT NULL DEFAULT FALSE,
    -- Who added the guest: what an editor leaves behind can be withdrawn with the role. NULL: nobody, or their account is deleted.
    added_by $int REFERENCES users ON DELETE SET NULL,
    -- NULL: it is confirmed, or need not be. 0: it does not count until the guest confirms it or an editor accepts it. Else: it holds its
    -- places, or its place in the queue, until then.
    confirm_until $int,
    version $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX responses_event_id_email_key ON responses (event_id, email_key);
CREATE INDEX responses_of_event ON responses (event_id, id);
CREATE INDEX responses_of_user ON responses (user_id, id);
-- The list of an event's guests, by response and by name, and their number. Pages of it read as many entries as they have guests.
CREATE INDEX responses_by_kind ON responses (event_id, response, id, number, plus_n);
CREATE INDEX responses_by_name ON responses (event_id, lower(coalesce(name, email_address)), id, response);
CREATE INDEX responses_offered ON responses (offer_until) WHERE offered > 0;
CREATE INDEX responses_pending ON responses (event_id, id) WHERE response = 'YES' AND accepted_for < number + plus_n;
CREATE INDEX responses_waiting ON responses (event_id, queued_at, id) WHERE queued_at IS NOT NULL AND queued_for > held + offered;
-- The responses that wait for their confirmation: by the time until which they hold places, and those of an event.
CREATE INDEX responses_held_until ON responses (confirm_until) WHERE confirm_until > 0;
CREATE INDEX responses_unconfirmed ON responses (event_id, id) WHERE confirm_until = 0;
CREATE INDEX responses_by_adder ON responses (added_by) WHERE added_by IS NOT NULL;

-- Only for events with settings of their own. What is held, offered and waited for is counted by triggers, so that a response to an event
-- with 50,000 costs what one to an event with ten costs.
CREATE TABLE response_settings (
    event_id $int PRIMARY KEY NOT NULL REFERENCES events ON DELETE CASCADE,
    responses_open $flag NOT NULL,
    -- The last moment to respond; NULL: as for events without settings.
    responses_until $int,
    -- NULL: no limit.
    capacity $int CHECK (capacity BETWEEN 1 AND 1000000),
    waiting_list TEXT NOT NULL CHECK (waiting_list IN ('off', 'auto', 'offer')),
    waiting_order TEXT NOT NULL CHECK (waiting_order IN ('fit', 'strict')),
    show_counts $flag NOT NULL,
    approval $flag NOT NULL,
    offer_hours $int NOT NULL CHECK (offer_hours BETWEEN 1 AND 336),
    -- Seats that are held or offered, and people who wait for one.
    taken $int NOT NULL DEFAULT 0,
    waiting $int NOT NULL DEFAULT 0,
    -- The last place that was given in the queue.
    last_queued_at $int NOT NULL DEFAULT 0,
    -- The most seats that may be taken now: the capacity, or as many as were taken when it was lowered or an editor forced somebody in.
    -- NULL: no limit.
    ceiling $int,
    CHECK (taken <= ceiling)
$end;

-- Seats that the waiting list gave. A guest with an earlier place who did not get them was passed over, since too few were free.
CREATE TABLE seat_grants (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    at $int NOT NULL,
    queued_at $int NOT NULL,
    seats $int NOT NULL,
    free $int NOT NULL
$end;
CREATE INDEX seat_grants_of_event ON seat_grants (event_id, queued_at);

-- How many gave which response: the page of an event with 50,000 responses costs what that of an event with ten costs.
CREATE TABLE response_tallies (
    event_id $int PRIMARY KEY NOT NULL REFERENCES events ON DELETE CASCADE,
    yes $int NOT NULL,
    maybe $int NOT NULL,
    no $int NOT NULL,
    -- The sum of number + plus_n of those who said YES.
    people $int NOT NULL
$end;

-- The response of a guest to a whole series: responses to its dates are written with it, and when the series is extended.
CREATE TABLE series_responses (
    id $id,
    series_id $int NOT NULL REFERENCES series ON DELETE CASCADE,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- NULL: not given.
    name TEXT,
    response TEXT NOT NULL CHECK (response IN ('YES', 'MAYBE', 'NO')),
    number $int NOT NULL,
    plus_n $int NOT NULL,
    -- The first date that it is about.
    from_date TEXT NOT NULL,
    proven $flag NOT NULL,
    -- Whether an editor added the guest, and who (NULL: nobody, or their account is deleted).
    added $flag NOT NULL DEFAULT FALSE,
    added_by $int REFERENCES users ON DELETE SET NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX series_responses_series_id_email_key ON series_responses (series_id, email_key);
CREATE INDEX series_responses_by_adder ON series_responses (added_by) WHERE added_by IS NOT NULL;

-- A response of somebody without proof that counts only when the link in its mail is followed: one for each event and address. `fields` is
-- JSON: what was sent. Links are void when `version` is counted up, since they are then about other fields.
CREATE TABLE proposals (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- JSON: what was sent.
    fields TEXT NOT NULL,
    -- Links are void when it is counted up, since they are then about other fields.
    version $int NOT NULL,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX proposals_event_id_email_key ON proposals (event_id, email_key);
CREATE INDEX proposals_by_age ON proposals (created_at);

-- Of one event, or of all events whose home is the calendar. `options` is JSON: [{"label": …, "limit": …}]. Copies of a question, as the
-- dates of a series have them, share an origin: the id of the first. A question with `ask_if_origin` is asked only if the question of the
-- same event or calendar with that origin is answered with `ask_if_answer`.
CREATE TABLE questions (
    id $id,
    -- One of these is NULL.
    event_id $int REFERENCES events ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    -- NULL: it is no copy.
    origin_id $int,
    label TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('text', 'long', 'one', 'many', 'yes_no', 'number')),
    required $flag NOT NULL,
    per TEXT NOT NULL CHECK (per IN ('party', 'person')),
    options TEXT NOT NULL,
    -- NULL: it is always asked.
    ask_if_origin $int,
    ask_if_answer TEXT,
    keep_days $int NOT NULL CHECK (keep_days BETWEEN 0 AND 3650),
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK ((event_id IS NULL) <> (calendar_id IS NULL)),
    CHECK ((ask_if_origin IS NULL) = (ask_if_answer IS NULL))
$end;
CREATE INDEX questions_of_event ON questions (event_id, id) WHERE event_id IS NOT NULL;
CREATE INDEX questions_of_calendar ON questions (calendar_id, id) WHERE calendar_id IS NOT NULL;

-- What one person answered to a question, as it was asked: a row for each option that they chose.
CREATE TABLE question_answers (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    response_id $int NOT NULL REFERENCES responses ON DELETE CASCADE,
    question_id $int NOT NULL REFERENCES questions ON DELETE CASCADE,
    -- The account of the response; NULL: a guest without one.
    user_id $int REFERENCES users ON DELETE CASCADE,
    -- 0: the guest; others come with the guest. NULL: it was asked of the party.
    person $int CHECK (person BETWEEN 0 AND 20000),
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    answer TEXT NOT NULL,
    -- The end of the event and keep_days of the question; NULL while it is inserted.
    erase_at $int
$end;
CREATE INDEX question_answers_of_response ON question_answers (response_id, id);
CREATE INDEX question_answers_of_event ON question_answers (event_id, question_id, answer);
CREATE INDEX question_answers_of_question ON question_answers (question_id);
CREATE INDEX question_answers_of_user ON question_answers (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX question_answers_expiring ON question_answers (erase_at);
