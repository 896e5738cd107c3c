"""The days that a calendar shows: a month with the weeks around it, a week, one day, or an agenda; and the links to other days."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from urllib.parse import urlencode

from markupsafe import escape
from msgspec import Struct, field

from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.features.calendar_view.model import Entry

MONTH, WEEK, DAY, AGENDA = "month", "week", "day", "agenda"

# With a month around them, and a day more for time zones, all days are within the range of date.
EARLIEST, LATEST = date(1900, 2, 1), date(9999, 11, 30)
AGENDA_DAYS = 28

ONE_DAY = timedelta(days=1)
SATURDAY = 5


class Days(Struct, frozen=True):
    """The days from first to last, their title, and the days to which the calendar goes back and forward."""

    view: str
    day: date
    first: date
    last: date
    title: str
    earlier: date | None
    later: date | None


@lru_cache(500)
def around(view: str, day: date, locale: Locale = ENGLISH) -> Days:
    """The days of the view around this day. A day outside the bounds is replaced by the nearest one."""
    day, formats = min(max(day, EARLIEST), LATEST), locale.formats
    if view == WEEK:
        first = begin_week(day, locale.first_weekday)
        last = first + 6 * ONE_DAY
        return Days(view, day, first, last, formats.day_range(first, last), _in_bounds(day - 7 * ONE_DAY), _in_bounds(day + 7 * ONE_DAY))
    if view == DAY:
        return Days(view, day, day, day, formats.day(day), _in_bounds(day - ONE_DAY), _in_bounds(day + ONE_DAY))
    if view == AGENDA:
        last = day + (AGENDA_DAYS - 1) * ONE_DAY
        return Days(view, day, day, last, formats.day_range(day, last), _in_bounds(day - AGENDA_DAYS * ONE_DAY), _in_bounds(last + ONE_DAY))
    first = day.replace(day=1)
    after = (first + 31 * ONE_DAY).replace(day=1)
    title = formats.month(first)
    earlier = (first - ONE_DAY).replace(day=1)
    grid = [begin_week(each, locale.first_weekday) for each in (first, after - ONE_DAY)]
    return Days(MONTH, day, grid[0], grid[1] + 6 * ONE_DAY, title, _in_bounds(earlier), _in_bounds(after))


def date_range(first: date, last: date) -> list[date]:
    """All days from first to last."""
    return list(map(date.fromordinal, range(first.toordinal(), last.toordinal() + 1)))


def begin_week(day: date, first_weekday: int) -> date:
    """The first day of the day's week."""
    return day - (day.weekday() - first_weekday) % 7 * ONE_DAY


def is_weekend(day: date, first_weekday: int) -> bool:
    """Whether it is a Saturday or Sunday or, where weeks begin on Saturday, a Friday or Saturday."""
    return day.weekday() in ((4, 5) if first_weekday == SATURDAY else (5, 6))


def _in_bounds(day: date) -> date | None:
    return day if EARLIEST <= day <= LATEST else None


class Agenda(Struct):
    """One day with its events: all-day ones first, then those with a time."""

    day: date
    entries: list[Entry] = field(default_factory=list)


def agenda(days: Days, entries: Sequence[Entry]) -> list[Agenda]:
    """Each event on the day on which it begins; one that began earlier is on the first day."""
    by_day: dict[date, Agenda] = {}
    for entry in sorted(entries, key=lambda entry: (max(entry.first, days.first), not entry.is_bar)):
        day = max(entry.first, days.first)
        by_day.setdefault(day, Agenda(day)).entries.append(entry)
    return list(by_day.values())


class Links(Struct, frozen=True):
    """The path of the calendar's page, and the query parameters that its links repeat.

    is_embedded: the calendar is embedded in another site, so events open in a new window."""

    path: str
    query: str = ""
    is_embedded: bool = False

    def to(self, view: str, day: date) -> str:
        return f"{self.path}?view={view}&date={day}{self.query}"

    def path_to(self, view: str) -> tuple[str, str]:
        """What is before and after the date in the links to a view, escaped."""
        return escape(f"{self.path}?view={view}&date="), escape(self.query)

    def path_to_day(self) -> tuple[str, str]:
        return self.path_to(AGENDA if self.is_embedded else DAY)


def repeated_query(calendar_ids: Sequence[int] | None, time_zone: str | None) -> str:
    """The reader's choice of calendars and time zone, as query parameters."""
    values = {"calendar_ids": ",".join(map(str, calendar_ids or ())), "time_zone": time_zone}
    return "".join(f"&{urlencode({name: value}, safe=',/')}" for name, value in values.items() if value)
