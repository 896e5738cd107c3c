-- The language in which a guest last wrote from an address, for the mail to it.
CREATE TABLE recipient_languages (
    address_key TEXT PRIMARY KEY,
    language TEXT NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX recipient_languages_updated_at ON recipient_languages (updated_at);
