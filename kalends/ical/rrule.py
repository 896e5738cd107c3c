"""Recurrence rules (RRULE of RFC 5545), expanded day by day within a budget, so that no rule takes too long."""

import re
from calendar import isleap, monthrange
from collections.abc import Iterator, Sequence
from datetime import date, time
from itertools import dropwhile, islice

from msgspec import Struct

from kalends.ical.values import DateTimeValue, parse_datetime

MAX_CHARACTERS = 2_000
MAX_INTERVAL = 100_000
DAYS_AT_ONCE = 100
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
NO_TIMES: tuple[tuple[int, ...], ...] = ((), (), ())

_FREQUENCIES = ("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_DAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
# The largest number of each BY list; negative numbers count from the end.
_LISTS = {"BYMONTH": 12, "BYWEEKNO": 53, "BYYEARDAY": 366, "BYMONTHDAY": 31, "BYSETPOS": 366}
_TIME_PARTS = ("BYHOUR", "BYMINUTE", "BYSECOND")
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_LISTS, *_TIME_PARTS}
_LAST_DAY = date.max.toordinal()


class Recurrence(Struct, frozen=True):
    """A rule as it was written. Weekdays count from Monday, 0. `days` has pairs of ordinal and weekday; the ordinal 0 is every one."""

    frequency: str
    interval: int = 1
    count: int | None = None
    until: DateTimeValue | None = None
    months: frozenset[int] = frozenset()
    weeks: frozenset[int] = frozenset()
    year_days: frozenset[int] = frozenset()
    month_days: frozenset[int] = frozenset()
    positions: frozenset[int] = frozenset()
    days: frozenset[tuple[int, int]] = frozenset()
    week_start: int = 0
    times: tuple[tuple[int, ...], ...] = NO_TIMES

    @property
    def is_daily_or_longer(self) -> bool:
        """Whether it has at most one occurrence a day, unless it has times of its own."""
        return self.frequency in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")

    def has_own_times(self, start: time) -> bool:
        """Whether it may have occurrences at other times of the day than the first, and several a day (`rrule_times`)."""
        own = (start.hour, start.minute, start.second)
        return not self.is_daily_or_longer or any(times and times != (each,) for times, each in zip(self.times, own, strict=True))


class BudgetExceeded(Exception):
    """The rules of a file have used up their budget."""


class Budget:
    """How many days may be examined, for all rules of a file together."""

    def __init__(self, days: int):
        self.days = days

    def spend(self, days: int) -> None:
        self.days -= days
        if self.days < 0:
            raise BudgetExceeded


