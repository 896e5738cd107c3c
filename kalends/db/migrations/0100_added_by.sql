-- Who added a guest to an event or a series: what an editor leaves behind can be withdrawn with the role. Of those who were added already,
-- the event's owner.
-- @needs 0097
ALTER TABLE responses ADD COLUMN added_by $int REFERENCES users ON DELETE SET NULL;
ALTER TABLE series_responses ADD COLUMN added_by $int REFERENCES users ON DELETE SET NULL;
UPDATE responses SET added_by = (SELECT u.id FROM events e JOIN users u ON u.id = e.owner_id WHERE e.id = responses.event_id) WHERE added;
UPDATE series_responses SET added_by = (
    SELECT min(u.id) FROM events e JOIN users u ON u.id = e.owner_id WHERE e.series_id = series_responses.series_id
) WHERE added;
CREATE OR REPLACE JOURNAL OF responses AS response
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in,
        version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party,
        forced, accepted_for, link_version, by_series, added, confirm_until, added_by
    );
