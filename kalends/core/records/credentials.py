"""The rows of what authenticates a user: sessions and keys."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

DAY = 86_400
IDLE = 14 * DAY
LIFETIME = 90 * DAY
RECENT = 3600
# For roles, and for the deletion of other people's accounts.
VERY_RECENT = 15 * 60


class Session(Struct, frozen=True):
    """A row of the table `sessions`."""

    id: str
    user_id: int
    created_at: int
    last_used_at: int
    # The key that opened it, if any.
    key_id: str | None

    @property
    def expires_at(self) -> int:
        return min(self.last_used_at + IDLE, self.created_at + LIFETIME)

    def is_recent(self, now: int, seconds: int = RECENT) -> bool:
        """Whether it was opened recently enough not to require the password again."""
        return now < self.created_at + seconds


KeyKind = Annotated[
    Literal["api", "dav"],
    Meta(description="What the key opens: the API, or CalDAV with it as the password of a device (an app password)."),
]

KeyScope = Annotated[
    Literal["events:read", "events:write", "responses:read", "responses:write", "contacts", "messages", "admin"],
    Meta(
        description="`events` are calendars, events and comments; `contacts` also subscribers; `messages` are invitations, messages, "
        "announcements and what was sent. `:write` includes `:read`."
    ),
]


class Totp(Struct, frozen=True):
    """A row of the table `totp`: what makes the one-time codes of a user."""

    user_id: int
    # Encrypted.
    secret: str
    # None: no code has proved yet that the app has the secret.
    enabled_at: int | None
    # The time step of the last code that was used.
    last_step: int
    # Whether a key or a digest still opens a session without a code.
    key_logins: bool


class Passkey(Struct, frozen=True):
    """A row of the table `passkeys`."""

    id: str
    user_id: int
    name: str
    credential_id: bytes
    # The attested credential data of WebAuthn, with the public key.
    credential: bytes
    # 0: the authenticator does not count.
    sign_count: int
    last_used_at: int | None
    created_at: int


class Identity(Struct, frozen=True):
    """A row of the table `identities`: who a user is at a provider of OpenID Connect."""

    id: str
    user_id: int
    issuer: str
    subject: str
    last_used_at: int | None
    created_at: int


class Key(Struct, frozen=True):
    """A row of the table `keys`."""

    id: str
    user_id: int
    name: str
    created_at: int
    kind: KeyKind = "api"
    # To the hour; None if it was never used.
    last_used_at: int | None = None
    # Separated by blanks; empty: all.
    scopes: str = ""
    # None: when it is deleted.
    expires_at: int | None = None
    # Those that an app password opens, separated by blanks; empty: all.
    calendar_ids: str = ""
