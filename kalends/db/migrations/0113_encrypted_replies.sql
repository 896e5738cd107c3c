-- Replies that are stored under an Idempotency-Key are encrypted from now on. Those from before count as not stored: a request that is
-- repeated is not done again, and gets 409.
UPDATE idempotent_responses SET reply = CAST('' AS $bytes);
