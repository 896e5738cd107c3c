-- Undos that take several transactions and are not finished: the request that is undone, and the number that all changes of the undo have.
-- If the server stops in between, the worker finishes them.
-- @needs 0091
CREATE TABLE running_undos (
    set_id $int PRIMARY KEY,
    undo_set_id $int NOT NULL,
    actor_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    notify TEXT NOT NULL,
    message TEXT,
    -- When its last step was done.
    at $int NOT NULL
$end;
CREATE INDEX running_undos_of_actor ON running_undos (actor_id);
CREATE INDEX running_undos_by_undo ON running_undos (undo_set_id);
