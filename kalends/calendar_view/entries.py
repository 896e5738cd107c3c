"""The events of some days as calendar entries: in the reader's time zone and the colours of their calendars."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime

from msgspec import Struct, structs

from kalends import policy
from kalends.calendar_view.days import ONE_DAY, Days, date_range
from kalends.context import Context
from kalends.events import cursor, listing
from kalends.events.query import EventQuery
from kalends.http.paging import MAX_PAGE
from kalends.i18n.locale import ENGLISH
from kalends.records.calendar import Calendar
from kalends.records.event import EventRow
from kalends.values import datetimes
from kalends.values.datetimes import DAY_SECONDS

MAX_ENTRIES = 1_000
# The colour of an event whose calendars the reader cannot see.
GREY = "#7a7a7a"


class Entry(Struct):
    """An event with its days in the reader's time zone. `mark` adds the clock time of its start, the colour and name of its
    calendar, and whether the reader may change it.

    is_bar: it is shown above the hours, because it takes whole days or more than one."""

    id: int
    title: str
    row: EventRow
    zone: str
    first: date
    last: date
    is_bar: bool
    clock: str = ""
    color: str = GREY
    calendar: str = ""
    can_edit: bool = False

    @property
    def start(self) -> datetime | None:
        """The start in the reader's time zone; None for an all-day event."""
        return None if self.row.all_day else datetimes.to_local(self.row.start_at, self.zone)

    @property
    def end(self) -> datetime | None:
        return None if self.row.all_day or self.row.end_at is None else datetimes.to_local(self.row.end_at, self.zone)

    @property
    def own_clock(self) -> str:
        """The clock time of the start in the event's own time zone, if that differs from the reader's."""
        own = None if self.row.all_day else datetimes.to_local(self.row.start_at, self.row.time_zone)
        return ENGLISH.formats.clock(own) if own and self.start and own.utcoffset() != self.start.utcoffset() else ""


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
    query = EventQuery(start_time=first.isoformat(), end_time=last.isoformat(), overlaps=True, limit=MAX_PAGE)
    rows: list[EventRow] = []
    while len(page := listing.find(ctx, query, calendars, zone)) > MAX_PAGE and len(rows) + MAX_PAGE < MAX_ENTRIES:
        rows += page[:MAX_PAGE]
        query = structs.replace(query, after=cursor.encode(rows[-1]))
    day_of = _days_by_moment(first, last, zone)
    start_at = datetimes.start_of_day(days.first, zone)
    entries = [_entry(row, zone, day_of) for row in [*rows, *page[:MAX_PAGE]] if not _is_hidden(row, hidden)]
    return [entry for entry in entries if _is_on(entry, days, start_at)], len(page) > MAX_PAGE


def _is_hidden(row: EventRow, hidden: frozenset[int]) -> bool:
    return bool(hidden and row.calendar_ids and hidden.issuperset(map(int, row.calendar_ids.split(","))))


def mark(ctx: Context, entries: Sequence[Entry], calendars: Sequence[Calendar] | None) -> None:
    """Add to each entry the colour and name of the first of these calendars that holds it, or of any that the reader sees."""
    by_id = {entry.id: entry for entry in entries}
    clock = ctx.locale.formats.clock
    for entry in by_id.values():
        entry.clock = clock(entry.start) if entry.start else ""
    preferred = {calendar.id for calendar in calendars or ()}
    rows = ctx.tx.rows(
        f"""SELECT p.event_id, c.id, c.color, c.name FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id {ctx.db.in_list("ids")} AND {policy.calendar_visible(ctx)} ORDER BY p.id DESC""",
        ids=list(by_id),
        me=policy.me(ctx),
    )
    for event_id, _, color, name in sorted(rows, key=lambda row: row[1] in preferred):
        by_id[event_id].color, by_id[event_id].calendar = color, name
    for event_id in _editable(ctx, list(by_id)):
        by_id[event_id].can_edit = True


def _editable(ctx: Context, ids: list[int]) -> list[int]:
    """The ids of the events that the actor may change."""
    if ctx.actor is None:
        return []
    sql = f"""SELECT e.id FROM events e JOIN calendars c ON c.id = e.calendar_id
                WHERE e.id {ctx.db.in_list("ids")} AND {policy.EVENT_EDITABLE}"""
    return [row[0] for row in ctx.tx.rows(sql, ids=ids, me=ctx.actor.id)]


def _days_by_moment(first: date, last: date, zone: str) -> Callable[[int], date]:
    """A function from an instant to its day in the zone: a binary search among the midnights, since it is called hundreds of times."""
    dates = date_range(first, last)
    midnights = [datetimes.start_of_day(day, zone) for day in [*dates, last + ONE_DAY]]

    def day_of(instant: int) -> date:
        index = bisect_right(midnights, instant) - 1
        return dates[index] if 0 <= index < len(dates) else datetimes.to_local(instant, zone).date()

    return day_of


def _entry(row: EventRow, zone: str, day_of: Callable[[int], date]) -> Entry:
    duration = 0 if row.end_at is None else row.end_at - row.start_at
    if row.all_day:
        first = datetimes.to_local(row.start_at, row.time_zone).date()
        last = datetimes.to_local(row.start_at + duration - 1, row.time_zone).date() if duration > DAY_SECONDS else first
    else:
        # An event that ends in the small hours is shown on the evening before.
        first = day_of(row.start_at)
        last = day_of(row.start_at + duration - 1) if duration >= DAY_SECONDS else first
    return Entry(row.id, row.title, row, zone, first, last, bool(row.all_day) or first != last)


def _is_on(entry: Entry, days: Days, start_at: int) -> bool:
    """Whether the event is in these days, which begin at start_at."""
    return entry.first <= days.last and (entry.last >= days.first or (not entry.is_bar and (entry.row.end_at or 0) > start_at))
