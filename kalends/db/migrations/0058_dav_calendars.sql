-- The name that a CalDAV client chose for a calendar that it made, and the components that may be in it. Other calendars have their id as
-- their name, and take all components.
CREATE TABLE dav_calendars (
    calendar_id $int PRIMARY KEY REFERENCES calendars ON DELETE CASCADE,
    owner_id $int NOT NULL,
    slug TEXT NOT NULL,
    components TEXT NOT NULL
$end;
CREATE UNIQUE INDEX dav_calendars_by_slug ON dav_calendars (owner_id, slug);

-- The properties that clients of a user have set on a calendar and that no calendar here has: each an element of XML.
CREATE TABLE dav_properties (
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    element TEXT NOT NULL,
    PRIMARY KEY (calendar_id, user_id, name)
$end;
CREATE INDEX dav_properties_of_user ON dav_properties (user_id);
