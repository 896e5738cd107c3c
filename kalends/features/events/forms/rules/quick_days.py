"""The days in the English form of the quick line: 12-14 Dec, tomorrow, next Friday."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from msgspec import Struct, structs

from kalends.features.events.forms.rules.quick_words import MONTHS, TO, WEEKDAYS

# The end of an event may be on a later day.
LAST_YEAR = 9998
# `Wednesday, the 30th of September 2026 until Wednesday, the 30th of September 2027`, with what other languages put between.
LONGEST_DATE = 120

WEEKDAY = "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "may") + "|may|sept"
# Neither the minutes of a time nor an hour: `at 7 until 20 December`.
_NUMBER = r"(?<![:\d])(?<!\bat\s)(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(\d{4})(?!\s*(?:am|pm|:|h\b)))?"
_BEFORE_DATE = rf"(?:\bon\s+)?(?:\b(?:{WEEKDAY})\.?,?\s+)?(?:\bthe\s+)?"
_DATES = (
    re.compile(rf"{_BEFORE_DATE}\b{_NUMBER}(?:\.?{TO}{_NUMBER})?\.?\s+(?:of\s+)?({MONTH})\b\.?{_YEAR}"),
    re.compile(rf"{_BEFORE_DATE}\b({MONTH})\b\.?\s+{_NUMBER}(?:{TO}{_NUMBER})?\b(?!\s*(?:am|pm|:|h\b)){_YEAR}"),
)
_DAY_OF_MONTH = rf"{_NUMBER}\.?\s+(?:of\s+)?({MONTH})\b\.?{_YEAR}"
# `30 May – 2 June 2026`
_DATE_RANGE = re.compile(rf"{_BEFORE_DATE}\b{_DAY_OF_MONTH}{TO}{_BEFORE_DATE}\b{_DAY_OF_MONTH}")
_ISO_DATE = re.compile(rf"{_BEFORE_DATE}\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b")
_DOTTED_DATE = re.compile(rf"{_BEFORE_DATE}\b(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}})?(?!\d)")
_RELATIVE = re.compile(
    r"\b(today|tonight|(?:the\s+)?day\s+after\s+tomorrow|tomorrow|next\s+week(?!\s*(?:day|end))|in\s+(?:a|one|\d{1,3})\s+(?:day|week)s?)\b"
)
_NAMED_DAY = re.compile(rf"(?:\bon\s+)?\b(?:(this|next)\s+)?({WEEKDAY})\b(?!['’]\w)\.?,?")


class Day(Struct, frozen=True):
    """A day in the line; of several, the one with the highest rank counts, then the last."""

    rank: int
    span: tuple[int, int]
    first: date
    last: date
    # Whether a week may be added, if the time is over today.
    moves: bool = False


def find_day(text: str, now: datetime, *, is_weekday_known: bool = False) -> Day | None:
    """The day on which the event is, or begins. is_weekday_known: from its rule; names of weekdays are words of the title then."""
    today = now.date()
    days = [*find_dates(text, today), *_relative_days(text, today), *([] if is_weekday_known else _named_days(text, today))]
    return max(days, key=lambda each: (each.rank, each.span), default=None)


def find_dates(text: str, today: date) -> list[Day]:
    return [*_date_ranges(text, today), *_dates(text, today)]


def find_date_at(text: str, position: int, today: date) -> Day | None:
    """The date, or the range of dates, whose words begin there."""
    days = (day for day in find_dates(text[position : position + LONGEST_DATE], today) if day.span[0] == 0)
    day = max(days, key=lambda day: day.rank, default=None)
    return structs.replace(day, span=(position, position + day.span[1])) if day else None


def _dates(text: str, today: date) -> Iterable[Day]:
    """Days of a month: 12 Dec, Dec 12 2027, 12-14 Dec, 2026-12-12, 12.12."""
    for position, pattern in enumerate(_DATES):
        for match in pattern.finditer(text):
            first, last, month = (match[1], match[2], match[3]) if position == 0 else (match[2], match[3], match[1])
            yield from _date(match, today, match[4], month_number(month), first, last)
    for match in _ISO_DATE.finditer(text):
        yield from _date(match, today, match[1], int(match[2]), match[3], None)
    for match in _DOTTED_DATE.finditer(text):
        yield from _date(match, today, match[3], int(match[2]), match[1], None)


def _date_ranges(text: str, today: date) -> Iterable[Day]:
    """Days from one month to another. A year at the end is that of both; without one, the range is the next that is not over."""
    for match in _DATE_RANGE.finditer(text):
        first_day, first_month, first_year, last_day, last_month, last_year = match.groups()
        for year in [int(last_year)] if last_year else range(today.year, today.year + 9):
            start_year = int(first_year) if first_year else year - (month_number(first_month) > month_number(last_month))
            if not 1 <= start_year <= year <= LAST_YEAR:
                continue
            try:
                days = date(start_year, month_number(first_month), int(first_day)), date(year, month_number(last_month), int(last_day))
            except ValueError:
                continue
            if days[1] >= days[0] and (last_year or days[1] >= today):
                yield Day(5, match.span(), *days)
                break


def month_number(name: str) -> int:
    return next(number for number, each in enumerate(MONTHS, 1) if each[:3] == name[:3])


def weekday_number(name: str) -> int:
    """0 for `mon` and `monday`."""
    return next(number for number, each in enumerate(WEEKDAYS) if each[:3] == name[:3])


def _date(match: re.Match[str], today: date, year: str | None, month: int, first: str, last: str | None) -> Iterable[Day]:
    """The date, if there is such a day; without a year, the next one that is not over."""
    for candidate in [int(year)] if year else range(today.year, today.year + 9):
        if candidate > LAST_YEAR:
            continue
        try:
            days = date(candidate, month, int(first)), date(candidate, month, int(last or first))
        except ValueError:
            continue
        if days[1] >= days[0] and (year or days[1] >= today):
            yield Day(4, match.span(), *days)
            return


def _relative_days(text: str, today: date) -> Iterable[Day]:
    for match in _RELATIVE.finditer(text):
        words = match[1].split()
        if words[-1] in ("today", "tonight"):
            distance = 0
        elif words[-1] == "tomorrow":
            distance = 2 if "after" in words else 1
        elif words[0] == "next":
            distance = 7
        else:
            distance = (int(words[1]) if words[1].isdigit() else 1) * (7 if words[2].startswith("week") else 1)
        day = today + timedelta(days=distance)
        # `next week` may stand beside a weekday, which says more.
        yield Day(1 if words[0] == "next" else 2, match.span(), day, day)


def _named_days(text: str, today: date) -> Iterable[Day]:
    """Weekdays: the next one, which may be today; `next friday` is that of the next week, which begins on Monday."""
    for match in _NAMED_DAY.finditer(text):
        weekday = weekday_number(match[2])
        if match[1] == "next":
            day = today + timedelta(days=7 - today.weekday() + weekday)
        else:
            day = today + timedelta(days=(weekday - today.weekday()) % 7)
        # `sun` and `sat` are words of titles, too.
        rank = 2 if match[2] in WEEKDAYS or match[1] else 1
        yield Day(rank, match.span(), day, day, moves=match[1] != "next")
