"""The rule of a series: a recurrence rule of RFC 5545 from a first day on, and dates beside it."""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from msgspec import Struct, structs

from kalends.ical import rrule
from kalends.ical.canonical_rule import canonicalise, format_rule
from kalends.ical.rrule import Budget, Recurrence
from kalends.ical.values import DateTimeValue, parse_datetime

# The most dates of a series, and for how many months those of an endless one are created ahead.
MAX_OCCURRENCES = 1_000
MONTHS_AHEAD = 24
# For those of a series that comes from a source.
MONTHS_AHEAD_OF_SOURCES = 12
LAST_DAY = date.max.isoformat()
# How many days one expansion may examine, in about a tenth of a second: the database may be locked meanwhile.
MAX_STEPS = 200_000
MAX_INTERVAL = 1_000
ONE_DAY = timedelta(days=1)
# The rule of a series that has added dates alone.
ONCE = "FREQ=DAILY;COUNT=1"


class Rule(Struct, frozen=True):
    """A canonical recurrence that has its start, and the dates that were added to it. Without an end it is endless."""

    recurrence: Recurrence
    start: date
    also: tuple[date, ...] = ()

    @property
    def text(self) -> str:
        """The RRULE."""
        return format_rule(self.recurrence)

    @property
    def end(self) -> date | None:
        """The last day on which an occurrence may begin, if the rule has one."""
        return self.recurrence.until.local.date() if self.recurrence.until else None

    @property
    def is_endless(self) -> bool:
        return self.recurrence.until is None and self.recurrence.count is None

    @property
    def moves_by_days(self) -> bool:
        """Whether every shift moves all of its dates by as many days."""
        rule = self.recurrence
        has_days = rule.months or rule.weeks or rule.year_days or rule.month_days or (rule.frequency == "DAILY" and rule.days)
        return rule.frequency in ("DAILY", "WEEKLY") and not has_days

    @property
    def first(self) -> date:
        """The first date, which may be an added one."""
        return min(self.start, *self.also) if self.also else self.start

    def dates(self, until: date, budget: Budget | None = None) -> list[date]:
        """The dates of the rule up to this day, or to its end if that is earlier, and all those that were added."""
        dates = self.own_dates(until, budget)
        return sorted({*dates, *self.also}) if self.also else list(dates)

    def own_dates(self, until: date = date.max, budget: Budget | None = None, first: date = date.min) -> Iterator[date]:
        """The dates of the rule from `first` to `until`, without those that were added."""
        last = min(until, self.end) if self.end else until
        return rrule.dates(self.recurrence, self.start, last, budget or Budget(MAX_STEPS), first)

    def has(self, day: date) -> bool:
        """Whether the rule has this date."""
        if self.recurrence.count is not None:
            return day in self.dates(day)
        is_own = (self.end is None or day <= self.end) and rrule.has(self.recurrence, self.start, day)
        return is_own or day in self.also

    def find_last(self) -> date | None:
        """The day on which it ends: of a rule with a count, its last date."""
        return self.end if self.recurrence.count is None else max(self.own_dates())

    def with_dates(self, also: Iterable[date]) -> "Rule":
        """The rule with these dates beside its own."""
        return structs.replace(self, also=tuple(sorted(set(also))))

    def end_before(self, day: date) -> "Rule":
        """The part before this day. If it has added dates alone, the first of them becomes the start."""
        also = tuple(each for each in self.also if each < day)
        if day <= self.start:
            return Rule(parse_text(ONCE), also[0], also[1:])
        if self.recurrence.count is not None:
            count = sum(1 for _ in self.own_dates(day - ONE_DAY))
            return structs.replace(self, recurrence=structs.replace(self.recurrence, count=count), also=also)
        end = min(day - ONE_DAY, self.end or date.max)
        return structs.replace(self, recurrence=structs.replace(self.recurrence, until=to_until(end)), also=also)

    def begin_at(self, day: date) -> "Rule":
        """The part from this day on. If it has added dates alone, the first of them becomes the start."""
        also = tuple(each for each in self.also if each >= day)
        count = self.recurrence.count
        if count is not None:
            count -= sum(1 for _ in self.own_dates(day - ONE_DAY))
        first = next(self.own_dates(first=day), None) if count is None or count else None
        if first is None:
            return Rule(parse_text(ONCE), also[0], also[1:])
        return structs.replace(self, recurrence=structs.replace(self.recurrence, count=count), start=first, also=also)

    def shift(self, by: timedelta) -> "Rule":
        """The rule that many days later: of a weekly one, on other weekdays. Others keep their days of the month, if they have any."""
        rule, turn = self.recurrence, by.days % 7
        if rule.frequency == "WEEKLY" and turn:
            days = frozenset((0, (weekday + turn) % 7) for _, weekday in rule.days)
            rule = structs.replace(rule, days=days, week_start=(rule.week_start + turn) % 7)
        if self.end:
            rule = structs.replace(rule, until=to_until(date.max if by > date.max - self.end else self.end + by))
        start = self.start + by
        return Rule(canonicalise(rule, start), start, tuple(each + by for each in self.also))


@lru_cache(maxsize=1_000)
def parse_text(text: str) -> Recurrence:
    """The recurrence of a canonical text."""
    return rrule.parse(text)


def to_until(day: date) -> DateTimeValue:
    return parse_datetime(day.isoformat(), {})


def add_months(day: date, months: int) -> date:
    """The same day of a later month, or its last day if the month is shorter; at most 9999-12-31."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
