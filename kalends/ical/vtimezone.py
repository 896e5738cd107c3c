"""VTIMEZONE: what the clocks of a zone do in the years in which something happens."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from kalends.values.datetimes import zone_info

if TYPE_CHECKING:
    from icalendar import Component, Timezone

# Clocks never change twice within so short a time.
STRIDE = timedelta(days=7)
SECOND = timedelta(seconds=1)

Change = tuple[datetime, timedelta, timedelta, str, bool]


def time_zone(name: str, years: Iterable[int]) -> "Timezone":
    """The zone as iCalendar describes it, for these years alone: most programs know it by its name anyway."""
    # Imported late, for a quick start.
    from icalendar import Timezone

    zone = Timezone()
    zone.add("TZID", name)
    for change in sorted({change for year in years for change in _changes(name, year)}):
        zone.add_component(_observance(*change))
    return zone


def _observance(onset: datetime, before: timedelta, after: timedelta, name: str, is_daylight: bool) -> "Component":
    from icalendar import TimezoneDaylight, TimezoneStandard

    observance = TimezoneDaylight() if is_daylight else TimezoneStandard()
    observance.add("DTSTART", onset)
    observance.add("TZOFFSETFROM", before)
    observance.add("TZOFFSETTO", after)
    observance.add("TZNAME", name)
    return observance


@lru_cache(maxsize=10_000)
def _changes(name: str, year: int) -> tuple[Change, ...]:
    """What holds as the year begins, and each change in it: when by the clocks before it, the offsets, the name."""
    start = datetime(year, 1, 1, tzinfo=UTC) - timedelta(days=1)
    end = start + timedelta(days=368) if year < 9999 else datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
    offset, tz_name, is_daylight = _at(start, name)
    first = (start.replace(tzinfo=None) + offset, offset, offset, tz_name, is_daylight)
    return (first, *_found(name, start, end))


def _found(name: str, start: datetime, end: datetime) -> Iterator[Change]:
    while start < end:
        following = start + min(STRIDE, end - start)
        before, after = _at(start, name), _at(following, name)
        if before[0] != after[0]:
            moment = _moment(name, start, following)
            yield moment.replace(tzinfo=None) + before[0], before[0], *after
        start = following


def _moment(name: str, early: datetime, late: datetime) -> datetime:
    """The first second at which the offset is no longer the early one."""
    old = _at(early, name)[0]
    while late - early > SECOND:
        middle = early + timedelta(seconds=(late - early) // SECOND // 2)
        if _at(middle, name)[0] == old:
            early = middle
        else:
            late = middle
    return late


def _at(moment: datetime, name: str) -> tuple[timedelta, str, bool]:
    local = moment.astimezone(zone_info(name))
    return local.utcoffset() or timedelta(0), local.tzname() or name, bool(local.dst())
