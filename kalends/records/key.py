"""The row of an API write key."""

from msgspec import Struct


class Key(Struct, frozen=True):
    """A row of the table `keys`."""

    id: str
    user_id: int
    name: str
    created_at: int
