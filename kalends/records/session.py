"""The row of a session."""

from msgspec import Struct

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
