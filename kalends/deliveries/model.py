"""What a delivery is: a message to one address, on its way."""

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from kalends.http.input.types import Id, Instant
from kalends.http.paging import Paging

Channel = Literal["email", "sms"]
State = Literal["queued", "sending", "sent", "failed"]
AccountMail = Literal["reset", "verify", "notice"]
# What a message about an account tells: a change that somebody else may have made.
Notice = Literal["password_changed", "password_reset", "address_changed", "key_created"]

CHANNELS: tuple[Channel, ...] = get_args(Channel)


class DeliveryQuery(Paging, kw_only=True):
    """Which deliveries to list."""

    event_id: Annotated[Id, Meta(description="Only those of this event, which you may edit.")] | None = None
    state: Annotated[State, Meta(description="Only those in this state.")] | None = None


class Delivery(Struct, frozen=True):
    """A row of the table."""

    id: int
    owner_id: int
    event_id: int | None
    subscriber_id: int | None
    kind: str
    channel: str
    address: str
    public: bool
    state: str
    attempts: int
    due_at: int
    error: str | None
    created_at: int
    updated_at: int
    notice: Notice | None = None


class DeliveryQueued(Struct):
    """A delivery that was just written."""

    id: int
    channel: str
    address: str
    state: str


class DeliveriesQueued(Struct):
    """What will be sent."""

    deliveries: list[DeliveryQueued]


class Announced(Struct):
    """To how many on the list the event will be sent."""

    queued: int


class DeliveryItem(Struct, kw_only=True):
    """A delivery as its event's owner sees it; `error` is what went wrong at the last attempt."""

    id: int
    event_id: int | None
    kind: str
    channel: str
    address: str
    state: str
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
