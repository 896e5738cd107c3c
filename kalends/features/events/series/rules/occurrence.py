"""The occurrences of a rule: their times after a pattern, and which dates are created if there are more than a series may have."""

from collections import deque
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct

from kalends.core import errors
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events.rules.span import Span
from kalends.features.events.series.rules.rule import MAX_OCCURRENCES


def occurrence_span(pattern: Event | Span, day: date, clock: int) -> dict[str, Any]:
    """The start and end of an occurrence after the pattern.

    It has the same length in local time; if a DST change would put its end before its start, the same length in seconds."""
    zone = pattern.time_zone
    start_at = to_instant(day, clock, zone)
    if not datetimes.is_in_range(start_at, zone):
        raise errors.invalid("end_date", datetimes.YEARS)
    if pattern.end_at is None:
        return {"start_at": start_at, "end_at": None, "until_at": datetimes.end_of_day(day, zone) if pattern.all_day else start_at}
    first, last = datetimes.to_local(pattern.start_at, zone), datetimes.to_local(pattern.end_at - pattern.all_day, zone)
    if pattern.all_day:
        until_at = datetimes.end_of_day(day + (last.date() - first.date()), zone)
        return {"start_at": start_at, "end_at": until_at, "until_at": until_at}
    # If a DST gap moved the start of the pattern, its regular length begins at the series' time of day.
    is_at_clock = to_instant(first.date(), clock, zone) == pattern.start_at
    length = seconds_of_day(last) - (clock if is_at_clock else seconds_of_day(first))
    end_at = to_instant(day, clock + length, zone, (last.date() - first.date()).days)
    if end_at < start_at:
        end_at = start_at + pattern.end_at - pattern.start_at
    return {"start_at": start_at, "end_at": end_at, "until_at": end_at}


def seconds_of_day(local: datetime) -> int:
    return local.hour * 3600 + local.minute * 60 + local.second


def to_instant(day: date, clock: int, zone: str, days: int = 0) -> int:
    """The instant of the local time on the day, or some days later."""
    return datetimes.to_instant(datetime(day.year, day.month, day.day) + timedelta(days=days, seconds=clock), zone)


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
