-- Mail about accounts: what a notice says, and who asked for a link to a new password.

ALTER TABLE deliveries ADD COLUMN notice TEXT CHECK (notice IN ('password_changed', 'password_reset', 'address_changed', 'key_created'));

-- Written alike for names that somebody has and for others. A worker looks for the user, and deletes the row.
CREATE TABLE reset_requests (
    id $id,
    name TEXT NOT NULL,
    requested_at $int NOT NULL
$end;
