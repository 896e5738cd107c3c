"""The clocks of a zone that a file describes itself (VTIMEZONE), for zones that nobody else knows."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from msgspec import Struct

from kalends.ical import rrule
from kalends.ical.lines import Property
from kalends.ical.rrule import Budget, Recurrence
from kalends.ical.values import read_moment, read_moments

MOST_OBSERVANCES = 100

_OFFSET = re.compile(r"([+-])([0-9]{2})([0-9]{2})([0-9]{2})?")
_EPOCH = datetime(1970, 1, 1)

Properties = dict[str, list[Property]]


class Observance(Struct, frozen=True):
    """Clocks that are set from one offset to another, in seconds: at these times by the clocks before, and yearly by the rule."""

    before: int
    after: int
    onsets: tuple[datetime, ...]
    rule: Recurrence | None

    def in_year(self, year: int, budget: Budget) -> Iterator[datetime]:
        """When they are set in the year."""
        budget.spend(len(self.onsets))
        yield from (onset for onset in self.onsets if onset.year == year)
        first = self.onsets[0]
        if self.rule is None or year < first.year or (year - first.year) % self.rule.interval:
            return
        for day in rrule.dates(self.rule, date(year, 1, 1), date(year, 12, 31), budget):
            onset = datetime.combine(day, first.time())
            if first < onset <= self._last:
                yield onset

    def latest(self, year: int, budget: Budget) -> datetime | None:
        """When they were set last before the year."""
        years = {year - 1, self._last.year - 1, self._last.year}
        found = [onset for each in years for onset in self.in_year(max(1, each), budget)]
        return max((onset for onset in (*found, *self.onsets) if onset.year < year), default=None)

    @property
    def _last(self) -> datetime:
        return self.rule.until.local if self.rule and self.rule.until else datetime.max


class Clocks:
    """What the clocks of the zone show when. Looking a year up costs; the budget is that of the file."""

    def __init__(self, observances: list[Observance], budget: Budget):
        self._observances = observances
        self._budget = budget
        self._years: dict[int, tuple[list[datetime], list[int]]] = {}

    def instant(self, local: datetime) -> int:
        """The moment at which they show this, in Unix seconds."""
        return (local - _EPOCH) // timedelta(seconds=1) - self._offset(local)

    def local(self, instant: int) -> datetime:
        """What they show at the moment."""
        utc = _EPOCH + timedelta(seconds=instant)
        guess = utc + timedelta(seconds=self._offset(utc))
        return utc + timedelta(seconds=self._offset(guess))

    def _offset(self, local: datetime) -> int:
        if local.year not in self._years:
            self._years[local.year] = self._of_year(local.year)
        onsets, offsets = self._years[local.year]
        return offsets[bisect_right(onsets, local)]

    def _of_year(self, year: int) -> tuple[list[datetime], list[int]]:
        """When the clocks are set in the year, and the offsets before and after each time."""
        changes = sorted((onset, each.after) for each in self._observances for onset in each.in_year(year, self._budget))
        return [onset for onset, _ in changes], [self._before(year), *(after for _, after in changes)]

    def _before(self, year: int) -> int:
        """The offset with which the year begins."""
        found = [(onset, each.after) for each in self._observances if (onset := each.latest(year, self._budget))]
        return max(found)[1] if found else min((each.onsets[0], each.before) for each in self._observances)[1]


def clocks(observances: list[Properties], budget: Budget) -> Clocks | None:
    """The clocks that these STANDARD and DAYLIGHT parts describe, if they can be read."""
    if not 0 < len(observances) <= MOST_OBSERVANCES:
        return None
    try:
        return Clocks([_observance(each) for each in observances], budget)
    except (KeyError, ValueError):
        return None


def _observance(said: Properties) -> Observance:
    first = read_moment(said["DTSTART"][0].value, {}).local
    onsets = (first, *(moment.local for each in said.get("RDATE", []) for moment in read_moments(each)))
    rule = rrule.read(said["RRULE"][0].value) if "RRULE" in said else None
    if rule and (rule.frequency != "YEARLY" or rule.count):
        raise ValueError("only rules for every year are followed")
    before, after = _seconds(said["TZOFFSETFROM"][0]), _seconds(said["TZOFFSETTO"][0])
    return Observance(before, after, onsets, rrule.completed(rule, first.date()) if rule else None)


def _seconds(said: Property) -> int:
    found = _OFFSET.fullmatch(said.value.strip())
    if found is None or int(found[2]) > 23:
        raise ValueError("it has no offset")
    sign, hours, minutes, seconds = found.groups()
    return (-1 if sign == "-" else 1) * (int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0))
