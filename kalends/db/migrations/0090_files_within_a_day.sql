-- @needs 0078
-- Whether the rule of a file has times of its own, so that a day may have several occurrences: its times are found in the file.
ALTER TABLE dav_resources ADD COLUMN within_day $flag NOT NULL DEFAULT FALSE;
CREATE INDEX dav_resources_within_day ON dav_resources (calendar_id) WHERE within_day;
