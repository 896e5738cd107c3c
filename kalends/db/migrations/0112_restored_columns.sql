-- What is restored is as it was: an unproven response is open to the browser in which it was made alone, and an invitation stays off the
-- calendar of its guest.
-- @needs 0111
CREATE OR REPLACE JOURNAL OF responses AS response
    KEYS (id, event_id, user_id, NULL)
    COLUMNS (
        id, event_id, user_id, email_address, email_key, name, response, number, plus_n, comment, opt_in,
        version, proven, created_at, updated_at, held, offered, offer_until, queued_at, queued_for, min_party,
        forced, accepted_for, link_version, by_series, added, confirm_until, added_by, browser
    );
CREATE OR REPLACE JOURNAL OF invitations AS event_invitation FOR DELETE
    KEYS (id, event_id, owner_id, NULL)
    COLUMNS (
        id, event_id, series_id, address, email_key, name, message, party_max, state, detail, sequence, mails,
        created_at, updated_at, owner_id, split_from, invited_by, off_calendar
    );
