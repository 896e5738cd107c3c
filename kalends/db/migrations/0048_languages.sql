-- How a user reads pages and mail. Empty: as the browser says, and for mail as the site is set.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN hour_cycle TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN week_start TEXT NOT NULL DEFAULT '';
