"""The one way to write a recurrence rule, so that equal rules have equal text."""

from datetime import date

from msgspec import structs

from kalends.ical.rrule import NO_TIMES, WEEKDAYS, Recurrence, is_simple
from kalends.ical.values import DateTimeValue


def canonicalise(rule: Recurrence, start: date) -> Recurrence:
    """The same rule without the parts that change nothing: those that repeat the first date, times, and a first day of the week that
    no date depends on."""
    if is_simple(rule, start):
        return Recurrence(rule.frequency, rule.interval, rule.count, rule.until)
    days, positions, week_start = rule.days, rule.positions, rule.week_start
    if rule.frequency in ("DAILY", "WEEKLY"):
        days = frozenset((0, weekday) for _, weekday in days)
    if rule.frequency == "DAILY" and positions & {1, -1}:
        positions = frozenset()
    if not (rule.weeks or (rule.frequency == "WEEKLY" and (rule.interval > 1 or positions))):
        week_start = 0
    return structs.replace(rule, days=days, positions=positions, week_start=week_start, times=NO_TIMES)


def format_rule(rule: Recurrence) -> str:
    """The text of the rule, with its parts and the values of each in order, and its end as a date."""
    parts = [f"FREQ={rule.frequency}"]
    if rule.interval > 1:
        parts.append(f"INTERVAL={rule.interval}")
    if rule.count is not None:
        parts.append(f"COUNT={rule.count}")
    if rule.until is not None:
        parts.append(f"UNTIL={format_until(rule.until)}")
    lists = {"BYMONTH": rule.months, "BYWEEKNO": rule.weeks, "BYYEARDAY": rule.year_days, "BYMONTHDAY": rule.month_days}
    parts += [f"{name}={join_numbers(numbers)}" for name, numbers in lists.items() if numbers]
    if rule.days:
        parts.append(f"BYDAY={','.join(format_days(rule))}")
    if rule.positions:
        parts.append(f"BYSETPOS={join_numbers(rule.positions)}")
    if rule.week_start:
        parts.append(f"WKST={WEEKDAYS[rule.week_start]}")
    return ";".join(parts)


def format_until(until: DateTimeValue) -> str:
    """The day on which a rule ends."""
    return until.local.date().isoformat().replace("-", "")


def format_days(rule: Recurrence) -> list[str]:
    """The days as BYDAY has them: `MO`, `2TU`, `-1FR`."""
    return [f"{ordinal or ''}{WEEKDAYS[weekday]}" for ordinal, weekday in sorted(rule.days, key=lambda day: (sort_key(day[0]), day[1]))]


def sort_numbers(numbers: frozenset[int]) -> list[int]:
    """The numbers from the beginning first, then those from the end: 1, 15, -2, -1."""
    return sorted(numbers, key=sort_key)


def sort_key(number: int) -> tuple[bool, int]:
    return number < 0, number


def join_numbers(numbers: frozenset[int]) -> str:
    return ",".join(map(str, sort_numbers(numbers)))
