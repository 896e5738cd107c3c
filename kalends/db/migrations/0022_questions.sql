-- Questions to those who come, and what they answered.

-- Of one event, or of all events whose home is the calendar. `options` is JSON: [{"label": …, "limit": …}]. Copies of a question, as the
-- dates of a series have them, share an origin: the id of the first, which has none itself. A question with `ask_if_origin` is asked only
-- if the question of the same event or calendar with that origin is answered with `ask_if_answer`.
CREATE TABLE questions (
    id $id,
    event_id $int REFERENCES events ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    origin_id $int,
    label TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('text', 'long', 'one', 'many', 'yes_no', 'number')),
    required $flag NOT NULL,
    per TEXT NOT NULL CHECK (per IN ('party', 'person')),
    options TEXT NOT NULL,
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

-- What one person answered to a question, as it was asked: a row for each option that they chose. Person 0 is the guest; NULL: it was
-- asked of the party. `user_id` is the account of the response. `erase_at` follows from the end of the event and the question's keep_days.
CREATE TABLE question_answers (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    response_id $int NOT NULL REFERENCES responses ON DELETE CASCADE,
    question_id $int NOT NULL REFERENCES questions ON DELETE CASCADE,
    user_id $int REFERENCES users ON DELETE CASCADE,
    person $int CHECK (person BETWEEN 0 AND 20000),
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    answer TEXT NOT NULL,
    erase_at $int
$end;
CREATE INDEX question_answers_of_response ON question_answers (response_id, id);
CREATE INDEX question_answers_of_event ON question_answers (event_id, question_id, answer);
CREATE INDEX question_answers_of_question ON question_answers (question_id);
CREATE INDEX question_answers_of_user ON question_answers (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX question_answers_expiring ON question_answers (erase_at);

-- @journal question ON questions (id, event_id, NULL, calendar_id): id, event_id, calendar_id, origin_id, label, kind, required, per, options, ask_if_origin, ask_if_answer, keep_days, created_at, updated_at
-- @journal answer ON question_answers (id, event_id, user_id, NULL): id, event_id, response_id, question_id, user_id, person, label, kind, answer
-- @sync INSERT ON question_answers AS expiry: UPDATE question_answers SET erase_at = (SELECT e.until_at FROM events e WHERE e.id = NEW.event_id) + 86400 * (SELECT q.keep_days FROM questions q WHERE q.id = NEW.question_id) WHERE id = NEW.id
-- @sync UPDATE ON events AS expiry WHEN OLD.until_at <> NEW.until_at: UPDATE question_answers SET erase_at = erase_at + NEW.until_at - OLD.until_at WHERE event_id = NEW.id
-- @sync UPDATE ON questions AS expiry WHEN OLD.keep_days <> NEW.keep_days: UPDATE question_answers SET erase_at = erase_at + 86400 * (NEW.keep_days - OLD.keep_days) WHERE question_id = NEW.id
