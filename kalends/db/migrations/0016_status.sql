-- Whether an event takes place, and the addresses of public events that were deleted.

ALTER TABLE events ADD COLUMN status TEXT NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'cancelled', 'postponed'));
-- Why it is cancelled or postponed.
ALTER TABLE events ADD COLUMN status_note TEXT CHECK (status_note IS NULL OR status <> 'planned');
CREATE INDEX events_not_planned_in_public ON events (start_at, id) WHERE public AND status <> 'planned';

CREATE TABLE deleted_events (
    event_id $int PRIMARY KEY NOT NULL,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    title TEXT NOT NULL,
    note TEXT,
    deleted_at $int NOT NULL
$end;
CREATE INDEX deleted_events_of_owner ON deleted_events (owner_id);
CREATE INDEX deleted_events_by_age ON deleted_events (deleted_at);
