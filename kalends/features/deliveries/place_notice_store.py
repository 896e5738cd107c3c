"""E-mail to guests on a waiting list: they have a place, one is offered to them, or their offer has lapsed."""

from kalends.core.records.delivery import PlaceNotice
from kalends.features.deliveries import store
from kalends.http.context import Context, Message


def insert(ctx: Context, event_id: int, response_ids: list[int], notice: PlaceNotice) -> None:
    """Queue the notice for each of the responses."""
    if not response_ids:
        return
    owner_id, public = ctx.tx.rows("SELECT owner_id, public OR by_link FROM events WHERE id = :id", id=event_id)[0]
    rows = ctx.tx.rows(f"SELECT id, email_address FROM responses WHERE id {ctx.db.in_list('ids')} ORDER BY id", ids=response_ids)
    ctx.tx.many(
        """INSERT INTO deliveries (owner_id, event_id, response_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at, notice)
           VALUES (:owner_id, :event_id, :response_id, 'notice', 'email', :address, :address_key, :public, 'queued', 0,
                   :now, :now, :now, :notice)""",
        [
            {
                "owner_id": owner_id,
                "event_id": event_id,
                "response_id": response_id,
                "address": address,
                "address_key": store.mailbox(address),
                "public": bool(public),
                "notice": notice,
                "now": ctx.now,
            }
            for response_id, address in rows
        ],
    )
    for _, address in rows:
        ctx.add_message(Message("notice", "email", address))
