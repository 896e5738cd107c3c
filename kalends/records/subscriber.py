"""The row of a subscriber."""

from msgspec import Struct


class Subscriber(Struct, frozen=True):
    """A row of the table `subscribers`."""

    id: int
    owner_id: int
    channel: str
    address: str
    event_id: int | None
    source: str
    consent: str
    consented_at: int
    confirmed_at: int | None
