"""Subscribers: the addresses that opted in to announcements of your events."""

from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.records.delivery import Channel, Source, Subscriber
from kalends.core.values import timestamps
from kalends.features.subscribers import store
from kalends.http.context import Context
from kalends.http.csv_file import csv_file
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.types import Deletion, EventId, Instant, RecordId
from kalends.http.paging import Page, Paging, build_page


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


CSV_COLUMNS = ("id", "channel", "address", "event_id", "source", "consent", "consented_at", "confirmed")


@endpoint("GET", "/api/subscribers")
def index(ctx: Context, params: Paging) -> SubscriberIndex:
    """Your list: each address with the time, source and text of its consent, and whether it is confirmed."""
    owner = policy.user(ctx)
    rows, page = build_page(ctx, params, store.index(ctx, owner.id, params.fetch, params.offset), lambda: store.count(ctx, owner.id))
    return SubscriberIndex([_item(s) for s in rows], **page)


@endpoint("GET", "/api/subscribers.csv")
def export(ctx: Context) -> Document:
    """Your whole list as a table."""
    owner = policy.user(ctx)
    rows = [
        [s.id, s.channel, s.address, s.event_id, s.source, s.consent, timestamps.format_utc(s.consented_at), s.confirmed_at is not None]
        for s in store.index(ctx, owner.id, store.count(ctx, owner.id))
    ]
    return csv_file(ctx, "subscribers", CSV_COLUMNS, rows)


@endpoint("DELETE", "/api/subscribers/{subscriber_id}")
def destroy(ctx: Context, subscriber_id: int) -> Deletion:
    """Take the address off your list."""
    store.delete(ctx, policy.subscriber(ctx, subscriber_id).id)
    return Deletion([subscriber_id])


def _item(subscriber: Subscriber) -> SubscriberItem:
    return SubscriberItem(
        id=subscriber.id,
        channel=subscriber.channel,
        address=subscriber.address,
        event_id=subscriber.event_id,
        source=subscriber.source,
        consent=subscriber.consent,
        consented_at=timestamps.format_utc(subscriber.consented_at),
        confirmed=subscriber.confirmed_at is not None,
    )
