"""Events as calendar entries: in the reader's time zone and the colours of their calendars."""

from collections.abc import Container, Iterable, Sequence
from datetime import date, datetime
from functools import lru_cache, partial

from msgspec import Struct

from kalends.calendar_view import store
from kalends.context import Context
from kalends.i18n.locale import ENGLISH, Locale
from kalends.records.calendar import NamedCalendar
from kalends.values import datetimes
from kalends.values.format_cache import FormatCache

# An event with a time on one day of a month, of which no more is shown: its start, id, title, status, whether the reader may edit it, and
# the calendar on which it was found, if any.
Timed = tuple[int, int, str, str, int | None, int | None]

# The colour of an event whose calendars the reader cannot see.
GREY = "#7a7a7a"


class Entry(Struct, gc=False):
    """An event with its days in the reader's time zone: `search` adds them to what the database has. `mark` adds the clock time of its
    start, and the colour and name of its calendar.

    calendar_id: the calendar on which it was found, if any.
    is_bar: it is shown above the hours, because it takes whole days or more than one."""

    start_at: int
    id: int
    title: str
    end_at: int | None
    all_day: int
    time_zone: str
    location: str | None
    status: str
    can_edit: int | None
    calendar_id: int | None
    zone: str = "UTC"
    first: date = date.min
    last: date = date.min
    is_bar: bool = False
    clock: str = ""
    color: str = GREY
    calendar: str = ""

    @property
    def start(self) -> datetime | None:
        """The start in the reader's time zone; None for an all-day event."""
        return None if self.all_day else datetimes.to_local(self.start_at, self.zone)

    @property
    def end(self) -> datetime | None:
        return None if self.all_day or self.end_at is None else datetimes.to_local(self.end_at, self.zone)

    @property
    def own_clock(self) -> str:
        """The clock time of the start in the event's own time zone, if that differs from the reader's."""
        if self.all_day or self.time_zone == self.zone:
            return ""
        own, local = (datetimes.to_local(self.start_at, zone) for zone in (self.time_zone, self.zone))
        return ENGLISH.formats.clock(own) if own.utcoffset() != local.utcoffset() else ""


class Piece(Struct, frozen=True, gc=False):
    """The part of an event in one day: the CSS classes of its shape and of its position among the hours."""

    entry: Entry
    shape: str = ""
    position: str = ""


def mark(ctx: Context, entries: Iterable[Entry], calendars: Sequence[NamedCalendar], zone: str) -> None:
    """Add to each entry its clock time in the zone, and the colour and name of the calendar on which it was found; or else of the first
    of these calendars that holds it, or of any that the reader sees."""
    clock = clocks(ctx.locale, zone)
    by_id: dict[int | None, NamedCalendar] = {calendar.id: calendar for calendar in calendars}
    others: dict[int, list[Entry]] = {}
    for entry in entries:
        entry.clock = "" if entry.all_day else clock[entry.start_at]
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


@lru_cache(32)
def clocks(locale: Locale, zone: str) -> FormatCache[int, str]:
    """The clock time of an instant, as the calendar shows it again and again."""
    return FormatCache(partial(_clock, locale, zone))


def _clock(locale: Locale, zone: str, instant: int) -> str:
    return locale.formats.clock(datetimes.to_local(instant, zone))
