-- A reply that is stored under an Idempotency-Key is replayed while its reader sees what they saw when it was stored: a hash of that. Rows
-- without one are not replayed.
-- @needs 0097
ALTER TABLE idempotent_responses ADD COLUMN access_hash $bytes;
