"""The events of some days: all that is shown of each, or for a month an overview."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise, starmap
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct, structs

from kalends import policy
from kalends.core.i18n import gettext
from kalends.core.records.calendar import NamedCalendar
from kalends.core.values import datetimes
from kalends.core.values.datetimes import DAY_SECONDS
from kalends.features.calendar_view import store
from kalends.features.calendar_view.model import BIRTHDAYS, MINE, Answer, Entry, Timed
from kalends.features.calendar_view.rules.days import ONE_DAY, Days, date_range
from kalends.features.calendar_view.store import Start
from kalends.features.contacts import store as contacts
from kalends.features.contacts.rules.birthday import next_date
from kalends.features.events.listing.query_model import EventQuery, encode_cursor
from kalends.features.events.listing.store import listing
from kalends.features.my_events import store as my_events
from kalends.features.my_events.store import Shown
from kalends.http.context import Context
from kalends.http.paging import MAX_PAGE

MAX_ENTRIES = 1_000
# Of all public events: how many that take days, of those that go on at the first day and of those that start later, and how many others.
MAX_PUBLIC_BARS, MAX_PUBLIC_TIMED = 100, 500
MAX_BIRTHDAYS = 200

R = TypeVar("R", bound=tuple[Any, ...])


class Search(Struct, frozen=True):
    """What to search for: events of these days in this time zone.

    calendars: where they are; None: all public events, but those that are on hidden calendars only."""

    days: Days
    zone: str
    calendars: Sequence[NamedCalendar] | None
    hidden: frozenset[int] = frozenset()
    # What the reader goes to and is invited to, if it is shown.
    mine: Sequence[Shown] = ()
    # The birthdays in these days, as the other rows of events are, if they are shown.
    birthdays: Sequence[store.Row] = ()

    @property
    def answers(self) -> dict[int, Answer]:
        """What the reader has answered, by the ids of the events."""
        return {row.id: (row.state, row.people) for row in self.mine}

    @property
    def midnights(self) -> tuple[int, ...]:
        """The starts of the days and of the one after them, with one more on both sides: the days of an all-day event are those of its own
        time zone."""
        return _midnights(self.days.first - ONE_DAY, self.days.last + 2 * ONE_DAY, self.zone)


class Overview(Struct, frozen=True):
    """The events of a month: the bars, and of each day the starts of its other events in order.

    is_cut: there are more than MAX_ENTRIES, and the last are missing."""

    zone: str
    bars: list[Entry]
    starts: Mapping[date, list[Start]]
    is_cut: bool

    def load(self, ctx: Context, rooms: Mapping[date, int]) -> dict[date, list[Timed]]:
        """The first events of each day that are no bars, up to its number in `rooms`, with what a month shows of them."""
        starts_by_day = {day: starts[: rooms[day]] for day, starts in self.starts.items()}
        ids = [event_id for starts in starts_by_day.values() for _, event_id, _ in starts]
        rows = {row[0]: row for row in store.find_titles(ctx, ids)} if ids else {}
        return {
            day: [
                (start_at, id, row[1], row[2], row[3], row[4] if calendar_id is None else calendar_id)
                for start_at, id, calendar_id in starts
                if (row := rows.get(id))
            ]
            for day, starts in starts_by_day.items()
        }

    def load_day(self, ctx: Context, day: date, limit: int) -> list[Entry]:
        """The first events of the day that are no bars."""
        starts = self.starts.get(day, [])[:limit]
        rows = {row[1]: row for row in store.find_by_ids(ctx, [start[1] for start in starts])} if starts else {}
        return [Entry(*(*rows[event_id], calendar_id, self.zone, day, day)) for _, event_id, calendar_id in starts if event_id in rows]


def find(ctx: Context, search: Search) -> tuple[list[Entry], bool]:
    """The events in the order of their start, and whether there are too many."""
    if search.calendars is None:
        rows, is_cut = _find_public(ctx, search)
        return _entries(ctx, search, rows), is_cut
    midnights = search.midnights
    rows = store.find(ctx, midnights[0], midnights[-1], search.calendars, MAX_ENTRIES + 1)
    is_cut = len(rows) > MAX_ENTRIES
    if is_cut:
        rows = [(*row, None) for row in store.find_by_ids(ctx, _first_ids(ctx, search))]
    return _entries(ctx, search, [*rows, *_rows_of_mine(search), *search.birthdays]), is_cut


def with_mine(ctx: Context, search: Search) -> Search:
    """The search with what the reader goes to and is invited to."""
    midnights = search.midnights
    rows = my_events.find_shown(ctx, midnights[0], midnights[-1], MAX_ENTRIES)
    return structs.replace(search, mine=list({row.id: row for row in rows}.values()))


def with_birthdays(ctx: Context, search: Search) -> Search:
    """The search with the birthdays of the reader's contacts."""
    first, last = search.days.first, search.days.last
    # Who was born on the 29th of February celebrates on the day before in most years.
    ends = [f"{day:%m-%d}".replace("02-28", leap) for day, leap in ((first, "02-28"), (last, "02-29"))]
    rows = []
    for birthday in contacts.find_birthdays_on_days(ctx, policy.user(ctx).id, ends[0], ends[1], MAX_BIRTHDAYS):
        day = next_date(birthday.born, first)
        if birthday.born <= day <= last:
            start_at = datetimes.start_of_day(day, search.zone)
            title = ctx.locale.translate(gettext("%(name)s’s birthday", name=birthday.name))
            rows.append((start_at, -birthday.id, title, None, 1, search.zone, None, "planned", None, BIRTHDAYS))
    return structs.replace(search, birthdays=rows)


