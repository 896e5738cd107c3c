-- Online events, prices and coordinates. `online_url` and the place are what everybody may know who sees the event; what only its guests or
-- the members of its calendars may know is in `withheld`, so that no list, search or feed can tell it by mistake.
-- @needs 0112

-- The address of a call or a stream, and who may know it.
ALTER TABLE events ADD COLUMN online_for TEXT NOT NULL DEFAULT 'going' CHECK (online_for IN ('everyone', 'going', 'members'));
-- NULL: none, or not for everyone.
ALTER TABLE events ADD COLUMN online_url TEXT CHECK (online_url IS NULL OR online_for = 'everyone');
-- Who may know the exact place; all others know its city.
ALTER TABLE events ADD COLUMN place_for TEXT NOT NULL DEFAULT 'everyone' CHECK (place_for IN ('everyone', 'going', 'members'));
-- The link and the place that not everyone may know, as JSON; NULL: nothing is withheld.
ALTER TABLE events ADD COLUMN withheld TEXT CHECK (withheld IS NULL OR online_for <> 'everyone' OR place_for <> 'everyone');
-- What it costs, in words; NULL: not said.
ALTER TABLE events ADD COLUMN price TEXT;
-- Where tickets are sold; NULL: nowhere.
ALTER TABLE events ADD COLUMN ticket_url TEXT;
-- Where it is, in millionths of a degree; NULL: not known, or not for everyone.
ALTER TABLE events ADD COLUMN latitude $int CHECK (latitude BETWEEN -90000000 AND 90000000);
ALTER TABLE events ADD COLUMN longitude $int
    CHECK ((longitude IS NULL) = (latitude IS NULL) AND (longitude IS NULL OR longitude BETWEEN -180000000 AND 180000000));

CREATE OR REPLACE JOURNAL OF events AS event
    KEYS (id, id, owner_id, calendar_id)
    COLUMNS (
        id, owner_id, calendar_id, title, description, start_at, end_at, until_at, all_day, time_zone, location,
        location_name, street, city, state, zip, country, image_url, tags, public, by_link, link_number,
        series_id, slot, edited, version, created_at, updated_at, uid, party_max, status, status_note, image_alt,
        online_url, online_for, place_for, withheld, price, ticket_url, latitude, longitude
    );

-- Who comes may know more than before, and who does not come any more less: devices read such an event again.
CREATE TRIGGER responses_sync_withheld_insert AFTER INSERT ON responses
WHEN NEW.response = 'YES'
BEGIN
    UPDATE events SET updated_at = CASE WHEN updated_at < $now THEN $now ELSE updated_at + 1 END
    WHERE id = NEW.event_id AND withheld IS NOT NULL;
END;

CREATE TRIGGER responses_sync_withheld_update
    AFTER UPDATE OF response, proven, held, accepted_for, confirm_until, queued_at, offer_until, email_key ON responses
WHEN OLD.response = 'YES' OR NEW.response = 'YES'
BEGIN
    UPDATE events SET updated_at = CASE WHEN updated_at < $now THEN $now ELSE updated_at + 1 END
    WHERE id = NEW.event_id AND withheld IS NOT NULL;
END;

CREATE TRIGGER responses_sync_withheld_delete AFTER DELETE ON responses
WHEN OLD.response = 'YES'
BEGIN
    UPDATE events SET updated_at = CASE WHEN updated_at < $now THEN $now ELSE updated_at + 1 END
    WHERE id = OLD.event_id AND withheld IS NOT NULL;
END;
