-- The settings of the site: one row, with NULL for what is not set.
CREATE TABLE site (
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
INSERT INTO site (name) VALUES (NULL);
