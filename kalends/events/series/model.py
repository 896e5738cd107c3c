"""Series: what the API returns about their rules."""

from datetime import date
from functools import lru_cache
from typing import Literal, cast

from msgspec import Struct, field, structs

from kalends.events.series.rule import Rule, parse_text
from kalends.events.series.sentence import describe, describe_days, is_moved_to_last
from kalends.i18n import Text
from kalends.ical.canonical_rule import format_days, sort_numbers
from kalends.ical.rrule import Recurrence, add_defaults

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]


class Repeat(Struct, frozen=True, kw_only=True):
    """The rule of a series."""

    frequency: Frequency
    interval: int
    start_date: str
    end_date: str | None
    by_day: list[str]
    by_month_day: list[int]
    by_month: list[int]
    by_set_pos: list[int]
    count: int | None
    short_months: Literal["skip", "last"]
    rrule: str
    also: list[str]
    excepted: list[str] = field(name="except")
    text: str

    @property
    def sentence(self) -> Text:
        """The rule in words, for pages in any language."""
        return _describe(self.rrule, self.start_date)

    @property
    def days(self) -> Text:
        """The rule in words without its end."""
        return describe_days(_rule_in_words(self.rrule, self.start_date))

    def has(self, day: date) -> bool:
        """Whether the rule has this date, or it was added."""
        return Rule(parse_text(self.rrule), date.fromisoformat(self.start_date)).has(day) or day.isoformat() in self.also


class RepeatPreview(Struct, kw_only=True):
    """What a rule would do to a series."""

    repeat: Repeat
    occurrences: int
    kept: int
    created: int
    removed: int
    stranded: list[str]
    next_dates: list[str]


def build_repeat(rrule: str, start_date: str, also: str = "", excepted: str = "") -> Repeat:
    """The rule, the added and the excepted dates, both delimited by commas."""
    repeat = _build_repeat(rrule, start_date)
    if not also and not excepted:
        return repeat
    return structs.replace(repeat, also=_split(also), excepted=_split(excepted))


@lru_cache(maxsize=1_000)
def _build_repeat(rrule: str, start_date: str) -> Repeat:
    rule = parse_text(rrule)
    moves_to_last = is_moved_to_last(rule)
    return Repeat(
        frequency=cast(Frequency, rule.frequency),
        interval=rule.interval,
        start_date=start_date,
        end_date=rule.until.local.date().isoformat() if rule.until else None,
        by_day=format_days(rule),
        by_month_day=[max(rule.month_days)] if moves_to_last else sort_numbers(rule.month_days),
        by_month=sorted(rule.months),
        by_set_pos=[] if moves_to_last else sort_numbers(rule.positions),
        count=rule.count,
        short_months="last" if moves_to_last else "skip",
        rrule=rrule,
        also=[],
        excepted=[],
        text=str(_describe(rrule, start_date)),
    )


@lru_cache(maxsize=1_000)
def _describe(rrule: str, start_date: str) -> Text:
    return describe(_rule_in_words(rrule, start_date))


@lru_cache(maxsize=1_000)
def _rule_in_words(rrule: str, start_date: str) -> Recurrence:
    rule = parse_text(rrule)
    # A yearly rule has the date of the event, which is beside it wherever the sentence is.
    return rule if rule.frequency == "YEARLY" else add_defaults(rule, date.fromisoformat(start_date))


def _split(dates: str) -> list[str]:
    return sorted(dates.split(",")) if dates else []
