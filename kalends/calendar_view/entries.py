"""The events of some days as calendar entries: in the reader's time zone and the colours of their calendars."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import starmap

from msgspec import Struct, structs

from kalends.calendar_view import store
from kalends.calendar_view.days import ONE_DAY, Days, date_range
from kalends.context import Context
from kalends.events import cursor, listing
from kalends.events.query import EventQuery
from kalends.http.paging import MAX_PAGE
from kalends.i18n.locale import ENGLISH
from kalends.records.calendar import Calendar
from kalends.values import datetimes
from kalends.values.datetimes import DAY_SECONDS

MAX_ENTRIES = 1_000
# The colour of an event whose calendars the reader cannot see.
GREY = "#7a7a7a"


class Entry(Struct, gc=False):
    """An event with its days in the reader's time zone: `of_days` adds them to what the database has. `mark` adds the clock time of its
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


class Piece(Struct, frozen=True):
    """The part of an event in one day: the CSS classes of its shape and of its position among the hours."""

    entry: Entry
    shape: str = ""
    position: str = ""


def of_days(
    ctx: Context, days: Days, calendars: Sequence[Calendar] | None, zone: str, hidden: frozenset[int] = frozenset()
) -> tuple[list[Entry], bool]:
    """The events of these days in the order of their start, and whether there are more than MAX_ENTRIES.

    Without calendars: all public events, but those that are on hidden calendars only."""
    # The days of an all-day event are those of its own time zone: one day more on both sides includes them all.
    first, last = days.first - ONE_DAY, days.last + ONE_DAY
    midnights = [datetimes.start_of_day(day, zone) for day in date_range(first, last + ONE_DAY)]
    if calendars is None:
        rows = store.find_public(ctx, midnights[0], midnights[-1], MAX_ENTRIES + 1)
    else:
        rows = store.find_placed(ctx, midnights[0], midnights[-1], calendars, MAX_ENTRIES + 1)
    is_cut = len(rows) > MAX_ENTRIES
    if is_cut:
        rows = store.find_by_ids(ctx, _first_ids(ctx, first, last, calendars, zone))
    entries = _in_order(rows, calendars or ())
    _add_days(entries, zone, first, midnights)
    if hidden:
        entries = _without_hidden(ctx, entries, hidden)
    return [entry for entry in entries if days.first <= entry.first <= days.last or _is_on(entry, days, midnights[1])], is_cut


def _first_ids(ctx: Context, first: date, last: date, calendars: Sequence[Calendar] | None, zone: str) -> list[int]:
    """The first MAX_ENTRIES events of more, whose order an index has."""
    query = EventQuery(start_time=first.isoformat(), end_time=last.isoformat(), overlaps=True, limit=MAX_PAGE)
    ids: list[int] = []
    while len(ids) < MAX_ENTRIES and (page := listing.find(ctx, query, calendars, zone)[:MAX_PAGE]):
        ids += [row.id for row in page]
        query = structs.replace(query, after=cursor.encode(page[-1]))
    return ids


def _in_order(rows: Sequence[store.Row], calendars: Sequence[Calendar]) -> list[Entry]:
    """The events in the order of their start. One that is on several of the calendars is once in it, for the first of them."""
    entries = list(starmap(Entry, sorted(rows)))
    if len(calendars) < 2:
        return entries
    order = {calendar.id: number for number, calendar in enumerate(calendars)}
    by_id: dict[int, Entry] = {}
    for entry in entries:
        other = by_id.setdefault(entry.id, entry)
        if other is not entry and order[entry.calendar_id or 0] < order[other.calendar_id or 0]:
            by_id[entry.id] = entry
    return list(by_id.values())


def _without_hidden(ctx: Context, entries: list[Entry], hidden: frozenset[int]) -> list[Entry]:
    """The events that are on no calendar, or on one that is not hidden."""
    calendars: dict[int, set[int]] = {}
    for event_id, calendar_id, *_ in store.find_calendars(ctx, [entry.id for entry in entries]):
        calendars.setdefault(event_id, set()).add(calendar_id)
    return [entry for entry in entries if entry.id not in calendars or not calendars[entry.id] <= hidden]


def mark(ctx: Context, entries: Iterable[Entry], calendars: Sequence[Calendar]) -> None:
    """Add to each entry its clock time, and the colour and name of the calendar on which it was found; or else of the first of these
    calendars that holds it, or of any that the reader sees."""
    clock = ctx.locale.formats.clock
    by_id = {calendar.id: calendar for calendar in calendars}
    others: dict[int, Entry] = {}
    for entry in entries:
        entry.clock = clock(start) if (start := entry.start) else ""
        if entry.calendar_id is None:
            others[entry.id] = entry
        else:
            calendar = by_id[entry.calendar_id]
            entry.color, entry.calendar = calendar.color, calendar.name
    if others:
        for event_id, _, color, name in sorted(store.find_calendars(ctx, list(others)), key=lambda row: row[1] in by_id):
            others[event_id].color, others[event_id].calendar = color, name


def _add_days(entries: list[Entry], zone: str, first: date, midnights: list[int]) -> None:
    """Add the days of the events in the zone: found by a binary search among the midnights, since there are hundreds of events."""
    dates = date_range(first, first + (len(midnights) - 2) * ONE_DAY)

    def day_of(instant: int) -> date:
        index = bisect_right(midnights, instant) - 1
        return dates[index] if 0 <= index < len(dates) else datetimes.to_local(instant, zone).date()

    for entry in entries:
        entry.zone = zone
        duration = 0 if entry.end_at is None else entry.end_at - entry.start_at
        if entry.all_day:
            entry.first = datetimes.to_local(entry.start_at, entry.time_zone).date()
            last_at = entry.start_at + duration - 1
            entry.last = datetimes.to_local(last_at, entry.time_zone).date() if duration > DAY_SECONDS else entry.first
            entry.is_bar = True
        else:
            # An event that ends in the small hours is shown on the evening before.
            entry.first = entry.last = day_of(entry.start_at)
            if duration >= DAY_SECONDS:
                entry.last = day_of(entry.start_at + duration - 1)
                entry.is_bar = entry.first != entry.last


def _is_on(entry: Entry, days: Days, start_at: int) -> bool:
    """Whether the event is in these days, which begin at start_at."""
    return entry.first <= days.last and (entry.last >= days.first or (not entry.is_bar and (entry.end_at or 0) > start_at))