def _rows_of_mine(search: Search) -> list[store.Row]:
    """What is an event in the layer, as the other rows of events are."""
    return [(*structs.astuple(row)[:8], None, MINE) for row in search.mine]


def _find_public(ctx: Context, search: Search) -> tuple[list[store.Row], bool]:
    midnights = search.midnights
    running = store.find_public_running(ctx, midnights[0], MAX_PUBLIC_BARS + 1)
    beginning = store.find_public_taking_days(ctx, midnights[0], midnights[-1], MAX_PUBLIC_BARS + 1)
    timed = store.find_public_timed(ctx, midnights[1], midnights[-2], MAX_PUBLIC_TIMED + 1)
    is_cut = max(len(running), len(beginning)) > MAX_PUBLIC_BARS or len(timed) > MAX_PUBLIC_TIMED
    return running[:MAX_PUBLIC_BARS] + beginning[:MAX_PUBLIC_BARS] + timed[:MAX_PUBLIC_TIMED], is_cut


def find_overview(ctx: Context, search: Search) -> Overview:
    """The events of a month. Of those that are no bars, no more than the start is read."""
    midnights, dates = search.midnights, date_range(search.days.first, search.days.last)
    entries, starts, is_cut = _find_public_month(ctx, search) if search.calendars is None else _find_month(ctx, search, search.calendars)
    # What lasts from midnight to midnight is not a bar.
    starts += [(entry.start_at, entry.id, entry.calendar_id) for entry in entries if not entry.is_bar]
    starts.sort()
    bounds = [bisect_left(starts, (midnight,)) for midnight in midnights[1:-1]]
    of_days = {day: starts[i:j] for day, (i, j) in zip(dates, pairwise(bounds), strict=True) if i < j}
    return Overview(search.zone, [entry for entry in entries if entry.is_bar], of_days, is_cut)


def _find_month(ctx: Context, search: Search, calendars: Sequence[NamedCalendar]) -> tuple[list[Entry], list[Start], bool]:
    """The events that take days, the starts of the others, and whether there are too many; then all events are in the first list."""
    midnights = search.midnights
    rows = store.find_taking_days(ctx, midnights[0], midnights[-1], calendars, MAX_ENTRIES + 1)
    starts = store.find_starts(ctx, midnights[1], midnights[-2], calendars, MAX_ENTRIES + 1)
    if len(rows) + len(starts) > MAX_ENTRIES:
        return find(ctx, search)[0], [], True
    mine = _rows_of_mine(search)
    taking_days = {row.id for row in search.mine if row.all_day or (row.end_at or row.start_at) - row.start_at >= DAY_SECONDS}
    entries = _entries(ctx, search, [*rows, *(row for row in mine if row[1] in taking_days), *search.birthdays])
    timed = _once(ctx, search, starts + [(row[0], row[1], MINE) for row in mine if row[1] not in taking_days])
    return entries, timed, False


