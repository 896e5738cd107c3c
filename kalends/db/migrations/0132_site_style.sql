-- An introduction on the start page, and a style sheet of the site's own.
-- @needs 0112
-- Markdown; NULL: there is none.
ALTER TABLE site ADD COLUMN introduction TEXT;
-- The digest of the style sheet in force; NULL: there is none.
ALTER TABLE site ADD COLUMN style TEXT;

-- Style sheets by their digests, which are in their URLs: the one in force, and drafts that an admin looks at.
CREATE TABLE site_styles (
    digest TEXT PRIMARY KEY,
    css TEXT NOT NULL,
    created_at $int NOT NULL
$end;
