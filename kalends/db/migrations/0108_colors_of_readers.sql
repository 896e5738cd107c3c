-- The colours that people have chosen for calendars that are shared with them.
-- @needs 0107
CREATE TABLE calendar_colors (
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    color TEXT NOT NULL,
    PRIMARY KEY (user_id, calendar_id)
$end;
CREATE INDEX calendar_colors_of_calendar ON calendar_colors (calendar_id);
