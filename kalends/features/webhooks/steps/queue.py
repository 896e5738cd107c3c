"""What a webhook sends next: the changes since its position, as its owner may see them now."""

from collections.abc import Sequence
from typing import cast

import msgspec
from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.core.records.change import Kind, Webhook, WebhookDelivery
from kalends.core.values import timestamps
from kalends.features.changes.journal_store import Entry, find_journal
from kalends.features.changes.model import KINDS, Change, SeriesChange
from kalends.features.changes.rules import cursor
from kalends.features.changes.rules.cursor import CursorFields, Position
from kalends.features.changes.steps import batch, current
from kalends.features.users import store as users
from kalends.features.webhooks.model import ChangeMessage, ChangeType, MissedData, MissedMessage, PingData, PingMessage
from kalends.features.webhooks.store import NewDelivery
from kalends.http.context import Actor, Context

# Entries that are queued at once. A record that changed often among them is sent once.
BATCH = 100
MISSED = "Changes were deleted with the history before they could be sent, or the database was restored. List what you follow again."


_encode = msgspec.json.Encoder().encode


class Batch(Struct, frozen=True):
    """Deliveries to queue, and the position up to which they go."""

    deliveries: list[NewDelivery]
    epoch: int
    position: Position


def act_as_owner(ctx: Context, webhook: Webhook) -> None:
    """Let the context see what the owner may see."""
    user = users.get(ctx, webhook.user_id)
    ctx.actor = Actor(user.id, user.user_name, user.email_address, user.name, user.time_zone, verified_at=user.verified_at)


def next_batch(ctx: Context, webhook: Webhook) -> Batch:
    """The changes after the position of the webhook, for a context that acts as its owner."""
    journal = find_journal(ctx)
    position = (webhook.tx, webhook.entry_id)
    if webhook.epoch != journal.epoch or position < journal.pruned:
        return Batch([NewDelivery("missed", None, journal.end)], journal.epoch, journal.end)
    try:
        follower = batch.follow(ctx, webhook.calendar_id)
    except errors.NotFound:
        return Batch([NewDelivery("calendar", webhook.calendar_id, position)], journal.epoch, position)
    records, end, _ = batch.read_on(ctx, follower, journal, position, _kinds(webhook), BATCH)
    return Batch(_deliveries(_without_withheld(ctx, records), position, end), journal.epoch, end)


class Message(Struct, frozen=True):
    """The content of a delivery, and whether nothing can follow it, since the calendar of the webhook is not visible any more."""

    body: bytes
    is_last: bool = False


def message(ctx: Context, webhook: Webhook, delivery: WebhookDelivery) -> Message | None:
    """The content of a delivery now; None if there is nothing to tell."""
    place = CursorFields(webhook.epoch, (delivery.tx, delivery.entry_id), cursor.digest_filter(webhook.calendar_id, list(_kinds(webhook))))
    moment, position = timestamps.format_utc(delivery.created_at), cursor.encode(place)
    if delivery.kind == "ping":
        return Message(_encode(PingMessage(data=PingData(webhook.id), timestamp=moment, cursor=position)))
    if delivery.kind == "missed":
        return Message(_encode(MissedMessage(data=MissedData(MISSED), timestamp=moment, cursor=position)))
    change = _change(ctx, webhook, delivery)
    if change is None:
        return None
    name = cast(ChangeType, f"{change.kind}.{change.op}")
    is_last = change.op == "gone" and change.kind == "calendar" and change.id == webhook.calendar_id
    return Message(_encode(ChangeMessage(type=name, data=change, timestamp=moment, cursor=position)), is_last)


def _without_withheld(ctx: Context, changes: list[Change]) -> list[Change]:
    """The changes without events of sources that are not republished."""
    events = [change.event for change in changes if change.event] + [
        event for change in changes if isinstance(change.series, SeriesChange) for event in change.series.events
    ]
    shown = {event.id for event in policy.without_withheld(ctx, events, to_public=False)}
    kept = []
    for change in changes:
        if change.event and change.event.id not in shown:
            continue
        if isinstance(change.series, SeriesChange) and change.series.events:
            change.series.events = [event for event in change.series.events if event.id in shown]
            if not change.series.events:
                continue
        kept.append(change)
    return kept


def _kinds(webhook: Webhook) -> Sequence[str]:
    return [kind for kind in KINDS if not webhook.kinds or kind in webhook.kinds.split()]


def _deliveries(records: list[Change], start: Position, end: Position) -> list[NewDelivery]:
    """One for each change. Only with the last of them all before `end` has been sent."""
    deliveries = []
    for number, change in enumerate(records, 1):
        event_ids = " ".join(str(event.id) for event in change.series.events) if isinstance(change.series, SeriesChange) else ""
        deliveries.append(NewDelivery(change.kind, change.id, end if number == len(records) else start, event_ids))
    return deliveries


def _change(ctx: Context, webhook: Webhook, delivery: WebhookDelivery) -> Change | None:
    assert delivery.record_id is not None
    record = (delivery.kind, delivery.record_id)
    try:
        follower = batch.follow(ctx, webhook.calendar_id)
    except errors.NotFound:
        return Change(kind=cast(Kind, delivery.kind), op="gone", id=delivery.record_id)
    ids = [record, *(("event", int(event_id)) for event_id in delivery.event_ids.split())]
    # What is queued is known to the owner: it was visible to them then, or they were to be notified that it is gone.
    changed = current.present(ctx, follower, [Entry(0, 0, kind, record_id, webhook.user_id) for kind, record_id in ids], _kinds(webhook))
    changed = _without_withheld(ctx, changed)
    # An event that joined a series since is sent with its series.
    return next((change for change in changed if (change.kind, change.id) == record), changed[0] if changed else None)
