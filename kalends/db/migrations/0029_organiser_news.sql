-- Mail to organisers about new responses and comments.
ALTER TABLE users ADD COLUMN response_notices TEXT NOT NULL DEFAULT 'daily' CHECK (response_notices IN ('at_once', 'daily', 'off'));

-- What the owner of an event is told of at `due_at`. The message `delivery_id` is about it; NULL: there is none yet.
CREATE TABLE organiser_news (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    response_id $int REFERENCES responses ON DELETE CASCADE,
    comment_id $int REFERENCES comments ON DELETE CASCADE,
    at $int NOT NULL,
    due_at $int NOT NULL,
    delivery_id $int REFERENCES deliveries ON DELETE CASCADE,
    CHECK ((response_id IS NULL) <> (comment_id IS NULL))
$end;
CREATE INDEX organiser_news_due ON organiser_news (due_at) WHERE delivery_id IS NULL;
CREATE INDEX organiser_news_of_owner ON organiser_news (owner_id, due_at);
-- Changes of a response before the message are told once.
CREATE UNIQUE INDEX organiser_news_untold ON organiser_news (owner_id, response_id) WHERE delivery_id IS NULL;
CREATE INDEX organiser_news_of_response ON organiser_news (response_id) WHERE response_id IS NOT NULL;
CREATE INDEX organiser_news_of_comment ON organiser_news (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX organiser_news_of_delivery ON organiser_news (delivery_id) WHERE delivery_id IS NOT NULL;

-- Notices of one more kind.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT
    CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created', 'webhook_created', 'webhook_disabled',
                      'place_granted', 'place_offered', 'place_lapsed', 'response_news'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
