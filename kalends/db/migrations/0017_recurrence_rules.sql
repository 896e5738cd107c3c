-- The canonical RRULE of each series (RFC 5545), whose UNTIL is the last local day; `frequency` and `step` repeat parts of it. And the dates
-- that were added to it, as 2026-05-11,2026-05-18.
ALTER TABLE series ADD COLUMN rrule TEXT NOT NULL DEFAULT '';
ALTER TABLE series ADD COLUMN also TEXT NOT NULL DEFAULT '';
UPDATE series SET rrule = 'FREQ=' || frequency || CASE WHEN step > 1 THEN ';INTERVAL=' || CAST(step AS TEXT) ELSE '' END
    || CASE WHEN end_date IS NULL THEN '' ELSE ';UNTIL=' || replace(end_date, '-', '') END;
