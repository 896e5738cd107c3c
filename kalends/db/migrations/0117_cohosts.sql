-- People who may edit one event, and not its calendar.
-- @needs 0112
CREATE TABLE cohosts (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    -- NULL: nobody has verified the address yet.
    user_id $int REFERENCES users ON DELETE CASCADE,
    -- NULL: they were added by their user name.
    email_address TEXT,
    email_key TEXT,
    -- Whether later dates of the series have them, too.
    by_series $flag NOT NULL,
    -- NULL: the account of the person who added them is deleted.
    added_by $int REFERENCES users ON DELETE SET NULL,
    created_at $int NOT NULL,
    CHECK (user_id IS NOT NULL OR email_key IS NOT NULL)
$end;
CREATE UNIQUE INDEX cohosts_by_name ON cohosts (event_id, user_id) WHERE email_key IS NULL;
CREATE UNIQUE INDEX cohosts_by_address ON cohosts (event_id, email_key);
CREATE INDEX cohosts_of_user ON cohosts (user_id, event_id);
CREATE INDEX cohosts_without_account ON cohosts (email_key) WHERE user_id IS NULL;
CREATE INDEX cohosts_added_by ON cohosts (added_by) WHERE added_by IS NOT NULL;

-- To whom an address belongs is not recorded.
CREATE JOURNAL OF cohosts AS cohost
    KEYS (id, event_id, NULL, NULL)
    COLUMNS (id, event_id, user_id, by_series, added_by, created_at)
    WHEN row.email_key IS NULL;
