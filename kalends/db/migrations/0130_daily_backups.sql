-- One row: the daily backup of the worker (KALENDS_BACKUP). Several workers agree by it who takes the backup.
-- @needs 0112
CREATE TABLE daily_backups (
    id $int PRIMARY KEY CHECK (id = 1),
    -- When a worker began the last one.
    began_at $int NOT NULL,
    -- When the last one failed, and why; NULL: it did not.
    failed_at $int,
    error TEXT
$end;
