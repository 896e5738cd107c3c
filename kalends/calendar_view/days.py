"""The days that a calendar shows: a month with the weeks around it, a week, one day, or the days of an agenda."""

from datetime import date, timedelta
from functools import lru_cache

from msgspec import Struct

from kalends.i18n.locale import ENGLISH, Locale

MONTH, WEEK, DAY, AGENDA = "month", "week", "day", "agenda"

# With a month around them, and a day more for time zones, all days are within the range of date.
EARLIEST, LATEST = date(1900, 2, 1), date(9999, 11, 30)
AGENDA_DAYS = 28

ONE_DAY = timedelta(days=1)


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


def _in_bounds(day: date) -> date | None:
    return day if EARLIEST <= day <= LATEST else None
