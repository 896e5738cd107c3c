-- Who has answered the mail of an organiser, and who has refused it; by a hash of the address.
-- @needs 0075
CREATE TABLE reactions (
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    address_hash TEXT NOT NULL,
    answered_at $int,
    refused_at $int,
    PRIMARY KEY (owner_id, address_hash)
$end;
