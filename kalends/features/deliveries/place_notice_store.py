"""The SQL of e-mail to guests on a waiting list: they have a place, one is offered to them, or their offer has lapsed."""

from typing import Any

from kalends.core.records.delivery import PlaceNotice
from kalends.features.deliveries.store import mailbox
from kalends.http.context import Context

Recipients = list[tuple[int, str]]


def find_event(ctx: Context, event_id: int) -> tuple[int, bool]:
    """The owner of the event, and whether guests can open it."""
    [(owner_id, public)] = ctx.tx.rows("SELECT owner_id, public OR by_link FROM events WHERE id = :id", id=event_id)
    return owner_id, bool(public)


def find_recipients(ctx: Context, response_ids: list[int]) -> Recipients:
    """The responses with their addresses."""
    sql = f"SELECT id, email_address FROM responses WHERE id {ctx.db.in_list('ids')} ORDER BY id"
    return [(response_id, address) for response_id, address in ctx.tx.rows(sql, ids=response_ids)]


def insert(ctx: Context, event_id: int, owner_id: int, recipients: Recipients, notice: PlaceNotice, *, public: bool) -> None:
    common: dict[str, Any] = {"owner_id": owner_id, "event_id": event_id, "public": public, "notice": notice, "now": ctx.now}
    ctx.tx.many(
        """INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, notice)
           VALUES (:owner_id, :event_id, :response_id, 'notice', 'email', :address, :address_key, :public, 'queued', 0,
                   :now, :now, :now, :notice)""",
        [common | {"response_id": each, "address": address, "address_key": mailbox(address)} for each, address in recipients],
    )
