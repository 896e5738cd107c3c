"""Recurrence rules (RRULE of RFC 5545), followed day by day within bounds: no rule can take longer than its budget."""

import re
from calendar import isleap, monthrange
from collections.abc import Iterator
from datetime import date
from itertools import islice

from msgspec import Struct

from kalends.ical.values import Moment, read_moment

MOST_CHARACTERS = 2_000
MOST_INTERVAL = 100_000
DAYS_AT_ONCE = 100

_FREQUENCIES = ("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WEEKDAYS = {"MO": 0, "TU": 1, "WE": 2, "TH": 3, "FR": 4, "SA": 5, "SU": 6}
_DAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
# What each list of numbers is about, and the largest number in it; below zero it counts from the end.
_LISTS = {"BYMONTH": 12, "BYWEEKNO": 53, "BYYEARDAY": 366, "BYMONTHDAY": 31, "BYSETPOS": 366}
_CLOCK = ("BYHOUR", "BYMINUTE", "BYSECOND")
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_LISTS, *_CLOCK}
_LAST_DAY = date.max.toordinal()


class Recurrence(Struct, frozen=True):
    """A rule, as it was written. Weekdays count from Monday, 0; the first number of a day in `days` is its place, 0 for each."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: Moment | None = None
    months: frozenset[int] = frozenset()
    weeks: frozenset[int] = frozenset()
    year_days: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    positions: frozenset[int] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()
    week_start: int = 0
    clocks: tuple[tuple[int, ...], ...] = ((), (), ())

    @property
    def is_by_the_day(self) -> bool:
        """Whether it makes at most one occurrence a day, at the time of the first."""
        return self.frequency in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")


class TooLong(Exception):
    """The budget was spent before the rule came to its end."""


class Budget:
    """How many days may be looked at, for all rules of a file together."""

    def __init__(self, days: int):
        self.days = days

    def spend(self, days: int) -> None:
        self.days -= days
        if self.days < 0:
            raise TooLong


def read(text: str) -> Recurrence:
    """The rule that is written, or a ValueError with words for people."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS:,} characters")
    parts: dict[str, str] = {}
    for part in filter(None, text.strip().upper().split(";")):
        name, _, value = part.partition("=")
        if name.strip() not in _KNOWN:
            raise ValueError(f"{name.strip()} is not known here")
        parts[name.strip()] = value.strip()
    if parts.get("FREQ") not in _FREQUENCIES:
        raise ValueError("it does not say how often")
    lists = {name: _numbers(name, parts[name], 1, most) for name, most in _LISTS.items() if name in parts}
    return Recurrence(
        frequency=parts["FREQ"],
        interval=_positive("INTERVAL", parts.get("INTERVAL", "1"), MOST_INTERVAL),
        count=_positive("COUNT", parts["COUNT"], 999_999_999) if "COUNT" in parts else None,
        until=read_moment(parts["UNTIL"], {}) if "UNTIL" in parts else None,
        months=lists.get("BYMONTH", frozenset()),
        weeks=lists.get("BYWEEKNO", frozenset()),
        year_days=lists.get("BYYEARDAY", frozenset()),
        month_days=lists.get("BYMONTHDAY", frozenset()),
        positions=lists.get("BYSETPOS", frozenset()),
        days=_days(parts["BYDAY"]) if "BYDAY" in parts else frozenset(),
        week_start=_weekday(parts.get("WKST", "MO")),
        clocks=tuple(tuple(sorted(_numbers(name, parts[name], 0, 60))) if name in parts else () for name in _CLOCK),
    )


def is_plain(rule: Recurrence, start: date) -> bool:
    """Whether its other parts say no more than the first date does, so that how often is all there is to it."""
    if rule.weeks or rule.year_days or rule.positions:
        return False
    is_same_month, is_same_day = rule.months <= {start.month}, rule.month_days <= {start.day}
    if rule.frequency == "WEEKLY":
        return not rule.months and not rule.month_days and rule.days <= {(0, start.weekday())}
    if rule.frequency == "MONTHLY":
        return not rule.months and not rule.days and is_same_day
    if rule.frequency == "YEARLY":
        return not rule.days and is_same_month and is_same_day and bool(rule.months or not rule.month_days)
    return rule.frequency == "DAILY" and not (rule.months or rule.month_days or rule.days)


def dates(rule: Recurrence, start: date, last: date, budget: Budget) -> Iterator[date]:
    """The dates of the rule in order, from the start to the last day, whatever its `until` says."""
    return islice(_dates(completed(rule, start), start, last, budget), rule.count)


def _dates(rule: Recurrence, start: date, last: date, budget: Budget) -> Iterator[date]:
    weekdays = {weekday for _, weekday in rule.days} or set(range(7))
    for days in _periods(rule, start, last):
        budget.spend(len(days))
        # The first day of all was a Monday.
        found = [day for day in map(date.fromordinal, (n for n in days if (n - 1) % 7 in weekdays)) if _is_on(rule, day)]
        if rule.positions and rule.frequency != "DAILY":
            count = len(found)
            found = [day for i, day in enumerate(found, 1) if i in rule.positions or i - count - 1 in rule.positions]
        for day in found:
            if start <= day <= last:
                yield day


