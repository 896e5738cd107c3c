"""Series: what the API returns about their rules."""

from datetime import date
from functools import lru_cache
from typing import Annotated, Literal, cast

from msgspec import Meta, Struct, field, structs

from kalends.core.i18n import Text
from kalends.features.events.series.rules.rule import Rule, parse_text
from kalends.features.events.series.rules.sentence import describe, describe_briefly, is_moved_to_last
from kalends.ical.canonical_rule import format_days, sort_numbers
from kalends.ical.rrule import Recurrence, add_defaults

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]


class Repeat(Struct, frozen=True, kw_only=True):
    """The rule of a series."""

    frequency: Annotated[Frequency, Meta(description="Unit of the repetition.")]
    interval: Annotated[int, Meta(description="Repeat every n days, weeks, months or years.")]
    start_date: Annotated[str, Meta(description="First day of the series.")]
    end_date: Annotated[str | None, Meta(description="Last day of the series, inclusive; null if it has a count or no end.")]
    by_day: Annotated[list[str], Meta(description="Weekdays of the rule, such as MO, 2TU (the second Tuesday) and -1FR (the last Friday).")]
    by_month_day: Annotated[list[int], Meta(description="Days of the month; negative ones count from its end.")]
    by_month: Annotated[list[int], Meta(description="Months of the rule.")]
    by_set_pos: Annotated[list[int], Meta(description="Which of the days of each period are dates: 1 is the first, -1 the last.")]
    count: Annotated[int | None, Meta(description="Number of occurrences of the rule; null if it has none.")]
    short_months: Annotated[
        Literal["skip", "last"], Meta(description="What the rule does in months without its day: skip them, or take their last day.")
    ]
    rrule: Annotated[
        str, Meta(description="The rule as an RRULE of RFC 5545, in its canonical form; UNTIL is the last day in the event's zone.")
    ]
    also: Annotated[list[str], Meta(description="Dates that were added to the rule.")]
    excepted: Annotated[list[str], Meta(description="Dates that are left out: excepted, or deleted individually.")] = field(name="except")
    text: Annotated[str, Meta(description="The rule as a sentence.")]

    @property
    def sentence(self) -> Text:
        """The rule in words, for pages in any language."""
        return _describe(self.rrule, self.start_date)

    @property
    def brief(self) -> Text:
        """The rule for a card: `Every Friday`."""
        return describe_briefly(_rule_in_words(self.rrule, self.start_date))

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
