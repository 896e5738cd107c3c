"""Whether a guest wants reminders of an event: switched off by the personal link, for all dates of a series that the guest responded to."""

from kalends.context import Context
from kalends.deliveries import suppressions
from kalends.events.reminders import recipients
from kalends.records.event import Event
from kalends.records.response import Response
from kalends.values.text import fold_case


def is_wanted(ctx: Context, event: Event, response: Response) -> bool:
    recipient = ("email", response.email_address)
    return not suppressions.find_suppressed(ctx, event.owner_id, event.id, "reminder", {recipient})


def save(ctx: Context, event: Event, response: Response, *, is_wanted: bool) -> None:
    """Switch the reminders on or off, by every channel."""
    for event_id in {event.id, *_find_dates(ctx, event, response)}:
        for channel, address in recipients.addresses(ctx, response.id):
            if is_wanted:
                suppressions.delete(ctx, "reminder", channel, address, event_id=event_id)
            else:
                suppressions.insert(ctx, "reminder", "unsubscribed", channel, address, event_id=event_id)


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
