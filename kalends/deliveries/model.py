"""Deliveries: the queries and the replies of the API."""

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.types import Id, Instant
from kalends.http.paging import Paging
from kalends.records.delivery import Channel, DeliveryState, MessageKind, Notice
from kalends.records.suppression import Purpose, Reason

AccountMail = Literal["reset", "verify", "notice"]

CHANNELS: tuple[Channel, ...] = get_args(Channel)


class DeliveryQuery(Paging, kw_only=True, frozen=True):
    """Which deliveries to list."""

    event_id: Annotated[Id, Meta(description="Only those of this event, which you may edit.")] | None = None
    state: Annotated[DeliveryState, Meta(description="Only those in this state.")] | None = None


class DeliveryQueued(Struct):
    """A delivery that was just queued."""

    id: int
    channel: Channel
    address: str
    state: DeliveryState


class DeliveriesQueued(Struct):
    """The deliveries that were queued."""

    deliveries: list[DeliveryQueued]


class Announced(Struct):
    """The number of subscribers to whom the event will be sent."""

    queued: int


class Told(Struct):
    """How many people a write tells by each channel, and how many not, since they want no messages or their address does not work."""

    email: int = 0
    sms: int = 0
    skipped: int = 0


class DeliveryItem(Struct, kw_only=True):
    """A delivery for the event's owner; `error` is that of the last attempt."""

    id: int
    event_id: int | None
    kind: MessageKind
    notice: Notice | None
    channel: Channel
    address: str
    state: DeliveryState
    attempts: int
    error: str | None
    created_at: Instant
    updated_at: Instant


class DeliveryIndex(Struct):
    deliveries: list[DeliveryItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET


class SuppressionItem(Struct, kw_only=True):
    """An address that gets no more messages of a purpose from you: about one event, or about all."""

    id: int
    event_id: int | None
    channel: Channel
    address: str
    purpose: Purpose
    reason: Reason
    detail: str | None
    created_at: Instant


class SuppressionIndex(Struct):
    suppressions: list[SuppressionItem]
    limit: int
    offset: int
    next: str | None
    total: int | UnsetType = UNSET
