"""Which days a calendar shows: a month with the weeks around it, a week, or the days of an agenda."""

from datetime import date, timedelta

from msgspec import Struct

MONTH, WEEK, AGENDA = "month", "week", "agenda"

# A month around them, and a day more for the zones, are days that can be written.
EARLIEST, LATEST = date(1900, 2, 1), date(9999, 11, 30)
DAYS_OF_AN_AGENDA = 28

ONE = timedelta(days=1)


class Days(Struct, frozen=True):
    """The days from first to last, what they are called, and where the calendar goes on before and after them."""

    view: str
    day: date
    first: date
    last: date
    title: str
    earlier: date | None
    later: date | None


def around(view: str, day: date) -> Days:
    """The days of the view that this day is in. A day out of all bounds is the nearest that is shown."""
    day = min(max(day, EARLIEST), LATEST)
    if view == WEEK:
        first = monday(day)
        return Days(view, day, first, first + 6 * ONE, _span(first, first + 6 * ONE), _shown(day - 7 * ONE), _shown(day + 7 * ONE))
    if view == AGENDA:
        last = day + (DAYS_OF_AN_AGENDA - 1) * ONE
        return Days(view, day, day, last, _span(day, last), _shown(day - DAYS_OF_AN_AGENDA * ONE), _shown(last + ONE))
    first = day.replace(day=1)
    after = (first + 31 * ONE).replace(day=1)
    title = f"{first:%B} {first.year}"
    earlier = (first - ONE).replace(day=1)
    return Days(MONTH, day, monday(first), monday(after - ONE) + 6 * ONE, title, _shown(earlier), _shown(after))


def each(first: date, last: date) -> list[date]:
    """All days from first to last."""
    return [first + i * ONE for i in range((last - first).days + 1)]


def monday(day: date) -> date:
    """The Monday with which its week begins."""
    return day - day.weekday() * ONE


def _shown(day: date) -> date | None:
    return day if EARLIEST <= day <= LATEST else None


def _span(first: date, last: date) -> str:
    """`11 – 17 May 2026`, with as much of the first day as differs."""
    start = f"{first.day}"
    if (first.year, first.month) != (last.year, last.month):
        start += f" {first:%B}"
    if first.year != last.year:
        start += f" {first.year}"
    return f"{start} – {last.day} {last:%B} {last.year}"
