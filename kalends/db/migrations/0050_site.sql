-- The settings of the site: one row as soon as an admin has set something, with NULL for what is not set.
CREATE TABLE site (
    id $int PRIMARY KEY CHECK (id = 1),
    name TEXT,
    headline TEXT,
    tagline TEXT,
    logo TEXT,
    accent_color TEXT,
    time_zone TEXT,
    language TEXT,
    imprint_url TEXT,
    privacy_url TEXT,
    registration TEXT CHECK (registration IN ('open', 'invitation', 'approval', 'closed'))
$end;
