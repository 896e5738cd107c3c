"""The dates of a rule that an import creates, if there are more than a series may have."""

from collections import deque
from collections.abc import Iterable
from datetime import date

from msgspec import Struct

from kalends.events.series.store import MAX_OCCURRENCES


class Dates(Struct, frozen=True):
    """The dates of a rule that are imported, and whether others before or after them were left out."""

    days: list[date]
    is_cut_at_start: bool
    is_cut_at_end: bool


def limit_dates(days: Iterable[date], horizon: date, *, stops_at_horizon: bool) -> Dates:
    """As many dates as a series may have: the first ones if they reach beyond the horizon, else the last ones up to it."""
    selected: deque[date] = deque(maxlen=MAX_OCCURRENCES)
    is_cut_at_start = False
    for day in days:
        is_full = len(selected) == MAX_OCCURRENCES
        if day > horizon and (stops_at_horizon or is_full):
            return Dates(list(selected), is_cut_at_start, is_cut_at_end=True)
        is_cut_at_start = is_cut_at_start or is_full
        selected.append(day)
    return Dates(list(selected), is_cut_at_start, is_cut_at_end=False)
