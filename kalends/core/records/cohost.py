"""The row of a co-host."""

from msgspec import Struct


class Cohost(Struct, frozen=True):
    """Someone who may edit one event. Without an address they were added by their user name."""

    id: int
    event_id: int
    user_id: int | None
    user_name: str | None
    name: str | None
    email_address: str | None
    created_at: int
