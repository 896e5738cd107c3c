"""Subscribers: the replies of the API."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends.core.records.delivery import Channel, Source
from kalends.http.input.types import EventId, Instant, RecordId
from kalends.http.paging import Page


class SubscriberItem(Struct):
    """One address on the owner's list, with its consent. Announcements go to confirmed addresses only."""

    id: RecordId
    channel: Annotated[Channel, Meta(description="How the message is sent.")]
    address: Annotated[str, Meta(description="E-mail address or mobile number.")]
    event_id: EventId | None
    source: Annotated[Source, Meta(description="Where the address was given.")]
    consent: Annotated[str, Meta(description="What the person agreed to.")]
    consented_at: Annotated[Instant, Meta(description="When they agreed, in UTC.")]
    confirmed: Annotated[bool, Meta(description="Whether the address was confirmed by following a mailed link.")]


class SubscriberIndex(Page):
    subscribers: Annotated[list[SubscriberItem], Meta(description="The subscribers.")]
