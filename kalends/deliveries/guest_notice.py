"""Queueing messages to the guests of an event, each address once for one cause."""

from typing import Literal

from msgspec import Struct, structs

from kalends.context import Context, Message
from kalends.deliveries import reactions, suppressions
from kalends.deliveries.model import Told
from kalends.deliveries.store import NOTICES, find_flooded, mailbox
from kalends.records.event import Event

Kind = Literal["change", "cancel", "message", "reminder", "invitation"]

_INSERT = """
INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                        due_at, created_at, updated_at, cause, event_ids)
VALUES (:owner_id, :event_id, :response_id, :kind, :channel, :address, :address_key, :public, 'queued', 0,
        :due_at, :now, :now, :cause, :event_ids)
ON CONFLICT (cause, channel, address) WHERE cause IS NOT NULL DO UPDATE SET
    kind = CASE WHEN excluded.kind = 'cancel' THEN excluded.kind ELSE deliveries.kind END,
    due_at = CASE WHEN excluded.due_at < deliveries.due_at THEN excluded.due_at ELSE deliveries.due_at END,
    event_ids = CASE WHEN ',' || deliveries.event_ids || ',' LIKE '%,' || excluded.event_ids || ',%' THEN deliveries.event_ids
                     ELSE deliveries.event_ids || ',' || excluded.event_ids END
    WHERE deliveries.state = 'queued' AND deliveries.attempts = 0 AND deliveries.event_ids IS NOT NULL
"""


class Recipient(Struct, frozen=True):
    """Who gets a message, and for which response to the event."""

    address: str
    response_id: int | None = None
    channel: str = "email"
    # The events that the message is about, if it is about several.
    event_ids: tuple[int, ...] = ()


def insert(ctx: Context, event: Event, kind: Kind, cause: str, recipients: list[Recipient], *, due_at: int | None = None) -> Told:
    """Queue the message of this kind for each of the recipients who has none for the same cause; who is suppressed is skipped.

    cause: names what is told, such as `reminder:3:17:1700000000`. Who has a message for it already counts as told.
    """
    told, suppressed = insert_each(ctx, event, kind, cause, recipients, due_at=due_at)
    channels = [channel for channel, _ in told]
    return Told(channels.count("email"), channels.count("sms"), len(suppressed))


def insert_each(
    ctx: Context,
    event: Event,
    kind: Kind,
    cause: str,
    recipients: list[Recipient],
    *,
    due_at: int | None = None,
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Queue the messages; return the channels and addresses that get one, and those that are suppressed.

    A message that waits already is about the event, too, and is sent at the earlier time."""
    everyone = {(each.channel, each.address): each for each in recipients}
    suppressed = suppressions.find_suppressed(ctx, event.owner_id, event.id, suppressions.PURPOSES[kind], set(everyone))
    due_at = ctx.now if due_at is None else due_at
    rows = [_row(ctx, event, kind, cause, each, due_at) for key, each in everyone.items() if key not in suppressed]
    ctx.tx.many(_INSERT, rows)
    for row in rows:
        ctx.add_message(Message(kind, str(row["channel"]), str(row["address"])), cause)
    return set(everyone) - suppressed, suppressed


def find_reachable(ctx: Context, event: Event, kind: Kind, recipients: list[Recipient]) -> list[Recipient]:
    """Those who want such messages, whose address works, and who have not got too many in this hour, or today without an answer."""
    everyone = {(each.channel, each.address) for each in recipients}
    suppressed = suppressions.find_suppressed(ctx, event.owner_id, event.id, suppressions.PURPOSES[kind], everyone)
    addresses = {each.address for each in recipients}
    flooded = find_flooded(ctx, addresses, ("invitation",) if kind == "invitation" else NOTICES)
    if kind != "invitation":
        flooded |= reactions.find_limited(ctx, event.owner_id, event.id, kind, addresses)
    return [each for each in recipients if (each.channel, each.address) not in suppressed and each.address not in flooded]


def count(ctx: Context, cause: str) -> int:
    """How many messages there are for the cause."""
    return int(ctx.tx.value("SELECT count(*) FROM deliveries WHERE cause = :cause", cause=cause))


def _row(ctx: Context, event: Event, kind: Kind, cause: str, recipient: Recipient, due_at: int) -> dict[str, object]:
    return structs.asdict(recipient) | {
        "owner_id": event.owner_id,
        "event_id": event.id,
        "kind": kind,
        "address_key": mailbox(recipient.address),
        "public": event.is_open,
        "cause": cause,
        "event_ids": ",".join(map(str, recipient.event_ids)) or None,
        "due_at": due_at,
        "now": ctx.now,
    }
