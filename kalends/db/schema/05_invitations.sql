-- Invitations by mail, and what comes back.

-- Invitations by mail, to an event or to all dates of a series. They come back with it if its deletion is undone.
CREATE TABLE invitations (
    id $id,
    -- One of these is NULL.
    event_id $int REFERENCES events ON DELETE CASCADE,
    series_id $int REFERENCES series ON DELETE CASCADE,
    address TEXT NOT NULL,
    email_key TEXT NOT NULL,
    -- NULL: not given; so is the message.
    name TEXT,
    message TEXT,
    -- NULL: as the event says.
    party_max $int CHECK (party_max > 0),
    -- Who has responded is known from the responses.
    state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'bounced', 'withdrawn')),
    -- Why the mail came back; NULL: it did not.
    detail TEXT,
    -- The SEQUENCE of the last calendar that was sent, and the number of mails.
    sequence $int NOT NULL,
    mails $int NOT NULL,
    -- The owner of the event; NULL: it had none any more when this column was added.
    owner_id $int,
    -- The invitation to the series from which these dates were split, until the guest has mail about it; NULL: none.
    split_from $int,
    -- Who invited the guest: what an editor leaves behind can be withdrawn with the role. NULL: their account is deleted.
    invited_by $int REFERENCES users ON DELETE SET NULL,
    created_at $int NOT NULL,
    updated_at $int NOT NULL,
    CHECK ((event_id IS NULL) <> (series_id IS NULL))
$end;
CREATE UNIQUE INDEX invitations_to_event ON invitations (event_id, email_key) WHERE event_id IS NOT NULL;
CREATE UNIQUE INDEX invitations_to_series ON invitations (series_id, email_key) WHERE series_id IS NOT NULL;
CREATE INDEX invitations_split ON invitations (split_from) WHERE split_from IS NOT NULL;
CREATE INDEX invitations_by_user ON invitations (invited_by) WHERE invited_by IS NOT NULL;

-- The newest DTSTAMP of the replies to an invitation, for the whole (an empty slot) and for each date.
CREATE TABLE invitation_replies (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    slot TEXT NOT NULL,
    stamp $int NOT NULL
$end;
CREATE UNIQUE INDEX invitation_replies_of_slot ON invitation_replies (invitation_id, slot);

-- Replies by mail that are no plain response, for the organiser to read.
CREATE TABLE invitation_notes (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('text', 'counter', 'delegated', 'unreadable', 'refused')),
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at $int NOT NULL
$end;
CREATE INDEX invitation_notes_of_invitation ON invitation_notes (invitation_id, created_at);

-- Invitations from people whom a guest does not know: the event is on the guest's calendar once they have accepted.
CREATE TABLE invitation_proposals (
    id $id,
    invitation_id $int NOT NULL REFERENCES invitations ON DELETE CASCADE,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    granted_by $int NOT NULL REFERENCES users ON DELETE CASCADE,
    accepted $flag NOT NULL,
    created_at $int NOT NULL
$end;
CREATE UNIQUE INDEX invitation_proposals_of_invitation ON invitation_proposals (invitation_id, calendar_id);
CREATE INDEX invitation_proposals_on_calendar ON invitation_proposals (calendar_id, accepted);
CREATE INDEX invitation_proposals_granted_by ON invitation_proposals (granted_by);

-- Messages that arrived, so that each is handled once.
CREATE TABLE inbound_messages (
    id $id,
    message_key TEXT NOT NULL,
    outcome TEXT NOT NULL,
    received_at $int NOT NULL
$end;
CREATE UNIQUE INDEX inbound_messages_key ON inbound_messages (message_key);
CREATE INDEX inbound_messages_by_age ON inbound_messages (received_at);
