"""VTIMEZONE components of IANA zones, for the years that a file needs."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from kalends.core.values.datetimes import zone_info

if TYPE_CHECKING:
    from icalendar import Component, Timezone

# No zone changes its offset twice within this time.
STRIDE = timedelta(days=7)
SECOND = timedelta(seconds=1)

Change = tuple[datetime, timedelta, timedelta, str, bool]


def build_time_zone(name: str, years: Iterable[int]) -> "Timezone":
    """The VTIMEZONE of the zone for these years alone: most programs know it by its name anyway."""
    # Imported late, to start fast.
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
    """The offset at the start of the year, and each change in it: local time before the change, offsets, name, DST."""
    start = datetime(year, 1, 1, tzinfo=UTC) - timedelta(days=1)
    end = start + timedelta(days=368) if year < 9999 else datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
    offset, tz_name, is_daylight = _offset_at(start, name)
    first = (start.replace(tzinfo=None) + offset, offset, offset, tz_name, is_daylight)
    return (first, *_find_changes(name, start, end))


def _find_changes(name: str, start: datetime, end: datetime) -> Iterator[Change]:
    while start < end:
        following = start + min(STRIDE, end - start)
        before, after = _offset_at(start, name), _offset_at(following, name)
        if before[0] != after[0]:
            instant = _find_instant(name, start, following)
            yield instant.replace(tzinfo=None) + before[0], before[0], *after
        start = following


def _find_instant(name: str, early: datetime, late: datetime) -> datetime:
    """The first second at which the offset is no longer the early one."""
    old = _offset_at(early, name)[0]
    while late - early > SECOND:
        middle = early + timedelta(seconds=(late - early) // SECOND // 2)
        if _offset_at(middle, name)[0] == old:
            early = middle
        else:
            late = middle
    return late


def _offset_at(instant: datetime, name: str) -> tuple[timedelta, str, bool]:
    local = instant.astimezone(zone_info(name))
    return local.utcoffset() or timedelta(0), local.tzname() or name, bool(local.dst())