def completed(rule: Recurrence, start: date) -> Recurrence:
    """The rule with what the first date has to add."""
    fields = {name: getattr(rule, name) for name in Recurrence.__struct_fields__}
    if rule.weeks and not (rule.days or rule.year_days or rule.month_days):
        fields["days"] = frozenset({(0, start.weekday())})
    elif rule.weeks or rule.year_days or rule.month_days or rule.days:
        return rule
    elif rule.frequency == "WEEKLY":
        fields["days"] = frozenset({(0, start.weekday())})
    elif rule.frequency in ("MONTHLY", "YEARLY"):
        fields["month_days"] = frozenset({start.day})
        if rule.frequency == "YEARLY":
            fields["months"] = rule.months or frozenset({start.month})
    return Recurrence(**fields)


def _periods(rule: Recurrence, start: date, last: date) -> Iterator[range]:
    """The days of each period in turn, as ordinals; where a period is one day, many at once."""
    end = last.toordinal() + 1
    if rule.frequency == "DAILY":
        # A day is the first and the last of its set, and never another.
        if not rule.positions or rule.positions & {1, -1}:
            for begin in range(start.toordinal(), end, rule.interval * DAYS_AT_ONCE):
                yield range(begin, min(begin + rule.interval * DAYS_AT_ONCE, end), rule.interval)
    elif rule.frequency == "WEEKLY":
        for begin in range(start.toordinal() - (start.weekday() - rule.week_start) % 7, end, 7 * rule.interval):
            yield range(begin, min(begin + 7, _LAST_DAY + 1))
    elif rule.frequency == "MONTHLY":
        for month in range(start.year * 12 + start.month - 1, last.year * 12 + last.month, rule.interval):
            begin = date(month // 12, month % 12 + 1, 1).toordinal()
            yield range(begin, begin + monthrange(month // 12, month % 12 + 1)[1])
    else:
        for year in range(start.year, last.year + 1, rule.interval):
            begin = date(year, 1, 1).toordinal()
            yield range(begin, begin + 365 + isleap(year))


def _is_on(rule: Recurrence, day: date) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.month_days and not _either(rule.month_days, day.day, monthrange(day.year, day.month)[1]):
        return False
    if rule.days and (0, day.weekday()) not in rule.days and not _is_nth(rule, day):
        return False
    if rule.year_days and not _either(rule.year_days, _day_of_year(day), 365 + isleap(day.year)):
        return False
    return not rule.weeks or _either(rule.weeks, *_week(day, rule.week_start))


def _either(chosen: frozenset[int], number: int, total: int) -> bool:
    """Whether it was chosen, counted from the beginning or from the end."""
    return number in chosen or number - total - 1 in chosen


def _is_nth(rule: Recurrence, day: date) -> bool:
    """Whether it is, say, the second Tuesday of its month, or of its year. Where no month or year is meant, any will do."""
    if rule.frequency in ("DAILY", "WEEKLY"):
        return any(weekday == day.weekday() for _, weekday in rule.days)
    in_year = rule.frequency == "YEARLY" and not rule.months
    number = _day_of_year(day) if in_year else day.day
    total = 365 + isleap(day.year) if in_year else monthrange(day.year, day.month)[1]
    from_start, from_end = (number - 1) // 7 + 1, -((total - number) // 7 + 1)
    return (from_start, day.weekday()) in rule.days or (from_end, day.weekday()) in rule.days


def _day_of_year(day: date) -> int:
    return day.toordinal() - date(day.year, 1, 1).toordinal() + 1


def _week(day: date, week_start: int) -> tuple[int, int]:
    """The number of the day's week, and how many weeks its year has: the year in which the week has four days or more."""
    fourth = day.toordinal() - (day.weekday() - week_start) % 7 + 3
    if fourth > _LAST_DAY:
        return 1, 52
    year = date.fromordinal(fourth).year
    number = (fourth - date(year, 1, 1).toordinal()) // 7 + 1
    return number, number + (date(year, 12, 31).toordinal() - fourth) // 7


def _numbers(name: str, value: str, least: int, most: int) -> frozenset[int]:
    found = set()
    for item in value.split(","):
        number = int(item) if _NUMBER.fullmatch(item.strip()) else None
        if number is None or not least <= abs(number) <= most or (number < 0 and name in ("BYMONTH", *_CLOCK)):
            raise ValueError(f"{name} cannot be {item.strip()[:20]}")
        found.add(number)
    return frozenset(found)


def _positive(name: str, value: str, most: int) -> int:
    if not _NUMBER.fullmatch(value) or not 1 <= int(value) <= most:
        raise ValueError(f"{name} cannot be {value[:20]}")
    return int(value)


def _days(value: str) -> frozenset[tuple[int, int]]:
    found = set()
    for item in value.split(","):
        match = _DAY.fullmatch(item.strip())
        if match is None or (match[1] and not 1 <= abs(int(match[1])) <= 53):
            raise ValueError(f"BYDAY cannot be {item.strip()[:20]}")
        found.add((int(match[1] or 0), _WEEKDAYS[match[2]]))
    return frozenset(found)


def _weekday(value: str) -> int:
    if value not in _WEEKDAYS:
        raise ValueError(f"WKST cannot be {value[:20]}")
    return _WEEKDAYS[value]
