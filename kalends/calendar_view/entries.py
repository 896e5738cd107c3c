"""The events of some days as a calendar shows them: on the reader's clocks, in the colours of their calendars."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime

from msgspec import Struct, structs

from kalends import policy
from kalends.calendar_view.days import ONE, Days, each
from kalends.calendars.model import Calendar
from kalends.context import Context
from kalends.events import cursor, listing
from kalends.events.model import EventRow
from kalends.events.query import EventQuery
from kalends.http.paging import MAX_PAGE
from kalends.values import datetimes
from kalends.values.datetimes import DAY_SECONDS
from kalends.values.time_text import clock

MOST = 1_000
# Of a calendar that the reader does not see.
GREY = "#7a7a7a"


class Entry(Struct):
    """An event with the days on which the reader has it, and what `mark` adds: when it begins on the reader's clocks, in which
    colour and after which calendar it is shown, and whether the reader may change it.

    is_bar: it stands above the hours, since it takes whole days or longer than one."""

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
        """On the reader's clocks, unless it takes whole days."""
        return None if self.row.all_day else datetimes.to_local(self.row.start_at, self.zone)

    @property
    def end(self) -> datetime | None:
        return None if self.row.all_day or self.row.end_at is None else datetimes.to_local(self.row.end_at, self.zone)

    @property
    def clock_there(self) -> str:
        """When it begins on the clocks where it is, if those show another time than the reader's."""
        there = None if self.row.all_day else datetimes.to_local(self.row.start_at, self.row.time_zone)
        return clock(there) if there and self.start and there.utcoffset() != self.start.utcoffset() else ""


class Piece(Struct, frozen=True):
    """What is shown of an event somewhere: the classes that give it its shape, and those that say where it stands."""

    entry: Entry
    shape: str = ""
    place: str = ""


def of_days(ctx: Context, days: Days, calendars: Sequence[Calendar] | None, zone: str) -> tuple[list[Entry], bool]:
    """The events of these days in the order of their start, and whether there are more than can be shown.

    Without calendars: all public events."""
    # Whole days are the event's own, wherever its reader is: a day more on both sides has them all.
    first, last = days.first - ONE, days.last + ONE
    query = EventQuery(start_time=first.isoformat(), end_time=last.isoformat(), overlaps=True, limit=MAX_PAGE)
    rows: list[EventRow] = []
    while len(found := listing.find(ctx, query, calendars, zone)) > MAX_PAGE and len(rows) + MAX_PAGE < MOST:
        rows += found[:MAX_PAGE]
        query = structs.replace(query, after=cursor.encode(rows[-1]))
    day_of = _days_by_moment(first, last, zone)
    begins = datetimes.start_of_day(days.first, zone)
    entries = [_entry(row, zone, day_of) for row in [*rows, *found[:MAX_PAGE]]]
    return [entry for entry in entries if _is_on(entry, days, begins)], len(found) > MAX_PAGE


def mark(ctx: Context, entries: Sequence[Entry], calendars: Sequence[Calendar] | None) -> None:
    """Mark what is shown: each entry after the first of these calendars on which it is, else after any that the reader sees."""
    by_id = {entry.id: entry for entry in entries}
    for entry in by_id.values():
        entry.clock = clock(entry.start) if entry.start else ""
    chosen = {calendar.id for calendar in calendars or ()}
    placed = ctx.tx.rows(
        f"""SELECT p.event_id, c.id, c.color, c.name FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id IN {ctx.db.in_list("ids")} AND {policy.calendar_visible(ctx)} ORDER BY p.id DESC""",
        ids=list(by_id),
        me=policy.me(ctx),
    )
    for event_id, _, color, name in sorted(placed, key=lambda row: row[1] in chosen):
        by_id[event_id].color, by_id[event_id].calendar = color, name
    for event_id in _changeable(ctx, list(by_id)):
        by_id[event_id].can_edit = True


def _changeable(ctx: Context, ids: list[int]) -> list[int]:
    """Those that the actor may change."""
    if ctx.actor is None:
        return []
    found = f"""SELECT e.id FROM events e JOIN calendars c ON c.id = e.calendar_id
                WHERE e.id IN {ctx.db.in_list("ids")} AND {policy.EVENT_EDITABLE}"""
    return [row[0] for row in ctx.tx.rows(found, ids=ids, me=ctx.actor.id)]


def _days_by_moment(first: date, last: date, zone: str) -> Callable[[int], date]:
    """On which day a moment falls in the zone: looked up among the midnights of these days, since there are hundreds to ask for."""
    dates = each(first, last)
    midnights = [datetimes.start_of_day(day, zone) for day in [*dates, last + ONE]]

    def day_of(instant: int) -> date:
        at = bisect_right(midnights, instant) - 1
        return dates[at] if 0 <= at < len(dates) else datetimes.to_local(instant, zone).date()

    return day_of


def _entry(row: EventRow, zone: str, day_of: Callable[[int], date]) -> Entry:
    lasts = 0 if row.end_at is None else row.end_at - row.start_at
    if row.all_day:
        first = datetimes.to_local(row.start_at, row.time_zone).date()
        last = datetimes.to_local(row.start_at + lasts - 1, row.time_zone).date() if lasts > DAY_SECONDS else first
    else:
        # What ends in the small hours belongs to the evening before.
        first = day_of(row.start_at)
        last = day_of(row.start_at + lasts - 1) if lasts >= DAY_SECONDS else first
    return Entry(row.id, row.title, row, zone, first, last, bool(row.all_day) or first != last)


def _is_on(entry: Entry, days: Days, begins: int) -> bool:
    """Whether it is on in these days, the first of which begins at that moment."""
    return entry.first <= days.last and (entry.last >= days.first or (not entry.is_bar and (entry.row.end_at or 0) > begins))