def _find_public_month(ctx: Context, search: Search) -> tuple[list[Entry], list[Start], bool]:
    """The public events that take days, the starts of the others, and whether there are too many; then the first are in both lists."""
    midnights = search.midnights
    running = store.find_public_running(ctx, midnights[0], MAX_PUBLIC_BARS + 1)
    beginning = store.find_public_taking_days(ctx, midnights[0], midnights[-1], MAX_PUBLIC_BARS + 1)
    starts = store.find_public_starts(ctx, midnights[1], midnights[-2], MAX_ENTRIES + 1)
    is_cut = max(len(running), len(beginning)) > MAX_PUBLIC_BARS or len(starts) > MAX_ENTRIES
    # What starts after the last that is known to take days may take days, too.
    end = beginning[MAX_PUBLIC_BARS][:2] if len(beginning) > MAX_PUBLIC_BARS else listing.AFTER_ALL
    taking_days = {row[1] for row in beginning}
    timed = [start for start in starts[:MAX_ENTRIES] if start[1] not in taking_days and start[:2] < end]
    entries = _entries(ctx, search, running[:MAX_PUBLIC_BARS] + beginning[:MAX_PUBLIC_BARS])
    return entries, _once(ctx, search, timed), is_cut


@lru_cache(64)
def _midnights(first: date, last: date, zone: str) -> tuple[int, ...]:
    return tuple([datetimes.start_of_day(day, zone) for day in date_range(first, last)])


def _first_ids(ctx: Context, search: Search) -> list[int]:
    """The first MAX_ENTRIES events of more, whose order an index has."""
    first, last = search.days.first - ONE_DAY, search.days.last + ONE_DAY
    query = EventQuery(start_time=first.isoformat(), end_time=last.isoformat(), overlaps=True, limit=MAX_PAGE)
    ids: list[int] = []
    while len(ids) < MAX_ENTRIES and (page := listing.find(ctx, query, search.calendars, search.zone)[:MAX_PAGE]):
        ids += [row.id for row in page]
        query = structs.replace(query, after=encode_cursor(page[-1]))
    return ids


def _once(ctx: Context, search: Search, rows: list[R]) -> list[R]:
    """The rows, whose last column is the calendar: without those on hidden calendars, and an event that is on several of the calendars
    once, for the first of them."""
    order = {calendar.id: number for number, calendar in enumerate(search.calendars or ())}
    if len(order) > 1 and len(set(map(itemgetter(1), rows))) < len(rows):
        rows = list({row[1]: row for row in sorted(rows, key=lambda row: -order.get(row[-1], len(order)))}.values())
    if not search.hidden:
        return rows
    calendars: dict[int, set[int]] = {}
    for event_id, calendar_id, *_ in store.find_calendars(ctx, [row[1] for row in rows]):
        calendars.setdefault(event_id, set()).add(calendar_id)
    return [row for row in rows if row[1] not in calendars or not calendars[row[1]] <= search.hidden]


def _entries(ctx: Context, search: Search, rows: list[store.Row]) -> list[Entry]:
    """The events that are in the days, in the order of their start."""
    if not rows:
        return []
    days = search.days
    entries = list(starmap(Entry, sorted(_once(ctx, search, rows))))
    _add_days(entries, search)
    answers = search.answers
    for entry in entries if answers else ():
        if entry.calendar_id == MINE:
            entry.answer = answers[entry.id]
    return [entry for entry in entries if days.first <= entry.first <= days.last or _is_on(entry, days, search.midnights[1])]


def _add_days(entries: list[Entry], search: Search) -> None:
    """Add the days of the events in the zone: found by a binary search among the midnights, since there are hundreds of events."""
    midnights, zone = search.midnights, search.zone
    dates = date_range(search.days.first - ONE_DAY, search.days.last + ONE_DAY)

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
