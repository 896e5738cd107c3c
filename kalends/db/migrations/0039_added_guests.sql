-- Whether an editor added the guest, who then learns the title, the time and the place of a private event by the personal link.
ALTER TABLE responses ADD COLUMN added $flag NOT NULL DEFAULT FALSE;
-- @journal response ON responses (id, event_id, user_id, NULL): id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in, version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party, forced, accepted_for, link_version, by_series, added
ALTER TABLE series_responses ADD COLUMN added $flag NOT NULL DEFAULT FALSE;
