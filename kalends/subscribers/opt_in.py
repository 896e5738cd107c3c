"""Opting in to an owner's list: at once for a verified address, else after confirmation by a link."""

from kalends import policy
from kalends.blocked_senders.screening import screened
from kalends.context import Context
from kalends.deliveries import languages, limits
from kalends.deliveries import store as deliveries
from kalends.records.event import Event
from kalends.subscribers import store


def opt_in(ctx: Context, event: Event, channel: str, address: str, *, source: str) -> int | None:
    """Put the address on the list of the event's owner, and return its id there if it is confirmed.

    An address without proof is sent a link to confirm, also if it has unsubscribed before.
    """
    languages.remember(ctx, address)
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
    with screened(ctx, address):
        deliveries.insert_confirmation(ctx, owner_id, "email", address)
