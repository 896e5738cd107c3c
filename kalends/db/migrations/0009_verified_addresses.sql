-- When a user proved that the e-mail address is theirs, by following a link that was mailed to it.

ALTER TABLE users ADD COLUMN verified_at $int;
