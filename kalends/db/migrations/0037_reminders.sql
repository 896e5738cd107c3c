-- Reminders of events, and what was done about each.

-- Of one event; or of all events whose home is the calendar, unless they have reminders of their own. Either `before` (minutes before the
-- start) or `days_before` and `at` (a minute of the day, on the event's clock). `audience` is delimited by commas; if it is empty, nobody
-- is reminded. Copies of a reminder, as the dates of a series have them, share an origin: the id of the first, which has none itself.
-- `due_from`, of an event's reminder: it is not due before. The exact time follows from the event's time zone, which no database computes.
CREATE TABLE reminders (
    id $id,
    event_id $int REFERENCES events ON DELETE CASCADE,
    calendar_id $int REFERENCES calendars ON DELETE CASCADE,
    origin_id $int,
    before $int CHECK (before BETWEEN 5 AND 86400),
    days_before $int CHECK (days_before BETWEEN 0 AND 60),
    at $int CHECK (at BETWEEN 0 AND 1439),
    audience TEXT NOT NULL,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    text TEXT,
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

-- A reminder that was sent for one start of an event, or (is_late) was not, because its time was over. Until `until_at` those who respond
-- late are reminded, too.
CREATE TABLE reminder_runs (
    reminder_id $int NOT NULL REFERENCES reminders ON DELETE CASCADE,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    start_at $int NOT NULL,
    ran_at $int NOT NULL,
    until_at $int NOT NULL,
    is_late $flag NOT NULL,
    PRIMARY KEY (reminder_id, event_id, start_at)
$end;
CREATE INDEX reminder_runs_of_event ON reminder_runs (event_id);

-- @journal reminder ON reminders (id, event_id, NULL, calendar_id): id, event_id, calendar_id, origin_id, before, days_before, at, audience, channel, text, created_at, updated_at
-- @sync INSERT ON reminders AS due WHEN NEW.event_id IS NOT NULL: UPDATE reminders SET due_from = (SELECT e.start_at FROM events e WHERE e.id = NEW.event_id) - coalesce(60 * before, 86400 * days_before + 93600 - 60 * at) - CASE channel WHEN 'sms' THEN 43200 ELSE 0 END WHERE id = NEW.id
-- @sync UPDATE OF before, days_before, at, channel ON reminders AS due_update WHEN NEW.event_id IS NOT NULL: UPDATE reminders SET due_from = (SELECT e.start_at FROM events e WHERE e.id = NEW.event_id) - coalesce(60 * before, 86400 * days_before + 93600 - 60 * at) - CASE channel WHEN 'sms' THEN 43200 ELSE 0 END WHERE id = NEW.id
-- @sync UPDATE OF start_at ON events AS reminders WHEN OLD.start_at <> NEW.start_at: UPDATE reminders SET due_from = due_from + NEW.start_at - OLD.start_at WHERE event_id = NEW.id
