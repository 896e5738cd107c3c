-- Responses to series. The standing response of an address; a row of each date is written with it, and when the series is extended.
CREATE TABLE series_responses (
    id $id,
    series_id $int NOT NULL REFERENCES series ON DELETE CASCADE,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT,
    response TEXT NOT NULL CHECK (response IN ('YES', 'MAYBE', 'NO')),
    number $int NOT NULL,
    plus_n $int NOT NULL,
    -- The first date that it is about.
    from_date TEXT NOT NULL,
    proven $flag NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX series_responses_series_id_email_key ON series_responses (series_id, email_key);

-- Whether a standing response wrote it. The date's own response is left alone by standing ones.
ALTER TABLE responses ADD COLUMN by_series $flag NOT NULL DEFAULT FALSE;
-- @journal response ON responses (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in, version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party, forced, accepted_for, link_version, by_series
