-- The latest news of an organiser, for the bell in the header.
-- @needs 0105
-- @concurrently
CREATE INDEX organiser_news_in_order ON organiser_news (owner_id, id);
