"""VTIMEZONE components of IANA zones, for the years that a file needs, and the zones that names from elsewhere mean."""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from kalends.core.values.datetimes import zone_info

if TYPE_CHECKING:
    from icalendar import Component, Timezone
from functools import cache

from kalends.core.values.datetimes import known_zones

# No zone changes its offset twice within this time.
STRIDE = timedelta(days=7)
SECOND = timedelta(seconds=1)

# Up to this year at least, a rule must hold.
LAST_RULE_YEAR = 2060
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

Change = tuple[datetime, timedelta, timedelta, str, bool]
# The month, the number of the weekday in it, negative from its end, and the weekday.
Rule = tuple[int, int, int]
MAX_CHARACTERS = 200
_BEST_KNOWN = (
    *("UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles"),
    *("Asia/Kolkata", "Australia/Sydney"),
)


def build_time_zone(name: str, years: Iterable[int]) -> "Timezone":
    """The VTIMEZONE of the zone for these years, with the rule by which it goes on after them: most programs know it by its name anyway."""
    # Imported late, to start fast.
    from icalendar import Timezone

    zone = Timezone()
    zone.add("TZID", name)
    changes = {change for year in years for change in _changes(name, year)}
    rules = _find_rules(name, max(change[0].year for change in changes)) if changes else {}
    for change in sorted(changes):
        observance = _observance(*change)
        if change in rules:
            observance.add("RRULE", rules[change])
        zone.add_component(observance)
    return zone


@lru_cache(maxsize=1_000)
def _find_rules(name: str, year: int) -> dict[Change, dict[str, str | int]]:
    """The yearly rule of each change of the year, such as the last Sunday of March, if all of them follow one from then on."""
    changes = _changes(name, year)[1:]
    rules = {change: next((rule for rule in _name_rules(change[0]) if _holds(name, change, rule)), None) for change in changes}
    if not all(rules.values()):
        return {}
    return {change: {"FREQ": "YEARLY", "BYMONTH": rule[0], "BYDAY": f"{rule[1]}{DAYS[rule[2]]}"} for change, rule in rules.items() if rule}


def _name_rules(onset: datetime) -> list[Rule]:
    """The weekday of the month, counted from its begin and from its end."""
    days = monthrange(onset.year, onset.month)[1]
    return [(onset.month, -1 - (days - onset.day) // 7, onset.weekday()), (onset.month, 1 + (onset.day - 1) // 7, onset.weekday())]


def _holds(name: str, change: Change, rule: Rule) -> bool:
    """Whether a change like this one is on the day of the rule in all later years that matter."""
    onset, before, after, _, _ = change
    years = range(onset.year + 1, min(max(onset.year + 20, LAST_RULE_YEAR), 9_998))
    others = (
        [each for each in _changes(name, year)[1:] if (each[0].month, each[1], each[2]) == (onset.month, before, after)] for year in years
    )
    return all(len(each) == 1 and each[0][0].time() == onset.time() and rule in _name_rules(each[0][0]) for each in others)


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


def find_zone(name: str) -> str | None:
    """The IANA zone of this name, which may have a prefix or be a Windows name."""
    if len(name) > MAX_CHARACTERS:
        return None
    pieces = name.strip().upper().split("/")
    for first in range(len(pieces)):
        if zone := _names().get("/".join(pieces[first:])):
            return zone
    return None


@cache
def common_zones() -> tuple[str, ...]:
    """A zone for each that Windows has: the best known ones first."""
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return tuple(dict.fromkeys([*_BEST_KNOWN, *sorted(zone for zone in WINDOWS_TO_OLSON.values() if zone in known_zones())]))


@cache
def _names() -> dict[str, str]:
    """The zones by their names in upper case."""
    # Imported late, to start fast.
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    windows = {name.upper(): zone for name, zone in WINDOWS_TO_OLSON.items() if zone in known_zones()}
    return windows | {zone.upper(): zone for zone in known_zones()}
