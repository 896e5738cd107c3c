"""Queueing messages to the guests of an event, each address once for one cause."""

from typing import Literal

from msgspec import Struct, structs

from kalends.context import Context
from kalends.deliveries import suppressions
from kalends.deliveries.store import mailbox
from kalends.records.event import Event

Kind = Literal["change", "cancel", "message", "reminder", "invitation"]


class Recipient(Struct, frozen=True):
    """Who gets a message, and for which response to the event."""

    address: str
    response_id: int | None = None
    channel: str = "email"
    # The events that the message is about, if it is about several.
    event_ids: tuple[int, ...] = ()


class Told(Struct):
    """How many people a write tells by each channel, and how many not, since they want no messages or their address does not work."""

    email: int = 0
    sms: int = 0
    skipped: int = 0

    def add(self, other: "Told") -> None:
        self.email, self.sms, self.skipped = self.email + other.email, self.sms + other.sms, self.skipped + other.skipped


def insert(ctx: Context, event: Event, kind: Kind, cause: str, recipients: list[Recipient], *, due_at: int | None = None) -> Told:
    """Queue the message of this kind for each of the recipients who has none for the same cause; who is suppressed is skipped.

    cause: names what is told, such as `reminder:3:17:1700000000`. Who has a message for it already counts as told.
    """
    purpose = suppressions.PURPOSES[kind]
    everyone = {(each.channel, each.address) for each in recipients}
    suppressed = suppressions.find_suppressed(ctx, event.owner_id, event.id, purpose, everyone)
    chosen = {(each.channel, each.address): each for each in recipients if (each.channel, each.address) not in suppressed}
    ctx.tx.many(
        """INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, cause, event_ids)
           VALUES (:owner_id, :event_id, :response_id, :kind, :channel, :address, :address_key, :public, 'queued', 0,
                   :due_at, :now, :now, :cause, :event_ids)
           ON CONFLICT (cause, channel, address) WHERE cause IS NOT NULL DO NOTHING""",
        [_row(ctx, event, kind, cause, each, ctx.now if due_at is None else due_at) for each in chosen.values()],
    )
    channels = [channel for channel, _ in chosen]
    return Told(channels.count("email"), channels.count("sms"), len(suppressed))


def _row(ctx: Context, event: Event, kind: Kind, cause: str, recipient: Recipient, due_at: int) -> dict[str, object]:
    return structs.asdict(recipient) | {
        "owner_id": event.owner_id,
        "event_id": event.id,
        "kind": kind,
        "address_key": mailbox(recipient.address),
        "public": event.public,
        "cause": cause,
        "event_ids": ",".join(map(str, recipient.event_ids)) or None,
        "due_at": due_at,
        "now": ctx.now,
    }
