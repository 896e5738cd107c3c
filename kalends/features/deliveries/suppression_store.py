"""The SQL of suppressed addresses: who gets no messages of a purpose, and why."""

import json
from collections.abc import Set

from kalends import policy
from kalends.core.records.delivery import Delivery, Purpose, Reason, Suppression
from kalends.db import columns
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries import refusal_store as refusals
from kalends.features.deliveries.store import mailbox
from kalends.http.context import Context

# What each kind of message to guests is for.
PURPOSES: dict[str, Purpose] = {
    "change": "notice",
    "cancel": "notice",
    "message": "notice",
    "reminder": "reminder",
    "invitation": "invitation",
}


class SiteSuppression(Suppression, frozen=True):
    """A suppressed address, with the user name of the organiser whose messages it does not get."""

    user_name: str | None = None


_SITE_SUPPRESSION = columns(SiteSuppression, "s", user_name="(SELECT u.user_name FROM users u WHERE u.id = s.owner_id) AS user_name")


def purpose_of(delivery: Delivery) -> Purpose | None:
    """What the message is for, if its recipient can stop such messages."""
    return "invitation" if delivery.is_about_share else PURPOSES.get(delivery.kind)


def find_suppressed(
    ctx: Context, owner_id: int, event_id: int | None, purpose: Purpose, recipients: Set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """The given recipients (channel and address) who get no messages of this purpose from the organiser, about the event or at all.

    An organiser who is stopped from sending reaches only people who have answered."""
    if not recipients:
        return set()
    keys = {(channel, address): mailbox(address) for channel, address in recipients}
    rows = ctx.tx.rows(
        f"""SELECT s.channel, s.address_key FROM {ctx.db.records("recipients", {"address_key": "TEXT"})}
            JOIN suppressed_addresses s ON s.address_key = recipients.address_key
            WHERE s.purpose = :purpose AND (s.owner_id IS NULL OR s.owner_id = :owner_id)
            AND (s.event_id IS NULL OR s.event_id = CAST(:event_id AS BIGINT))""",
        recipients=json.dumps([{"address_key": key} for key in sorted(set(keys.values()))]),
        purpose=purpose,
        owner_id=owner_id,
        event_id=event_id,
    )
    suppressed = set(rows)
    addresses = {address for _, address in recipients}
    strangers = set[str]() if policy.may_send(ctx, owner_id) else reactions.find_unanswered(ctx, owner_id, addresses)
    return {recipient for recipient, key in keys.items() if (recipient[0], key) in suppressed or recipient[1] in strangers}


def is_suppressed(ctx: Context, delivery: Delivery) -> bool:
    """Whether the recipient of the message wants or gets no such messages any more."""
    purpose = purpose_of(delivery)
    recipient = (delivery.channel, delivery.address)
    return purpose is not None and bool(find_suppressed(ctx, delivery.owner_id, delivery.event_id, purpose, {recipient}))


def insert(
    ctx: Context,
    purpose: Purpose,
    reason: Reason,
    channel: str,
    address: str,
    *,
    owner_id: int | None = None,
    event_id: int | None = None,
    detail: str | None = None,
) -> None:
    """Suppress the address for messages of this organiser, about this event, or (neither) of the whole service.

    A refusal, which organisers can lift, does not replace the wish of the recipient."""
    ctx.tx.run(
        """INSERT INTO suppressed_addresses (owner_id, event_id, channel, address, address_key, purpose, reason, detail, created_at)
           VALUES (:owner_id, :event_id, :channel, :address, :address_key, :purpose, :reason, :detail, :now)
           ON CONFLICT (address_key, channel, purpose, coalesce(owner_id, 0), coalesce(event_id, 0))
           DO UPDATE SET reason = excluded.reason, detail = excluded.detail WHERE suppressed_addresses.reason <> 'unsubscribed'""",
        owner_id=owner_id,
        event_id=event_id,
        channel=channel,
        address=address,
        address_key=mailbox(address),
        purpose=purpose,
        reason=reason,
        detail=detail,
        now=ctx.now,
    )


def delete(ctx: Context, purpose: Purpose, channel: str, address: str, *, event_id: int) -> None:
    """Send messages of this purpose about the event to the address again."""
    ctx.tx.run(
        """DELETE FROM suppressed_addresses WHERE address_key = :address_key AND channel = :channel AND purpose = :purpose
           AND event_id = :event_id""",
        address_key=mailbox(address),
        channel=channel,
        purpose=purpose,
        event_id=event_id,
    )


def insert_for_delivery(ctx: Context, delivery: Delivery, reason: Reason, detail: str | None) -> None:
    """Suppress the recipient of a message for its purpose and its organiser, if people can stop such messages."""
    purpose = purpose_of(delivery)
    if purpose is not None:
        insert(ctx, purpose, reason, delivery.channel, delivery.address, owner_id=delivery.owner_id, detail=detail)
        refusals.record_for_delivery(ctx, delivery)


def find_events_of(ctx: Context, delivery: Delivery) -> list[int]:
    """The ids of the events that the message is about, such as the dates of a series, without those that were deleted."""
    ids = delivery.all_event_ids or ([delivery.event_id] if delivery.event_id else [])
    return [event_id for (event_id,) in ctx.tx.rows(f"SELECT id FROM events WHERE id {ctx.db.in_list('ids')} ORDER BY id", ids=ids)]


def index(ctx: Context, owner_id: int, limit: int, offset: int = 0) -> list[Suppression]:
    """The addresses that get no messages of this organiser, newest first."""
    sql = f"SELECT {columns(Suppression)} FROM suppressed_addresses WHERE owner_id = :owner_id ORDER BY id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(Suppression, sql, owner_id=owner_id, limit=limit, offset=offset)


def count(ctx: Context, owner_id: int) -> int:
    return int(ctx.tx.value("SELECT count(*) FROM suppressed_addresses WHERE owner_id = :owner_id", owner_id=owner_id))


def index_all(ctx: Context, address: str | None, limit: int, offset: int) -> list[SiteSuppression]:
    """The suppressed addresses of all organisers, newest first; address: only this one."""
    condition = _condition(address)
    sql = f"SELECT {_SITE_SUPPRESSION} FROM suppressed_addresses s WHERE {condition} ORDER BY s.id DESC LIMIT :limit OFFSET :offset"
    return ctx.tx.all(SiteSuppression, sql, limit=limit, offset=offset, **_params(address))


def count_all(ctx: Context, address: str | None) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM suppressed_addresses s WHERE {_condition(address)}", **_params(address)))


def _condition(address: str | None) -> str:
    return "s.address_key = :address_key" if address else "s.id > 0"


def _params(address: str | None) -> dict[str, str]:
    return {"address_key": mailbox(address)} if address else {}


def lift(ctx: Context, suppression_id: int) -> None:
    ctx.tx.run("DELETE FROM suppressed_addresses WHERE id = :id", id=suppression_id)
