-- Answers to POSTs under an Idempotency-Key, for those who ask again: hidden by the key, which is kept nowhere.
CREATE TABLE kept_answers (
    name $bytes PRIMARY KEY NOT NULL,
    request $bytes NOT NULL,
    reply $bytes NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX kept_answers_by_age ON kept_answers (created_at);
