"""The occurrences of rules with times of their own: FREQ=HOURLY, MINUTELY and SECONDLY, BYHOUR, BYMINUTE and BYSECOND.

Times are local: where clocks are changed, RFC 5545 reads a computed time as any other local time."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import chain, dropwhile, islice, product, takewhile

from msgspec import structs

from kalends.ical import rrule
from kalends.ical.rrule import Budget, Recurrence

_SECONDS = {"HOURLY": 3_600, "MINUTELY": 60, "SECONDLY": 1}


def times(rule: Recurrence, start: datetime, last: datetime, budget: Budget, first: datetime = datetime.min) -> Iterator[datetime]:
    """The occurrences in order, from the start to the last time; of those, the ones from `first` on.

    The start is the first one even if the rule does not have it."""
    # With a count, all occurrences before are counted.
    begin = start if rule.count is not None else max(first, start)
    sets = (
        _sets_of_days(rule, start, begin, last, budget) if rule.is_daily_or_longer else _sets_within_day(rule, start, begin, last, budget)
    )
    own = (each for members in sets for each in _pick(rule, members) if each >= start)
    later = dropwhile(lambda each: each <= start, own)
    with_start = islice(chain([start], later), rule.count)
    return takewhile(lambda each: each <= last, dropwhile(lambda each: each < first, with_start))


def _pick(rule: Recurrence, members: list[datetime]) -> list[datetime]:
    """The members of a set that BYSETPOS names."""
    if not rule.positions:
        return members
    count = len(members)
    return [each for i, each in enumerate(members, 1) if i in rule.positions or i - count - 1 in rule.positions]


def _sets_of_days(rule: Recurrence, start: datetime, begin: datetime, last: datetime, budget: Budget) -> Iterator[list[datetime]]:
    """The occurrences of each day, week, month or year."""
    days = rrule.add_defaults(structs.replace(rule, positions=frozenset()), start.date())
    clock = [time(hour, minute, second) for hour, minute, second in product(*_times_of_day(rule, start))]
    for ordinals in rrule.periods(days, start.date(), begin.date(), last.date()):
        selected = rrule.select(days, ordinals)
        budget.spend((len(ordinals) or 1) + len(selected) * len(clock))
        # Many periods of a DAILY rule come at once.
        for period in ([day] for day in selected) if rule.frequency == "DAILY" else [selected]:
            yield [datetime.combine(day, each) for day in period for each in clock]


def _times_of_day(rule: Recurrence, start: datetime) -> list[list[int]]:
    """The hours, minutes and seconds; a leap second is the last second of its minute."""
    own = (start.hour, start.minute, start.second)
    return [sorted({min(each, 59) for each in given}) or [default] for given, default in zip(rule.times, own, strict=True)]


def _sets_within_day(rule: Recurrence, start: datetime, begin: datetime, last: datetime, budget: Budget) -> Iterator[list[datetime]]:
    """The occurrences of each hour, minute or second."""
    unit = _SECONDS[rule.frequency]
    anchor, step = _seconds(start) // unit * unit, unit * rule.interval
    days, clock = structs.replace(rule, frequency="DAILY"), _times_of_day(rule, start)
    for ordinal in range(begin.toordinal(), last.toordinal() + 1):
        day = date.fromordinal(ordinal)
        seconds = _steps(_seconds(datetime.combine(day, time())), anchor, step) if rrule.matches(days, day) else range(0)
        budget.spend(1 + len(seconds))
        for each in seconds:
            if members := _expand(rule, datetime.min + timedelta(seconds=each), clock):
                yield members


def _steps(midnight: int, anchor: int, step: int) -> range:
    """The seconds of a day at which a period begins that the interval does not skip."""
    first = anchor + max(0, -(-(midnight - anchor) // step)) * step
    return range(first, midnight + 86_400, step)


def _expand(rule: Recurrence, period: datetime, clock: list[list[int]]) -> list[datetime]:
    """The occurrences in an hour, a minute or a second that begins at this time."""
    hours, minutes, seconds = clock
    if rule.times[0] and period.hour not in hours:
        return []
    if rule.frequency == "HOURLY":
        return [period.replace(minute=minute, second=second) for minute in minutes for second in seconds]
    if rule.times[1] and period.minute not in minutes:
        return []
    if rule.frequency == "MINUTELY":
        return [period.replace(second=second) for second in seconds]
    return [] if rule.times[2] and period.second not in seconds else [period]


def _seconds(moment: datetime) -> int:
    return (moment - datetime.min) // timedelta(seconds=1)
