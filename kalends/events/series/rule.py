"""The dates of a simple recurrence rule (RFC 5545): months and years that lack the day are skipped."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date

from msgspec import Struct


class Rule(Struct, frozen=True):
    """A frequency with an interval, from the first day to the last one, inclusive; without an end it is endless."""

    frequency: str
    interval: int
    start: date
    end: date | None

    def dates(self, until: date) -> Iterator[date]:
        """The dates of the rule up to this day, or to its end if that is earlier."""
        last = min(until, self.end) if self.end else until
        days = {"DAILY": 1, "WEEKLY": 7}.get(self.frequency)
        return self._step_days(days * self.interval, last) if days else self._step_months(last)

    def has(self, day: date) -> bool:
        """Whether the rule has this date."""
        if day < self.start or (self.end and day > self.end):
            return False
        days = {"DAILY": 1, "WEEKLY": 7}.get(self.frequency)
        if days:
            return (day - self.start).days % (days * self.interval) == 0
        months = (day.year - self.start.year) * 12 + day.month - self.start.month
        return day.day == self.start.day and months % (self.interval * (12 if self.frequency == "YEARLY" else 1)) == 0

    def _step_days(self, step: int, last: date) -> Iterator[date]:
        for ordinal in range(self.start.toordinal(), last.toordinal() + 1, step):
            yield date.fromordinal(ordinal)

    def _step_months(self, last: date) -> Iterator[date]:
        step = self.interval * (12 if self.frequency == "YEARLY" else 1)
        first = self.start.year * 12 + self.start.month - 1
        for month in range(first, last.year * 12 + last.month, step):
            try:
                day = date(month // 12, month % 12 + 1, self.start.day)
            except ValueError:
                continue
            if day <= last:
                yield day


def add_months(day: date, months: int) -> date:
    """The same day of a later month, or its last day if the month is shorter; at most 9999-12-31."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
