-- Whether guests in the files that programs write to a calendar are invited (RFC 6638).
-- @needs 0094
ALTER TABLE calendars ADD COLUMN scheduling TEXT NOT NULL DEFAULT 'on' CHECK (scheduling IN ('on', 'off'));
CREATE OR REPLACE JOURNAL OF calendars AS calendar
    KEYS (id, NULL, owner_id, id)
    COLUMNS (
        id, owner_id, name, description, color, time_zone, public, moderation, is_primary, party_max,
        confirmations, confirm_responses, created_at, updated_at, confirm_above, hold_minutes, scheduling
    );