def parse(text: str) -> Recurrence:
    """Parse the rule, or raise ValueError with a message for people."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS:,} characters")
    parts: dict[str, str] = {}
    for part in filter(None, text.strip().upper().split(";")):
        name, _, value = part.partition("=")
        if name.strip() not in _KNOWN:
            raise ValueError(f"{name.strip()} is not supported")
        if name.strip() in parts:
            raise ValueError(f"it has {name.strip()} twice")
        parts[name.strip()] = value.strip()
    if parts.get("FREQ") not in _FREQUENCIES:
        raise ValueError("it has no valid FREQ")
    lists = {name: _parse_numbers(name, parts[name], 1, most) for name, most in _LISTS.items() if name in parts}
    return Recurrence(
        frequency=parts["FREQ"],
        interval=_parse_positive("INTERVAL", parts.get("INTERVAL", "1"), MAX_INTERVAL),
        count=_parse_positive("COUNT", parts["COUNT"], 999_999_999) if "COUNT" in parts else None,
        until=parse_datetime(parts["UNTIL"], {}) if "UNTIL" in parts else None,
        months=lists.get("BYMONTH", frozenset()),
        weeks=lists.get("BYWEEKNO", frozenset()),
        year_days=lists.get("BYYEARDAY", frozenset()),
        month_days=lists.get("BYMONTHDAY", frozenset()),
        positions=lists.get("BYSETPOS", frozenset()),
        days=_parse_days(parts["BYDAY"]) if "BYDAY" in parts else frozenset(),
        week_start=_parse_weekday(parts.get("WKST", "MO")),
        times=tuple(tuple(sorted(_parse_numbers(name, parts[name], 0, 60))) if name in parts else () for name in _TIME_PARTS),
    )


def is_simple(rule: Recurrence, start: date) -> bool:
    """Whether frequency and interval alone describe the rule: its BY parts only repeat the first date."""
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


def dates(rule: Recurrence, start: date, last: date, budget: Budget, first: date = date.min) -> Iterator[date]:
    """The dates of the rule in order, from the start to the last day, whatever its `until` says; of those, the ones from `first` on."""
    # With a count, all dates before are counted.
    begin = start if rule.count is not None else max(first, start)
    days = islice(_expand(add_defaults(rule, start), start, begin, last, budget), rule.count)
    return dropwhile(lambda day: day < first, days)


def has(rule: Recurrence, start: date, day: date) -> bool:
    """Whether the rule has this date, whatever its `count` and its `until` say."""
    rule = add_defaults(rule, start)
    return day >= start and day in select(rule, _period_of(rule, start, day))


def _expand(rule: Recurrence, start: date, begin: date, last: date, budget: Budget) -> Iterator[date]:
    """The dates from the start on, without those of the periods that have ended before `begin`."""
    for ordinals in periods(rule, start, begin, last):
        # A period without a day takes a step, too.
        budget.spend(len(ordinals) or 1)
        for day in select(rule, ordinals):
            if start <= day <= last:
                yield day


def select(rule: Recurrence, ordinals: Sequence[int]) -> list[date]:
    """The days of a period that the rule has."""
    weekdays = {weekday for _, weekday in rule.days} or set(range(7))
    # Ordinal 1 was a Monday.
    days = [day for day in map(date.fromordinal, (n for n in ordinals if (n - 1) % 7 in weekdays)) if matches(rule, day)]
    if rule.positions and rule.frequency != "DAILY":
        count = len(days)
        days = [day for i, day in enumerate(days, 1) if i in rule.positions or i - count - 1 in rule.positions]
    return days


def add_defaults(rule: Recurrence, start: date) -> Recurrence:
    """The rule with the BY parts that it takes from the first date."""
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


def periods(rule: Recurrence, start: date, begin: date, last: date) -> Iterator[Sequence[int]]:
    """The days of each period as ordinals, from the period of `begin` or the one before; of a DAILY rule, many periods at once."""
    end, step = last.toordinal() + 1, rule.interval
    if rule.frequency == "DAILY":
        # The set of a day has one member, which is its first and its last.
        if not rule.positions or rule.positions & {1, -1}:
            for day in _steps(start.toordinal(), begin.toordinal(), end, step, DAYS_AT_ONCE):
                yield range(day, min(day + step * DAYS_AT_ONCE, end), step)
    elif rule.frequency == "WEEKLY":
        for day in _steps(_start_of_week(rule, start), begin.toordinal(), end, 7 * step):
            yield range(day, min(day + 7, _LAST_DAY + 1))
    elif rule.frequency == "MONTHLY":
        for month in _steps(_month(start), _month(begin), _month(last) + 1, step):
            yield _days_of_month(rule, month // 12, month % 12 + 1)
    else:
        for year in _steps(start.year, begin.year, last.year + 1, step):
            yield _days_of_year(rule, year)


def _steps(start: int, begin: int, end: int, step: int, at_once: int = 1) -> range:
    """The numbers in steps from the start on, without those that are followed by another one before `begin`."""
    return range(start + (begin - start) // step * step, end, step * at_once)


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _period_of(rule: Recurrence, start: date, day: date) -> Sequence[int]:
    """The days of the period in which the day is; none if the interval skips it."""
    if rule.frequency == "DAILY":
        is_left_out = (day - start).days % rule.interval or (rule.positions and not rule.positions & {1, -1})
        return () if is_left_out else (day.toordinal(),)
    if rule.frequency == "WEEKLY":
        begin = _start_of_week(rule, day)
        return () if (begin - _start_of_week(rule, start)) // 7 % rule.interval else range(begin, min(begin + 7, _LAST_DAY + 1))
    years = day.year - start.year
    if rule.frequency == "MONTHLY":
        is_skipped = (years * 12 + day.month - start.month) % rule.interval
        return () if is_skipped else _days_of_month(rule, day.year, day.month)
    return () if years % rule.interval else _days_of_year(rule, day.year)


def _start_of_week(rule: Recurrence, day: date) -> int:
    return day.toordinal() - (day.weekday() - rule.week_start) % 7


def _days_of_year(rule: Recurrence, year: int) -> Sequence[int]:
    """The days of the year that may match: of a rule with months or days of the month, not all of them."""
    if rule.months or rule.month_days:
        return [n for month in sorted(rule.months) or range(1, 13) for n in _days_of_month(rule, year, month)]
    begin = date(year, 1, 1).toordinal()
    return range(begin, begin + 365 + isleap(year))


def _days_of_month(rule: Recurrence, year: int, month: int) -> Sequence[int]:
    """The days of the month that may match."""
    if rule.months and month not in rule.months:
        return ()
    before, total = date(year, month, 1).toordinal() - 1, monthrange(year, month)[1]
    if not rule.month_days:
        return range(before + 1, before + 1 + total)
    numbers = {day if day > 0 else total + 1 + day for day in rule.month_days}
    return [before + number for number in sorted(numbers) if 1 <= number <= total]


def matches(rule: Recurrence, day: date) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.month_days and not _has_number(rule.month_days, day.day, monthrange(day.year, day.month)[1]):
        return False
    if rule.days and (0, day.weekday()) not in rule.days and not _is_nth(rule, day):
        return False
    if rule.year_days and not _has_number(rule.year_days, _day_of_year(day), 365 + isleap(day.year)):
        return False
    return not rule.weeks or _has_number(rule.weeks, *_week(day, rule.week_start))


def _has_number(numbers: frozenset[int], number: int, total: int) -> bool:
    """Whether the list has the number, counted from the beginning or from the end."""
    return number in numbers or number - total - 1 in numbers


def _is_nth(rule: Recurrence, day: date) -> bool:
    """Whether the day is, say, the second Tuesday of its month or year. DAILY and WEEKLY rules ignore the ordinal."""
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
    """The number of the day's week, and how many weeks its year has: the year in which the week has at least four days."""
    fourth = day.toordinal() - (day.weekday() - week_start) % 7 + 3
    if fourth > _LAST_DAY:
        return 1, 52
    year = date.fromordinal(fourth).year
    number = (fourth - date(year, 1, 1).toordinal()) // 7 + 1
    return number, number + (date(year, 12, 31).toordinal() - fourth) // 7


