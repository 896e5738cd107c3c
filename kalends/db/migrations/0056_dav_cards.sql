-- @needs 0055
-- What CardDAV clients wrote: the name and the file of a card. A contact that no client wrote has no row; its name is made from its id.
-- A row outlives its contact: followers learn the name of what was deleted, and what is restored has its photo again.
CREATE TABLE dav_cards (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    -- NULL for what is kept as a file alone: groups, and cards without a name or an address.
    contact_id $int,
    -- It grows with each file.
    version $int NOT NULL,
    -- The file, compressed; the fields of its contact then, as JSON; and the version that the contact had.
    original $bytes NOT NULL,
    base TEXT NOT NULL,
    contact_version $int NOT NULL,
    written_at $int NOT NULL,
    -- When the card or its contact was deleted. A contact may have been restored since.
    deleted_at $int
$end;
CREATE UNIQUE INDEX dav_cards_by_name ON dav_cards (user_id, name);
CREATE UNIQUE INDEX dav_cards_of_contact ON dav_cards (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX dav_cards_by_uid ON dav_cards (user_id, uid);
CREATE INDEX dav_cards_alone ON dav_cards (user_id) WHERE contact_id IS NULL;
CREATE INDEX dav_cards_deleted ON dav_cards (deleted_at) WHERE deleted_at IS NOT NULL;

-- @sync INSERT ON dav_cards: INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'card', NEW.id)
-- @sync UPDATE ON dav_cards: INSERT INTO sync_entries (user_id, kind, record_id) VALUES (NEW.user_id, 'card', NEW.id)
-- @sync DELETE ON contacts AS card WHEN OLD.service IS NULL: UPDATE dav_cards SET deleted_at = $now WHERE user_id = OLD.user_id AND contact_id = OLD.id
