"""Ask those who responded to a postponed event again, when it has a new date."""

from kalends import policy
from kalends.context import Context
from kalends.deliveries import limits, store
from kalends.records.event import Event


def ask_again(ctx: Context, events: list[Event]) -> None:
    """Queue an e-mail to everyone who said yes or maybe to one of the events that are to come. The limits of announcements hold, and
    an address that got many messages in the last hour gets no more."""
    events_to_come = {event.id: event for event in events if event.start_at > ctx.now}
    recipients = _find_recipients(ctx, list(events_to_come))
    if not recipients:
        return
    policy.require_verified_sender(ctx)
    limits.count_announcement(ctx, {"email": len(recipients)})
    ctx.tx.many(
        """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts,
                                   due_at, created_at, updated_at)
           VALUES (:owner_id, :event_id, 'notice', 'email', :address, :address_key, :public, 'queued', 0, :now, :now, :now)""",
        [
            {
                "owner_id": events_to_come[event_id].owner_id,
                "event_id": event_id,
                "address": address,
                "address_key": store.mailbox(address),
                "public": events_to_come[event_id].public,
                "now": ctx.now,
            }
            for event_id, address in recipients
        ],
    )


def _find_recipients(ctx: Context, event_ids: list[int]) -> list[tuple[int, str]]:
    """The events and addresses of the responses."""
    rows = ctx.tx.rows(
        f"""SELECT event_id, email_address FROM responses WHERE event_id {ctx.db.in_list("ids")} AND response IN ('YES', 'MAYBE')
            AND email_address <> ''
            ORDER BY id""",
        ids=event_ids,
    )
    flooded = store.find_flooded(ctx, {store.mailbox(address) for _, address in rows}) if rows else set()
    return [(event_id, address) for event_id, address in rows if store.mailbox(address) not in flooded]
