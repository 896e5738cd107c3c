"""Whom a reminder reaches: those of its audience who have responded, see the event, and can be reached by its channel."""

from msgspec import Struct

from kalends import policy
from kalends.context import Context
from kalends.records.event import Event
from kalends.records.reminder import Reminder
from kalends.responses.guest_list import TABS

# Nobody who said NO is reminded.
_GROUPS = {
    "going": TABS["going"].removeprefix("AND "),
    "maybe": "response = 'MAYBE'",
    "waiting": f"response = 'YES' {TABS['waiting']}",
    "all": "response IN ('YES', 'MAYBE')",
}
# The number of a guest whom the organiser knows; guests themselves are not asked for it.
_NUMBER = """(SELECT min(k.phone_e164) FROM contacts k WHERE k.user_id = e.owner_id AND k.email_key = r.email_key AND k.service IS NULL)"""
BATCH = 500


class Guest(Struct, frozen=True):
    """A response, and the address to which its reminder goes."""

    response_id: int
    address: str


def find(ctx: Context, event: Event, reminder: Reminder, *, after: int = 0, limit: int | None = None) -> list[Guest]:
    """The guests to remind, in the order of their responses, after the response with this id."""
    return _select(ctx, event, reminder, "AND r.id > :after", limit, after=after)


def count(ctx: Context, event: Event, reminder: Reminder) -> int:
    """How many guests would be reminded now."""
    return len({guest.address for guest in find(ctx, event, reminder)})


def is_reached(ctx: Context, event: Event, reminder: Reminder, response_id: int, address: str) -> bool:
    """Whether the reminder still reaches the response at this address."""
    guests = _select(ctx, event, reminder, "AND r.id = :response_id", None, response_id=response_id)
    return any(guest.address == address for guest in guests)


def _select(ctx: Context, event: Event, reminder: Reminder, condition: str, limit: int | None, **params: int) -> list[Guest]:
    if not reminder.groups:
        return []
    address = "r.email_address" if reminder.channel == "email" else _NUMBER
    groups = " OR ".join(f"({_GROUPS[group]})" for group in reminder.groups)
    return ctx.tx.all(
        Guest,
        f"""SELECT guests.id, guests.address FROM (
                SELECT r.id, {address} AS address FROM responses r JOIN events e ON e.id = r.event_id
                WHERE r.event_id = :event_id AND r.email_address <> '' AND ({groups}) AND {policy.GUEST_SEES_EVENT} {condition}
            ) AS guests WHERE guests.address IS NOT NULL ORDER BY guests.id {"" if limit is None else "LIMIT :limit"}""",
        event_id=event.id,
        **params,
        **({} if limit is None else {"limit": limit}),
    )
