"""Subscribers: the addresses that opted in to announcements of your events."""

from msgspec import UNSET

from kalends import policy
from kalends.core.records.delivery import Subscriber
from kalends.core.values import timestamps
from kalends.features.subscribers import store
from kalends.features.subscribers.model import SubscriberIndex, SubscriberItem
from kalends.http.context import Context
from kalends.http.csv_file import csv_file
from kalends.http.endpoint import Document, endpoint
from kalends.http.input.types import Deletion
from kalends.http.paging import Paging, paginate

CSV_COLUMNS = ("id", "channel", "address", "event_id", "source", "consent", "consented_at", "confirmed")


@endpoint("GET", "/api/subscribers")
def index(ctx: Context, params: Paging) -> SubscriberIndex:
    """Your list: each address with the time, source and text of its consent, and whether it is confirmed."""
    owner = policy.user(ctx)
    rows, next_page = paginate(ctx, params, store.index(ctx, owner.id, params.fetch, params.offset))
    total = store.count(ctx, owner.id) if params.count else UNSET
    return SubscriberIndex([_item(s) for s in rows], limit=params.size, offset=params.offset, next=next_page, total=total)


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
