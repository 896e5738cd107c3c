"""The row of a subscriber."""

from typing import Literal

from msgspec import Struct

from kalends.records.delivery import Channel

Source = Literal["send_to_me", "response", "confirmation"]


class Subscriber(Struct, frozen=True):
    """A row of the table `subscribers`."""

    id: int
    owner_id: int
    channel: Channel
    address: str
    event_id: int | None
    source: Source
    consent: str
    consented_at: int
    confirmed_at: int | None
