"""Representations of subscribers in API replies."""

from kalends.records.subscriber import Subscriber
from kalends.subscribers.model import SubscriberItem
from kalends.values import timestamps


def item(subscriber: Subscriber) -> SubscriberItem:
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
