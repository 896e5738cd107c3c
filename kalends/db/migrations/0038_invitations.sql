-- Invitations by mail, to an event or to all dates of a series, and the replies that arrive.
CREATE TABLE invitations (
    id $id,
    event_id $int REFERENCES events ON DELETE CASCADE,
    series_id $int REFERENCES series ON DELETE CASCADE,
    address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT,
    message TEXT,
    party_max $int CHECK (party_max > 0),
    -- Who has responded is known from the responses.
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'bounced', 'withdrawn')),
    -- Why the mail came back.
    detail TEXT,
    -- The SEQUENCE of the last calendar that was sent, and the number of mails.
    sequence $int NOT NULL,
    mails $int NOT NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK ((event_id IS NULL) <> (series_id IS NULL))
$end;
CREATE UNIQUE INDEX invitations_to_event ON invitations (event_id, email_key) WHERE event_id IS NOT NULL;
CREATE UNIQUE INDEX invitations_to_series ON invitations (series_id, email_key) WHERE series_id IS NOT NULL;

-- The newest DTSTAMP of the replies to an invitation, for the whole (an empty slot) and for each date.
CREATE TABLE invitation_replies (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    slot TEXT NOT NULL,
    stamp $int NOT NULL
$end;
CREATE UNIQUE INDEX invitation_replies_of_slot ON invitation_replies (invitation_id, slot);

-- What organisers and guests are told of replies that are no plain response.
CREATE TABLE invitation_notes (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('text', 'counter', 'delegated', 'unreadable', 'refused')),
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX invitation_notes_of_invitation ON invitation_notes (invitation_id, created_at);

-- Messages that arrived, so that each is handled once.
CREATE TABLE inbound_messages (
    id $id,
    message_key TEXT NOT NULL,
    outcome TEXT NOT NULL,
    received_at $int NOT NULL
$end;
CREATE UNIQUE INDEX inbound_messages_key ON inbound_messages (message_key);
CREATE INDEX inbound_messages_by_age ON inbound_messages (received_at);
