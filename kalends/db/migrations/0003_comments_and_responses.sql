-- What guests say and answer, and the list of those who want to hear more.

CREATE TABLE comments (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    user_id $int REFERENCES users ON DELETE SET NULL,
    email_address TEXT NOT NULL,
    name TEXT,
    comment TEXT NOT NULL,
    response TEXT CHECK (response IN ('YES', 'MAYBE', 'NO')),
    approved $flag NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX comments_of_event ON comments (event_id, id);
CREATE INDEX comments_of_user ON comments (user_id);

CREATE TABLE responses (
    id $id,
    event_id $int NOT NULL REFERENCES events ON DELETE CASCADE,
    user_id $int REFERENCES users ON DELETE SET NULL,
    email_address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT,
    response TEXT NOT NULL CHECK (response IN ('YES', 'MAYBE', 'NO')),
    number $int NOT NULL CHECK (number BETWEEN 1 AND 10000),
    plus_n $int NOT NULL CHECK (plus_n BETWEEN 0 AND 10000),
    comment TEXT,
    opt_in $flag NOT NULL,
    version $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE UNIQUE INDEX responses_event_id_email_key ON responses (event_id, email_key);
CREATE INDEX responses_of_event ON responses (event_id, id);
CREATE INDEX responses_of_user ON responses (user_id, id);

CREATE TABLE subscribers (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    event_id $int REFERENCES events ON DELETE SET NULL,
    source TEXT NOT NULL CHECK (source IN ('response', 'send_to_me')),
    consent TEXT NOT NULL,
    consented_at $int NOT NULL
$end;
CREATE UNIQUE INDEX subscribers_owner_id_channel_address_key ON subscribers (owner_id, channel, address_key);
CREATE INDEX subscribers_of_owner ON subscribers (owner_id, id);
CREATE INDEX subscribers_of_event ON subscribers (event_id);
