-- Replies to requests with an Idempotency-Key, stored plainly; the reply is empty if it held a secret. Older rows were masked, so they go.
DROP TABLE kept_answers;
CREATE TABLE idempotent_responses (
    -- Keyed hashes of the key with its owner, and of the request.
    key_hash $bytes PRIMARY KEY NOT NULL,
    request_hash $bytes NOT NULL,
    reply $bytes NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX idempotent_responses_by_age ON idempotent_responses (created_at);
