"""Whom a reminder reaches: those of its audience who have responded, see the event, and can be reached by its channel."""

from typing import Any

from kalends import policy
from kalends.core.records.delivery import Reminder
from kalends.core.records.event import Event
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.model import Recipient
from kalends.features.responses.guest_list_store import TABS
from kalends.features.responses.reminder_choice_store import PHONE_NUMBER
from kalends.http.context import Context

# Nobody who said NO is reminded.
_GROUPS = {
    "going": TABS["going"],
    "maybe": TABS["maybe"],
    "waiting": TABS["waiting"],
    "all": "response IN ('YES', 'MAYBE')",
}
BATCH = 500


def find(ctx: Context, event: Event, reminder: Reminder, *, after: int, limit: int, cause: str) -> list[Recipient]:
    """The guests to remind who have no message for this cause, in the order of their responses, after the response with this id."""
    has_none = "NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.response_id = r.id AND d.cause = :cause)"
    return _select(ctx, event, reminder, f"AND r.id > :after AND {has_none}", limit, after=after, cause=cause)


def count(ctx: Context, event: Event, reminder: Reminder) -> int:
    """How many guests would be reminded now."""
    everyone = {(reminder.channel, guest.address) for guest in _select(ctx, event, reminder, "", None)}
    return len(everyone) - len(suppressions.find_suppressed(ctx, event.owner_id, event.id, "reminder", everyone))


def is_reached(ctx: Context, event: Event, reminder: Reminder, response_id: int, address: str) -> bool:
    """Whether the reminder still reaches the response at this address."""
    guests = _select(ctx, event, reminder, "AND r.id = :response_id", None, response_id=response_id)
    return any(guest.address == address for guest in guests)


def _select(ctx: Context, event: Event, reminder: Reminder, condition: str, limit: int | None, **params: Any) -> list[Recipient]:
    if not reminder.groups:
        return []
    address = "r.email_address" if reminder.channel == "email" else PHONE_NUMBER
    groups = " OR ".join(f"({_GROUPS[group]})" for group in reminder.groups)
    rows = ctx.tx.rows(
        f"""SELECT guests.id, guests.address FROM (
                SELECT r.id, {address} AS address FROM responses r JOIN events e ON e.id = r.event_id
                WHERE r.event_id = :event_id AND r.email_address <> '' AND ({groups}) AND {policy.GUEST_SEES_EVENT} {condition}
            ) AS guests WHERE guests.address IS NOT NULL ORDER BY guests.id {"" if limit is None else "LIMIT :limit"}""",
        event_id=event.id,
        **params,
        **({} if limit is None else {"limit": limit}),
    )
    return [Recipient(address, response_id, reminder.channel) for response_id, address in rows]
