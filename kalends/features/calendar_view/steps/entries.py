"""Events as calendar entries: in the reader's time zone and the colours of their calendars."""

from collections.abc import Container, Iterable, Sequence

from kalends.core.records.calendar import NamedCalendar
from kalends.core.values.datetimes import to_local
from kalends.features.calendar_view import store
from kalends.features.calendar_view.model import GREY, Entry, Timed
from kalends.http.context import Context


def mark(ctx: Context, entries: Iterable[Entry], calendars: Sequence[NamedCalendar], zone: str) -> None:
    """Add to each entry its clock time in the zone, and the colour and name of the calendar on which it was found; or else of the first
    of these calendars that holds it, or of any that the reader sees."""
    clock = ctx.locale.formats.clock
    by_id: dict[int | None, NamedCalendar] = {calendar.id: calendar for calendar in calendars}
    others: dict[int, list[Entry]] = {}
    for entry in entries:
        entry.clock = "" if entry.all_day else clock(to_local(entry.start_at, zone))
        calendar = by_id.get(entry.calendar_id)
        if calendar is None:
            others.setdefault(entry.id, []).append(entry)
        else:
            entry.color, entry.calendar = calendar.color, calendar.name
    if others:
        for event_id, _, color, name in _find_calendars(ctx, list(others), by_id):
            for entry in others[event_id]:
                entry.color, entry.calendar = color, name


def find_colors(ctx: Context, events: Iterable[Timed], calendars: Sequence[NamedCalendar]) -> dict[int, str]:
    """The colour of each event, by its id: that of the same calendar."""
    by_id: dict[int | None, str] = {calendar.id: calendar.color for calendar in calendars}
    colors = {event_id: by_id.get(calendar_id, "") for _, event_id, _, _, _, calendar_id in events}
    others = [event_id for event_id, color in colors.items() if not color]
    if others:
        colors |= dict.fromkeys(others, GREY)
        colors |= {event_id: color for event_id, _, color, _ in _find_calendars(ctx, others, by_id)}
    return colors


def _find_calendars(ctx: Context, event_ids: list[int], preferred: Container[int | None]) -> list[store.Row]:
    """The calendars of events that the reader sees; of each event, the one to show is the last."""
    return sorted(store.find_calendars(ctx, event_ids), key=lambda row: row[1] in preferred)