def _parse_numbers(name: str, value: str, least: int, most: int) -> frozenset[int]:
    numbers = set()
    for item in value.split(","):
        number = int(item) if _NUMBER.fullmatch(item.strip()) else None
        if number is None or not least <= abs(number) <= most or (number < 0 and name in ("BYMONTH", *_TIME_PARTS)):
            raise ValueError(f"{name} cannot be {item.strip()[:20]}")
        numbers.add(number)
    return frozenset(numbers)


def _parse_positive(name: str, value: str, most: int) -> int:
    if not _NUMBER.fullmatch(value) or not 1 <= int(value) <= most:
        raise ValueError(f"{name} cannot be {value[:20]}")
    return int(value)


def _parse_days(value: str) -> frozenset[tuple[int, int]]:
    days = set()
    for item in value.split(","):
        match = _DAY.fullmatch(item.strip())
        if match is None or (match[1] and not 1 <= abs(int(match[1])) <= 53):
            raise ValueError(f"BYDAY cannot be {item.strip()[:20]}")
        days.add((int(match[1] or 0), WEEKDAYS.index(match[2])))
    return frozenset(days)


def _parse_weekday(value: str) -> int:
    if value not in WEEKDAYS:
        raise ValueError(f"WKST cannot be {value[:20]}")
    return WEEKDAYS.index(value)
