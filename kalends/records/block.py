"""The row of a blocked user."""

from msgspec import Struct


class Block(Struct, frozen=True):
    """A person whose calendars you do not want to be shared with you."""

    user_id: int
    name: str
    created_at: int
