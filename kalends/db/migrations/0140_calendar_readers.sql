-- Which programs fetch the feed of a calendar: their names alone, and nothing of who uses them.
-- @needs 0112

CREATE TABLE calendar_readers (
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    program TEXT NOT NULL,
    fetches $int NOT NULL,
    first_at $int NOT NULL,
    last_at $int NOT NULL,
    PRIMARY KEY (calendar_id, program)
$end;
