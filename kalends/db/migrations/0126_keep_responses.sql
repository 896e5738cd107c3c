-- For how many days after an event a calendar keeps who its guests were.
-- @needs 0125
ALTER TABLE calendars ADD COLUMN keep_responses_days $int CHECK (keep_responses_days BETWEEN 1 AND 3650);
CREATE OR REPLACE JOURNAL OF calendars AS calendar
    KEYS (id, NULL, owner_id, id)
    COLUMNS (
        id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max,
        confirmations, confirm_responses, created_at, updated_at, confirm_above, hold_minutes, scheduling, keep_responses_days
    );
CREATE INDEX calendars_that_forget ON calendars (id) WHERE keep_responses_days IS NOT NULL;

-- When a worker last looked for guests whose days are over.
CREATE TABLE forgetting_runs (
    calendar_id $int PRIMARY KEY NOT NULL REFERENCES calendars ON DELETE CASCADE,
    checked_at $int NOT NULL
$end;
