"""The SQL of the opt-in list."""

from kalends import times
from kalends.context import Context
from kalends.db import columns
from kalends.events.model import Event
from kalends.subscribers.model import Subscriber, SubscriberItem
from kalends.text import key

_SUBSCRIBER = columns(Subscriber)


def insert(ctx: Context, event: Event, channel: str, address: str, *, source: str) -> int:
    """Put the address on the list of the event's owner, and say under which id; the first consent stands."""
    ctx.tx.run(
        """INSERT INTO subscribers (owner_id, channel, address, address_key, event_id, source, consent, consented_at)
           VALUES (:owner_id, :channel, :address, :address_key, :event_id, :source, :consent, :now)
           ON CONFLICT (owner_id, channel, address_key) DO NOTHING""",
        owner_id=event.owner_id,
        channel=channel,
        address=address,
        address_key=key(address),
        event_id=event.id,
        source=source,
        consent=f"opt_in given for “{event.title}”",
        now=ctx.now,
    )
    subscriber_id: int = ctx.tx.value(
        "SELECT id FROM subscribers WHERE owner_id = :owner_id AND channel = :channel AND address_key = :address_key",
        owner_id=event.owner_id,
        channel=channel,
        address_key=key(address),
    )
    return subscriber_id


def index(ctx: Context, owner_id: int, limit: int, offset: int = 0) -> list[Subscriber]:
    return ctx.tx.all(
        Subscriber,
        f"SELECT {_SUBSCRIBER} FROM subscribers WHERE owner_id = :owner_id ORDER BY id LIMIT :limit OFFSET :offset",
        owner_id=owner_id,
        limit=limit,
        offset=offset,
    )


def count(ctx: Context, owner_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM subscribers WHERE owner_id = :owner_id", owner_id=owner_id))


def delete(ctx: Context, subscriber_id: int) -> None:
    ctx.tx.run("DELETE FROM subscribers WHERE id = :id", id=subscriber_id)


def item(subscriber: Subscriber) -> SubscriberItem:
    return SubscriberItem(
        id=subscriber.id,
        channel=subscriber.channel,
        address=subscriber.address,
        event_id=subscriber.event_id,
        source=subscriber.source,
        consent=subscriber.consent,
        consented_at=times.utc(subscriber.consented_at),
    )
