-- The address book of a user.

-- Contacts of a user, and those imported from another service that wait to be kept.
CREATE TABLE contacts (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- NULL: not given; so are the other texts.
    first_name TEXT,
    last_name TEXT,
    phone_number TEXT,
    -- The number as it is dialled; NULL: it cannot be read as one.
    phone_e164 TEXT,
    email_address TEXT,
    email_key TEXT,
    birthday TEXT,
    gender TEXT CHECK (gender IN ('male', 'female')),
    country TEXT,
    zip_code TEXT,
    tags TEXT NOT NULL,
    -- An id that the user gave it; NULL: none.
    unique_id TEXT,
    -- Where an entry of the temporary list came from, and when it is deleted; NULL: it is kept.
    service TEXT CHECK (service IN ('google', 'outlook', 'yahoo')),
    expires_at $int,
    search TEXT NOT NULL,
    -- The folded name as bytes, which both databases put in the same order.
    sort_key $bytes NOT NULL,
    version $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK ((service IS NULL) = (expires_at IS NULL))
$end;
CREATE INDEX contacts_of_user ON contacts (user_id, sort_key, id) WHERE service IS NULL;
CREATE INDEX contacts_imported ON contacts (user_id, sort_key, id) WHERE service IS NOT NULL;
CREATE INDEX contacts_by_address ON contacts (user_id, email_key);
CREATE INDEX contacts_by_expiry ON contacts (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX contacts_user_id_unique_id ON contacts (user_id, unique_id) WHERE service IS NULL;
