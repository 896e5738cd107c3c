-- Whether the response that was sent with a comment waits until the owner of the address confirms it.
-- @needs 0082
ALTER TABLE comments ADD COLUMN proposed $flag NOT NULL DEFAULT FALSE;
CREATE OR REPLACE JOURNAL OF comments AS comment
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, comment, response, approved, created_at,
        updated_at, proposed
    );
