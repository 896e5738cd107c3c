"""Whether a guest wants reminders of an event: switched off by the personal link, for all dates of a series that the guest responded to."""

from kalends.core.records.event import Event
from kalends.core.records.response import Response
from kalends.core.values.text import fold_case
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context

# The number of a guest whom the organiser knows; guests themselves are not asked for it.
PHONE_NUMBER = (
    """(SELECT min(k.phone_e164) FROM contacts k WHERE k.user_id = e.owner_id AND k.email_key = r.email_key AND k.service IS NULL)"""
)


def is_wanted(ctx: Context, event: Event, response: Response) -> bool:
    recipient = ("email", response.email_address)
    return not suppressions.find_suppressed(ctx, event.owner_id, event.id, "reminder", {recipient})


def save(ctx: Context, event: Event, response: Response, *, is_wanted: bool) -> None:
    """Switch the reminders on or off, by every channel."""
    for event_id in {event.id, *_find_dates(ctx, event, response)}:
        for channel, address in _find_addresses(ctx, response.id):
            if is_wanted:
                suppressions.delete(ctx, "reminder", channel, address, event_id=event_id)
            else:
                suppressions.insert(ctx, "reminder", "unsubscribed", channel, address, event_id=event_id)


def _find_addresses(ctx: Context, response_id: int) -> list[tuple[str, str]]:
    """The channels and addresses by which the guest can be reminded."""
    sql = f"SELECT r.email_address, {PHONE_NUMBER} FROM responses r JOIN events e ON e.id = r.event_id WHERE r.id = :id"
    return [
        (channel, address)
        for row in ctx.tx.rows(sql, id=response_id)
        for channel, address in zip(("email", "sms"), row, strict=True)
        if address
    ]


def _find_dates(ctx: Context, event: Event, response: Response) -> list[int]:
    """The coming dates of the series to which the address has responded."""
    if event.series_id is None:
        return []
    rows = ctx.tx.rows(
        """SELECT e.id FROM events e JOIN responses r ON r.event_id = e.id AND r.email_key = :key
           WHERE e.series_id = :series_id AND e.start_at > :now""",
        series_id=event.series_id,
        key=fold_case(response.email_address),
        now=ctx.now,
    )
    return [event_id for (event_id,) in rows]
