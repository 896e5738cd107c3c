"""Subscribers: the replies of the API."""

from msgspec import UNSET, Struct, UnsetType

from kalends.http.input.types import Instant
from kalends.records.delivery import Channel
from kalends.records.subscriber import Source


class SubscriberItem(Struct):
    """One address on the owner's list, with its consent. Announcements go to confirmed addresses only."""

    id: int
    channel: Channel
    address: str
    event_id: int | None
    source: Source
    consent: str
    consented_at: Instant
    confirmed: bool


class SubscriberIndex(Struct):
    subscribers: list[SubscriberItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
