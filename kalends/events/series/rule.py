"""The dates of a rule, after RFC 5545: a month or a year without the day is skipped. Plain arithmetic on checked integers."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date

from msgspec import Struct


class Rule(Struct, frozen=True):
    """How often, from which day, and to which, inclusive; without an end it goes on."""

    frequency: str
    interval: int
    start: date
    end: date | None

    def dates(self, until: date) -> Iterator[date]:
        """The dates of the rule up to this day and its own end."""
        last = min(until, self.end) if self.end else until
        days = {"DAILY": 1, "WEEKLY": 7}.get(self.frequency)
        return self._by_days(days * self.interval, last) if days else self._by_months(last)

    def has(self, day: date) -> bool:
        """Whether the day is one of them."""
        if day < self.start or (self.end and day > self.end):
            return False
        days = {"DAILY": 1, "WEEKLY": 7}.get(self.frequency)
        if days:
            return (day - self.start).days % (days * self.interval) == 0
        months = (day.year - self.start.year) * 12 + day.month - self.start.month
        return day.day == self.start.day and months % (self.interval * (12 if self.frequency == "YEARLY" else 1)) == 0

    def _by_days(self, step: int, last: date) -> Iterator[date]:
        for ordinal in range(self.start.toordinal(), last.toordinal() + 1, step):
            yield date.fromordinal(ordinal)

    def _by_months(self, last: date) -> Iterator[date]:
        step = self.interval * (12 if self.frequency == "YEARLY" else 1)
        first = self.start.year * 12 + self.start.month - 1
        for month in range(first, last.year * 12 + last.month, step):
            try:
                day = date(month // 12, month % 12 + 1, self.start.day)
            except ValueError:
                continue
            if day <= last:
                yield day


def months_later(day: date, months: int) -> date:
    """The same day so many months later, or the last one of a shorter month; at most the last day there is."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
