-- Mail to guests about what an editor changed, and the responses that an editor has to accept.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT
    CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created', 'webhook_created', 'webhook_disabled',
                      'place_granted', 'place_offered', 'place_lapsed', 'response_news', 'response_changed', 'response_removed'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
CREATE INDEX responses_pending ON responses (event_id, id) WHERE response = 'YES' AND accepted_for < number + plus_n;
