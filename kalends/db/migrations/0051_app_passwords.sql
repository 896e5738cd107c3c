-- A key of the kind `dav` is an app password: a device signs in with it to CalDAV, and it opens nothing else.
ALTER TABLE keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'api' CHECK (kind IN ('api', 'dav'));
