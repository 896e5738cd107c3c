-- What admins have hidden from everybody but its editors: an event, or all dates of a series.
CREATE TABLE hidden_events (
    id $id,
    -- The event that the admin chose.
    event_id $int NOT NULL,
    reason TEXT NOT NULL,
    hidden_at $int NOT NULL
$end;

-- Each hidden event. It is neither public nor seen by its link meanwhile, and its placements grant nothing; the row has what it was before.
-- It outlives the event, so that one that is restored from the trash is still hidden.
CREATE TABLE hidden_dates (
    event_id $int PRIMARY KEY,
    hidden_id $int NOT NULL REFERENCES hidden_events ON DELETE CASCADE,
    public $flag NOT NULL,
    by_link $flag NOT NULL,
    -- The ids of the placements that granted access, delimited by commas.
    granting TEXT NOT NULL
$end;
CREATE INDEX hidden_dates_together ON hidden_dates (hidden_id, event_id);

-- Mail to the editors of an event that an admin has hidden, or shown again.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT
    CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created', 'webhook_created', 'webhook_disabled',
                      'place_granted', 'place_offered', 'place_lapsed', 'response_news', 'response_changed', 'response_removed',
                      'event_hidden', 'event_shown'));
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
