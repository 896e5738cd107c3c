-- The people whom a user knows, and those of another service who wait to be kept.

CREATE TABLE contacts (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    first_name TEXT,
    last_name TEXT,
    phone_number TEXT,
    -- The number as it is dialled, where it can be read as one.
    phone_e164 TEXT,
    email_address TEXT,
    email_key TEXT,
    birthday TEXT,
    gender TEXT CHECK (gender IN ('male', 'female')),
    country TEXT,
    zip_code TEXT,
    tags TEXT NOT NULL,
    unique_id TEXT,
    -- Of an entry of the temporary list: where it came from, and when it is forgotten.
    service TEXT CHECK (service IN ('google', 'outlook', 'yahoo')),
    expires_at $int,
    search TEXT NOT NULL,
    -- The folded name as bytes, which every database puts in the same order.
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

-- The address in the form in which it is compared, as responses have it.
ALTER TABLE comments ADD COLUMN email_key TEXT NOT NULL DEFAULT '';
UPDATE comments SET email_key = lower(email_address);
CREATE INDEX comments_by_address ON comments (event_id, email_key);
