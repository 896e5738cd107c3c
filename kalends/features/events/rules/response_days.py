"""The responses to an event by day, for a plot: one column a day, or one a week where there would be too many."""

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec import Struct

from kalends.core.values import datetimes

MAX_COLUMNS = 30
# How many columns have a date below them, where there is no room for all.
MAX_LABELS = 3
HEIGHT = 70
# Before this, there is too little to compare.
MIN_RESPONSES = 3
# All zones differ from UTC by a multiple of it.
QUARTER_HOUR = 900
LONGEST = timedelta(weeks=MAX_COLUMNS)


class Part(Struct, frozen=True):
    """A rectangle of a column."""

    kind: str
    y: int
    height: int


class Column(Struct, frozen=True):
    """The responses of a day, or of the week that begins with it."""

    day: date
    yes: int
    waiting: int
    maybe: int
    no: int
    is_labelled: bool
    parts: list[Part]


def columns(counts: Iterable[tuple[int, str, int]], now: int, zone: str) -> list[Column]:
    """The columns up to today; none if there are few responses.

    counts: quarter hours since 1970, the response, and how many there were.
    """
    days: dict[date, dict[str, int]] = {}
    for quarter, response, number in counts:
        day = datetimes.to_local(quarter * QUARTER_HOUR, zone).date()
        of_day = days.setdefault(day, {})
        of_day[response] = of_day.get(response, 0) + number
    if sum(sum(of_day.values()) for of_day in days.values()) < MIN_RESPONSES:
        return []
    today = datetimes.to_local(now, zone).date()
    step = 1 if (today - min(days)).days < MAX_COLUMNS else 7
    first = min(days) if step == 1 else today - timedelta(days=(today - min(days)).days // 7 * 7 + 6)
    starts = [first + timedelta(days=step * index) for index in range((today - first).days // step + 1)]
    totals = [_total(days, start, step) for start in starts]
    highest, spread = max(map(sum, totals)), -(-len(starts) // MAX_LABELS)
    last = len(starts) - 1
    return [
        Column(start, *total, (last - index) % spread == 0, _parts(total, highest))
        for index, (start, total) in enumerate(zip(starts, totals, strict=True))
    ]


def _total(days: dict[date, dict[str, int]], start: date, step: int) -> tuple[int, int, int, int]:
    span = [days.get(start + timedelta(days=each), {}) for each in range(step)]
    yes, waiting, maybe, no = (sum(day.get(response, 0) for day in span) for response in ("YES", "WAITING", "MAYBE", "NO"))
    return yes, waiting, maybe, no


def _parts(total: tuple[int, int, int, int], highest: int) -> list[Part]:
    """From the bottom up; what is there is never too low to be seen."""
    parts, top = [], HEIGHT
    for kind, number in zip(("yes", "wait", "maybe", "no"), total, strict=True):
        if number:
            height = max(2, round((HEIGHT - 3) * number / highest))
            top -= height
            parts.append(Part(kind, max(0, top), height - 1))
    return parts
