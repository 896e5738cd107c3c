-- Notices to guests of what changed: the changes of some minutes are one message, from the first old to the last new values.

CREATE TABLE change_notices (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- What the organiser adds to it.
    message TEXT,
    due_at $int NOT NULL,
    -- When a worker began to send it: later changes are another notice.
    closed_at $int
$end;
CREATE INDEX change_notices_of_owner ON change_notices (owner_id);
CREATE INDEX change_notices_by_age ON change_notices (due_at);

-- The events of a notice as they were before its first change (JSON), and as they were when it was closed (NULL: deleted).
-- An event that was deleted may be restored with its id, so event_id does not refer to it.
CREATE TABLE changed_events (
    notice_id $int NOT NULL REFERENCES change_notices ON DELETE CASCADE,
    event_id $int NOT NULL,
    -- Whether a change of any field is told, or only those that guests must know of.
    tells_all $flag NOT NULL,
    old TEXT NOT NULL,
    new TEXT,
    PRIMARY KEY (notice_id, event_id)
$end;
CREATE INDEX changed_events_of_event ON changed_events (event_id);
