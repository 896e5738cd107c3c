-- When the background worker and a backup last ran.
-- @needs 0060
CREATE TABLE last_runs (
    task TEXT PRIMARY KEY CHECK (task IN ('worker', 'backup')),
    ran_at $int NOT NULL
$end;
