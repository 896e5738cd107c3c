-- What CalDAV and CardDAV clients wrote that has no place in the other tables.

-- The name that a client chose for a calendar that it created, and the components that may be in it. Other calendars have their id as
-- their name, and take all components. What clients wrote outlives its calendar for as long as that can be restored, so calendar_id does
-- not refer to it, here and below.
CREATE TABLE dav_calendars (
    calendar_id $int PRIMARY KEY,
    owner_id $int NOT NULL,
    slug TEXT NOT NULL,
    components TEXT NOT NULL
$end;
CREATE UNIQUE INDEX dav_calendars_by_slug ON dav_calendars (owner_id, slug);

-- The properties that clients of a user have set on a calendar and that no calendar here has: each an XML element.
CREATE TABLE dav_properties (
    calendar_id $int NOT NULL,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    element TEXT NOT NULL,
    PRIMARY KEY (calendar_id, user_id, name)
$end;
CREATE INDEX dav_properties_of_user ON dav_properties (user_id);

-- What CalDAV clients wrote: the name and the file of a resource. An event or a series that no client wrote has no row; its name is made
-- from its id.
CREATE TABLE dav_resources (
    id $id,
    calendar_id $int NOT NULL,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    component TEXT NOT NULL,
    -- It grows with each file.
    version $int NOT NULL,
    -- The file, what the service itself wrote of its events then, and the versions that these had; both compressed.
    original $bytes NOT NULL,
    base $bytes NOT NULL,
    state TEXT NOT NULL,
    -- False for what is kept as a file alone: tasks, and rules that no series here can have.
    has_events $flag NOT NULL,
    gone $flag NOT NULL,
    -- Counts what the organiser writes: the Schedule-Tag stays as it is when guests reply (RFC 6638).
    schedule_version $int NOT NULL DEFAULT 0,
    -- Whether the rule of a file has times of its own, so that a day may have several occurrences: its times are found in the file.
    within_day $flag NOT NULL DEFAULT FALSE,
    written_at $int NOT NULL
$end;
CREATE UNIQUE INDEX dav_resources_by_name ON dav_resources (calendar_id, name);
CREATE INDEX dav_resources_by_uid ON dav_resources (calendar_id, uid);
CREATE INDEX dav_resources_alone ON dav_resources (calendar_id) WHERE NOT has_events;
CREATE INDEX dav_resources_within_day ON dav_resources (calendar_id) WHERE within_day;

-- The events and series that a resource became. These rows outlive them: followers learn the name of what was deleted, and what is
-- restored has its name again.
CREATE TABLE dav_parts (
    resource_id $int NOT NULL REFERENCES dav_resources ON DELETE CASCADE,
    calendar_id $int NOT NULL,
    -- One of these is NULL.
    event_id $int,
    series_id $int
$end;
CREATE INDEX dav_parts_of_resource ON dav_parts (resource_id);
CREATE INDEX dav_parts_of_event ON dav_parts (calendar_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX dav_parts_of_series ON dav_parts (calendar_id, series_id) WHERE series_id IS NOT NULL;

-- The invitations in the inbox of a user, which stay until a client deletes them there.
CREATE TABLE dav_messages (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX dav_messages_of_user ON dav_messages (user_id, invitation_id);
CREATE INDEX dav_messages_of_invitation ON dav_messages (invitation_id);

-- The address books that clients created. The one that every user has is the list of contacts: it has the id 0, and no row.
CREATE TABLE dav_books (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    slug TEXT NOT NULL
$end;
CREATE UNIQUE INDEX dav_books_by_slug ON dav_books (user_id, slug);

-- The properties that clients have set on an address book, its name among them: each an XML element.
CREATE TABLE dav_book_properties (
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    book_id $int NOT NULL,
    name TEXT NOT NULL,
    element TEXT NOT NULL,
    PRIMARY KEY (user_id, book_id, name)
$end;

-- What CardDAV clients wrote: the name and the file of a card. A contact that no client wrote has no row; its name is made from its id. A
-- row outlives its contact: followers learn the name of what was deleted, and what is restored has its photo again.
CREATE TABLE dav_cards (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    -- NULL: it is kept as a file alone: a group, or a card without a name or an address.
    contact_id $int,
    -- It grows with each file.
    version $int NOT NULL,
    -- The file, compressed; the fields of its contact then, as JSON; and the version that the contact had.
    original $bytes NOT NULL,
    base TEXT NOT NULL,
    contact_version $int NOT NULL,
    written_at $int NOT NULL,
    -- When the card or its contact was deleted; NULL: it was not. The contact may have been restored since.
    deleted_at $int,
    -- 0: the list of contacts.
    book_id $int NOT NULL DEFAULT 0
$end;
CREATE UNIQUE INDEX dav_cards_of_contact ON dav_cards (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX dav_cards_by_uid ON dav_cards (user_id, uid);
CREATE INDEX dav_cards_alone ON dav_cards (user_id) WHERE contact_id IS NULL;
CREATE INDEX dav_cards_deleted ON dav_cards (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX dav_cards_by_name ON dav_cards (user_id, book_id, name);
