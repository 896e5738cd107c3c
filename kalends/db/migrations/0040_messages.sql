-- What organisers write to the guests of an event. The deliveries with the cause `message:<id>` are its mails.
CREATE TABLE messages (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX messages_of_event ON messages (event_id, id);
CREATE INDEX messages_by_age ON messages (created_at);
