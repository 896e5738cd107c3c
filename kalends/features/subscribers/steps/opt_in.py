"""Opting in to an owner's list: at once for a verified address, else after confirmation by a link."""

from msgspec import structs

from kalends import policy
from kalends.core.records.event import Event
from kalends.features.blocked_senders.store import discard_if_blocked
from kalends.features.deliveries import language_store as languages
from kalends.features.deliveries import store as deliveries
from kalends.features.deliveries.steps import limits
from kalends.features.subscribers import store
from kalends.http.context import Context


def opt_in(ctx: Context, event: Event, channel: str, address: str, *, source: str) -> int | None:
    """Put the address on the list of the event's organiser, and return its id there if it is confirmed.

    An address without proof is sent a link to confirm, also if it has unsubscribed before.
    """
    languages.remember(ctx, address)
    event = structs.replace(event, owner_id=policy.organiser_id(ctx, event.id))
    if channel == "email" and policy.has_verified(ctx, address):
        store.lift_suppression(ctx, event.owner_id, channel, address)
        return store.insert(ctx, event, channel, address, source=source, confirmed=True).id
    # Count whether or not a message is sent, so that a 429 does not disclose who is on the list.
    limits.count_send(ctx, channel)
    if not store.is_suppressed(ctx, event.owner_id, channel, address):
        subscriber = store.insert(ctx, event, channel, address, source=source, confirmed=False)
        if subscriber.confirmed_at is not None:
            deliveries.skip_id(ctx)
            return subscriber.id
    deliveries.insert_confirmation(ctx, event.owner_id, channel, address, event)
    return None


def request_opt_in(ctx: Context, owner_id: int, address: str) -> None:
    """Send the address a link that puts it on the owner's list. Nothing tells whether it is there already."""
    limits.count_send(ctx, "email")
    with discard_if_blocked(ctx, address):
        deliveries.insert_confirmation(ctx, owner_id, "email", address)
