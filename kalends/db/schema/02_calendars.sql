-- Calendars, and who may see and edit them.

CREATE TABLE calendars (
    id $id,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- NULL: none.
    description TEXT,
    color TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    public $flag NOT NULL,
    moderation TEXT NOT NULL CHECK (moderation IN ('none', 'guests', 'all')),
    is_primary $flag NOT NULL,
    -- How often the feed has changed, and when it last did.
    revision $int NOT NULL DEFAULT 1,
    changed_at $int NOT NULL DEFAULT 0,
    -- How often the secret URL of the feed was reset.
    feed_version $int NOT NULL DEFAULT 1,
    -- The most people that one response may bring, unless the event has a limit of its own; NULL: no limit.
    party_max $int CHECK (party_max BETWEEN 1 AND 20000),
    -- The revision at which something public last changed: the ETag of guests.
    public_revision $int NOT NULL DEFAULT 1,
    public_changed_at $int NOT NULL DEFAULT 0,
    -- The names of a public calendar and of its owner, folded; empty for a private one.
    search TEXT NOT NULL DEFAULT '',
    -- Whether guests get mail about their responses.
    confirmations TEXT NOT NULL DEFAULT 'on' CHECK (confirmations IN ('on', 'off')),
    -- Whether a response without proof waits until its address has confirmed it.
    confirm_responses TEXT NOT NULL DEFAULT 'none' CHECK (confirm_responses IN ('none', 'always')),
    -- A response for more people must be confirmed before it counts.
    confirm_above $int NOT NULL DEFAULT 10 CHECK (confirm_above BETWEEN 1 AND 20000),
    -- With a capacity, any other response without proof holds its places for this time.
    hold_minutes $int NOT NULL DEFAULT 60 CHECK (hold_minutes BETWEEN 1 AND 10080),
    -- Whether guests in the files that programs write to a calendar are invited (RFC 6638).
    scheduling TEXT NOT NULL DEFAULT 'on' CHECK (scheduling IN ('on', 'off')),
    created_at $int NOT NULL,
    updated_at $int NOT NULL
$end;
CREATE INDEX calendars_of_owner ON calendars (owner_id, id);
CREATE UNIQUE INDEX calendars_primary ON calendars (owner_id) WHERE is_primary;
CREATE SUBSTRING INDEX ON calendars (search);
-- The list of those who own a public calendar.
CREATE INDEX calendars_in_public ON calendars (owner_id, id) WHERE public;

-- With whom an owner shares a calendar.
CREATE TABLE calendar_invitations (
    id $id,
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    -- The user who was named, or the first who proved that the address is theirs; NULL: nobody has yet.
    user_id $int REFERENCES users ON DELETE CASCADE,
    -- NULL: a user was named.
    email_address TEXT,
    email_key TEXT,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
    -- Without effect: the user left the calendar, or blocks its owner.
    declined $flag NOT NULL DEFAULT FALSE,
    created_at $int NOT NULL,
    CHECK (user_id IS NOT NULL OR email_key IS NOT NULL),
    CHECK ((email_key IS NULL) = (email_address IS NULL))
$end;
CREATE UNIQUE INDEX calendar_invitations_calendar_id_user_id ON calendar_invitations (calendar_id, user_id) WHERE email_key IS NULL;
CREATE UNIQUE INDEX calendar_invitations_calendar_id_email_key ON calendar_invitations (calendar_id, email_key);
CREATE INDEX calendar_invitations_of_user ON calendar_invitations (user_id, calendar_id);
CREATE INDEX calendar_invitations_by_address ON calendar_invitations (email_key) WHERE user_id IS NULL;

-- Who may use a calendar beside its owner; it follows from calendar_invitations and blocks.
CREATE TABLE calendar_shares (
    calendar_id $int NOT NULL REFERENCES calendars ON DELETE CASCADE,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor')),
    -- 1 and 0: a row that exists for a moment only, so that sharing with an address writes the same whether or not someone has verified
    -- it; with 1 it is recorded, for nobody (user 0), and with 0 it is not.
    created_at $int NOT NULL,
    PRIMARY KEY (calendar_id, user_id)
$end;
CREATE INDEX calendar_shares_of_user ON calendar_shares (user_id, calendar_id);

-- Owners whose calendars a user does not want to be shared with them.
CREATE TABLE blocks (
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    owner_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at $int NOT NULL,
    PRIMARY KEY (user_id, owner_id)
$end;
CREATE INDEX blocks_of_owner ON blocks (owner_id);
