"""Deliveries: the queries and the replies of the API."""

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from kalends.core.records.delivery import Channel, DeliveryState, GuestGroup, MessageKind, Notice, Purpose, Reason
from kalends.http.input.types import CreatedAt, EventId, Id, RecordId, UpdatedAt
from kalends.http.paging import Page, Paging

AccountMail = Literal["reset", "verify", "notice"]

CHANNELS: tuple[Channel, ...] = get_args(Channel)


class DeliveryQuery(Paging, kw_only=True, frozen=True):
    """Which deliveries to list."""

    event_id: Annotated[Id, Meta(description="Only those of this event, which you may edit.")] | None = None
    state: Annotated[DeliveryState, Meta(description="Only those in this state.")] | None = None


class DeliveryQueued(Struct):
    """A delivery that was just queued."""

    id: RecordId
    channel: Annotated[Channel, Meta(description="How the message is sent.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]
    state: Annotated[DeliveryState, Meta(description="State of the message.")]


class DeliveriesQueued(Struct):
    """The deliveries that were queued."""

    deliveries: Annotated[list[DeliveryQueued], Meta(description="The messages.")]


class Announced(Struct):
    """The number of subscribers to whom the event will be sent."""

    queued: Annotated[int, Meta(description="Number of messages that were queued.")]


class Notified(Struct):
    """How many people a write notifies by each channel, and how many not, since they want no messages or their address does not work."""

    email: Annotated[int, Meta(description="How many by e-mail.")] = 0
    sms: Annotated[int, Meta(description="How many by SMS.")] = 0
    skipped: Annotated[
        int, Meta(description="How many are not notified: they want no messages about the event, or their address does not work.")
    ] = 0


class DeliveryItem(Struct, kw_only=True):
    """A delivery for the event's owner; `error` is that of the last attempt."""

    id: RecordId
    event_id: EventId | None
    kind: Annotated[MessageKind, Meta(description="What the message is about.")]
    notice: Annotated[
        Notice | None, Meta(description="Of notices: what it says of the place of a guest; null for a new date of the event.")
    ]
    channel: Annotated[Channel, Meta(description="How the message is sent.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]
    state: Annotated[DeliveryState, Meta(description="State of the message.")]
    attempts: Annotated[int, Meta(description="How often sending was tried.")]
    error: Annotated[str | None, Meta(description="Why the last attempt failed, or that the message was only written to a file.")]
    created_at: CreatedAt
    updated_at: UpdatedAt


class DeliveryIndex(Page):
    deliveries: Annotated[list[DeliveryItem], Meta(description="The messages.")]


class SuppressionItem(Struct, kw_only=True):
    """An address that gets no more messages of a purpose from you: about one event, or about all."""

    id: RecordId
    event_id: Annotated[int | None, Meta(description="Id of the only event that it is about; null for all of yours.")]
    channel: Annotated[Channel, Meta(description="How the message is sent.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]
    purpose: Annotated[
        Purpose, Meta(description="Which messages they get no more: notices of changes and messages, reminders, or invitations.")
    ]
    reason: Annotated[Reason, Meta(description="The mail server refused the address, a message came back, or the recipient wants no more.")]
    detail: Annotated[str | None, Meta(description="What the mail server said.")]
    created_at: CreatedAt


class SuppressionIndex(Page):
    suppressions: Annotated[list[SuppressionItem], Meta(description="The addresses that get no more messages.")]


class Recipient(Struct, frozen=True):
    """Who gets a message, and for which response to the event."""

    address: str
    response_id: int | None = None
    channel: str = "email"
    # The events that the message is about, if it is about several.
    event_ids: tuple[int, ...] = ()
    group: GuestGroup | None = None
