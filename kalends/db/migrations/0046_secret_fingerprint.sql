-- Identifies the secret of the servers of this database, which all of them must share. It has one row, written at the first start.
CREATE TABLE secret_fingerprints (
    id $int PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT NOT NULL
$end;
