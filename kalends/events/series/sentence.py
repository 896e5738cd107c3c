"""Recurrence rules in words: `Every second Tuesday of the month until 1 September 2027`."""

from calendar import day_name, month_name
from collections.abc import Sequence

from kalends.i18n.locale import ENGLISH
from kalends.ical.canonical_rule import sort_key, sort_numbers
from kalends.ical.rrule import Recurrence

_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
ORDINALS = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last", -2: "second to last", -3: "third to last"}
_WORKING_DAYS = frozenset((0, weekday) for weekday in range(5))
_ALL_DAYS = frozenset((0, weekday) for weekday in range(7))


def is_moved_to_last(rule: Recurrence) -> bool:
    """Whether it has the 29th or 30th, and the last day of shorter months instead: the last of the days from the 28th on."""
    return rule.frequency == "MONTHLY" and rule.positions == {-1} and rule.month_days in ({28, 29}, {28, 29, 30}) and not rule.days


def describe(rule: Recurrence) -> str:
    """The rule as a sentence without its full stop."""
    if is_moved_to_last(rule):
        days = Recurrence(rule.frequency, rule.interval, months=rule.months, month_days=frozenset({max(rule.month_days)}))
        return f"{_describe_days(days)}, or its last day{_describe_end(rule)}"
    return f"{_describe_days(rule)}{_describe_end(rule)}"


def _describe_days(rule: Recurrence) -> str:
    unit = _UNITS[rule.frequency]
    every = f"Every {unit}" if rule.interval == 1 else f"Every {rule.interval} {unit}s"
    days = " ".join(_parts(rule))
    if not days:
        return every
    if rule.frequency == "WEEKLY" and rule.interval == 1 and rule.days == _WORKING_DAYS and days == _join_days(rule):
        return "Every weekday (Monday to Friday)"
    if days.startswith("in "):
        return f"{every} {days}"
    if rule.frequency == "MONTHLY" and rule.interval == 1 and not rule.months:
        return f"Every {days.removeprefix('the ')} of the month"
    return f"{every} on {days}"


def _parts(rule: Recurrence) -> list[str]:
    """The days, and the months if the rule has some."""
    days = [_join_days(rule)] if rule.days else []
    if rule.month_days:
        days.append(f"{'if it is ' if days else ''}the {_join_numbers(rule.month_days, 'or' if days else 'and')} day")
    if rule.year_days:
        days.append(f"the {_join_numbers(rule.year_days)} day of the year")
    if rule.weeks:
        days.append(f"in week {_join([str(n) for n in sort_numbers(rule.weeks)])}")
    if rule.positions and days:
        days = [f"the {_join([_nth(n) for n in sort_numbers(rule.positions)])} {_singular(rule, days)}"]
    if rule.months:
        days.append(f"in {_join([month_name[month] for month in sorted(rule.months)])}")
    return days


def _singular(rule: Recurrence, days: Sequence[str]) -> str:
    """What the positions choose from."""
    if rule.days and days == [_join_days(rule)]:
        if rule.days == _WORKING_DAYS:
            return "weekday (Monday to Friday)"
        if rule.days == _ALL_DAYS:
            return "day"
    return f"of {' '.join(days)}"


def _join_days(rule: Recurrence) -> str:
    days = sorted(rule.days, key=lambda day: (sort_key(day[0]), day[1]))
    return _join([f"the {_nth(ordinal)} {day_name[weekday]}" if ordinal else day_name[weekday] for ordinal, weekday in days])


def _describe_end(rule: Recurrence) -> str:
    if rule.count is not None:
        return ", once" if rule.count == 1 else f", {rule.count} times"
    return f" until {ENGLISH.formats.month_day(rule.until.local.date())}" if rule.until else ""


def _nth(number: int) -> str:
    """`second`, `last`."""
    return ORDINALS.get(number) or _format_number(number)


def _join_numbers(numbers: frozenset[int], last: str = "and") -> str:
    return _join([_format_number(number) for number in sort_numbers(numbers)], last)


def _format_number(number: int) -> str:
    """`15th`, `last`, `2nd to last`."""
    if number < 0:
        return "last" if number == -1 else f"{_format_number(-number)} to last"
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _join(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
