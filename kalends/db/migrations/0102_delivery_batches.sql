-- Messages to many recipients that are not in the queue yet: a worker queues them in steps, so that no write takes long.
-- @needs 0099
CREATE TABLE delivery_batches (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    -- That of its deliveries.
    cause TEXT NOT NULL,
    size $int NOT NULL,
    -- The parameters of the statement that queues them, as JSON.
    content TEXT NOT NULL
$end;
CREATE INDEX delivery_batches_of_owner ON delivery_batches (owner_id);
CREATE INDEX delivery_batches_of_cause ON delivery_batches (cause);
