"""Time zones that a file defines itself (VTIMEZONE), for names that the IANA database does not have."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from kalends.core.values import datetimes
from kalends.ical import rrule
from kalends.ical.lines import Property
from kalends.ical.rrule import Budget, Recurrence
from kalends.ical.values import DAY_SECONDS, parse_datetime, parse_datetimes
from kalends.ical.vtimezone import common_zones

MAX_OBSERVANCES = 100

# Zones are compared within these years: the rules of later ones repeat.
_FIRST_YEAR, _LAST_YEAR = 1980, 2035

_OFFSET = re.compile(r"([+-])([0-9]{2})([0-9]{2})([0-9]{2})?")
_EPOCH = datetime(1970, 1, 1)

Properties = dict[str, list[Property]]


class Observance(Struct, frozen=True):
    """Changes from one UTC offset to another, in seconds: at these local times (by the offset before), and yearly by the rule."""

    before: int
    after: int
    onsets: tuple[datetime, ...]
    rule: Recurrence | None

    def in_year(self, year: int, budget: Budget) -> Iterator[datetime]:
        """The onsets in the year."""
        budget.spend(len(self.onsets))
        yield from (onset for onset in self.onsets if onset.year == year)
        first = self.onsets[0]
        if self.rule is None or year < first.year or (year - first.year) % self.rule.interval:
            return
        for day in rrule.dates(self.rule, date(year, 1, 1), date(year, 12, 31), budget):
            onset = datetime.combine(day, first.time())
            if first < onset <= self._last:
                yield onset

    def latest_before(self, year: int, budget: Budget) -> datetime | None:
        """The last onset before the year."""
        years = {year - 1, self._last.year - 1, self._last.year}
        onsets = [onset for each in years for onset in self.in_year(max(1, each), budget)]
        return max((onset for onset in (*onsets, *self.onsets) if onset.year < year), default=None)

    @property
    def _last(self) -> datetime:
        return self.rule.until.local if self.rule and self.rule.until else datetime.max


class FileTimeZone:
    """Converts between local times of the zone and instants. Expanding a year costs, from the budget of the file."""

    def __init__(self, observances: list[Observance], budget: Budget):
        self._observances = observances
        self._budget = budget
        self._years: dict[int, tuple[list[datetime], list[int]]] = {}

    def to_instant(self, local: datetime) -> int:
        """The instant of the local time in Unix seconds."""
        return (local - _EPOCH) // timedelta(seconds=1) - self._offset(local)

    def to_local(self, instant: int) -> datetime:
        """The local time of the instant."""
        utc = _EPOCH + timedelta(seconds=instant)
        estimate = utc + timedelta(seconds=self._offset(utc))
        return utc + timedelta(seconds=self._offset(estimate))

    def _offset(self, local: datetime) -> int:
        if local.year not in self._years:
            self._years[local.year] = self._expand_year(local.year)
        onsets, offsets = self._years[local.year]
        return offsets[bisect_right(onsets, local)]

    def _expand_year(self, year: int) -> tuple[list[datetime], list[int]]:
        """The onsets in the year, and the offsets before the first and after each of them."""
        changes = sorted((onset, each.after) for each in self._observances for onset in each.in_year(year, self._budget))
        return [onset for onset, _ in changes], [self._first_offset(year), *(after for _, after in changes)]

    def _first_offset(self, year: int) -> int:
        """The offset at the start of the year."""
        latest = [(onset, each.after) for each in self._observances if (onset := each.latest_before(year, self._budget))]
        return max(latest)[1] if latest else min((each.onsets[0], each.before) for each in self._observances)[1]


def find_equal_zone(zone: FileTimeZone, year: int, preferred: str, budget: Budget) -> str | None:
    """An IANA zone with the same offsets in every week of this year and the next; the preferred one if it has them."""
    year = min(max(year, _FIRST_YEAR), _LAST_YEAR)
    instants = _weeks(year)
    budget.spend(len(instants))
    offsets = tuple(_offset(zone.to_local(instant), instant) for instant in instants)
    return preferred if offsets == _offsets_of(preferred, year) else _common_zones(year).get(offsets)


@lru_cache(maxsize=64)
def _common_zones(year: int) -> dict[tuple[int, ...], str]:
    """The common zones by their offsets; of equal ones, the first."""
    return {_offsets_of(name, year): name for name in reversed(common_zones())}


@lru_cache(maxsize=1_000)
def _offsets_of(name: str, year: int) -> tuple[int, ...]:
    return tuple(_offset(datetimes.to_local(instant, name).replace(tzinfo=None), instant) for instant in _weeks(year))


def _weeks(year: int) -> range:
    """An instant in every week of the year and the next."""
    first = (date(year, 1, 1) - _EPOCH.date()).days * DAY_SECONDS
    return range(first, first + 2 * 366 * DAY_SECONDS, 7 * DAY_SECONDS)


def _offset(local: datetime, instant: int) -> int:
    return (local - _EPOCH) // timedelta(seconds=1) - instant


def build_time_zone(observances: list[Properties], budget: Budget) -> FileTimeZone | None:
    """The time zone of these STANDARD and DAYLIGHT components; None if they are invalid."""
    if not 0 < len(observances) <= MAX_OBSERVANCES:
        return None
    try:
        return FileTimeZone([_parse_observance(each) for each in observances], budget)
    except (KeyError, ValueError):
        return None


def _parse_observance(properties: Properties) -> Observance:
    first = parse_datetime(properties["DTSTART"][0].value, {}).local
    onsets = (first, *(value.local for each in properties.get("RDATE", []) for value in parse_datetimes(each)))
    rule = rrule.parse(properties["RRULE"][0].value) if "RRULE" in properties else None
    if rule and (rule.frequency != "YEARLY" or rule.count):
        raise ValueError("only yearly rules without a count are supported")
    before, after = _parse_offset(properties["TZOFFSETFROM"][0]), _parse_offset(properties["TZOFFSETTO"][0])
    return Observance(before, after, onsets, rrule.add_defaults(rule, first.date()) if rule else None)


def _parse_offset(prop: Property) -> int:
    match = _OFFSET.fullmatch(prop.value.strip())
    if match is None or int(match[2]) > 23:
        raise ValueError("it has no offset")
    sign, hours, minutes, seconds = match.groups()
    return (-1 if sign == "-" else 1) * (int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0))
