"""One line that says what, when and where: `Jazz trio Friday 8pm at Le Sextant`. Other languages are read by way of English.

The same line on the same day always gives the same event: what is not understood stays in the title.
"""

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from msgspec import Struct

from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.values.datetimes import known_zones
from kalends.features.events.forms.rules.quick_languages import FILL, PAD, align
from kalends.features.events.forms.rules.quick_place import GAP, QUOTED, split_place, without
from kalends.features.events.forms.rules.quick_words import MONTHS, WEEKDAYS

DEFAULT_LENGTH = timedelta(hours=2)
EVENING = time(20)
# The end of an event may be on a later day.
LAST_YEAR = 9998

_WEEKDAY = "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS if name != "may") + "|may|sept"
_NUMBER = r"(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b)\s*"
_YEAR = r"(?:,?\s+(\d{4})(?!\s*(?:am|pm|:|h\b)))?"
_BEFORE_DATE = rf"(?:\bon\s+)?(?:\b(?:{_WEEKDAY})\.?,?\s+)?(?:\bthe\s+)?"
_DATES = (
    re.compile(rf"{_BEFORE_DATE}\b{_NUMBER}(?:\.?{_TO}{_NUMBER})?\.?\s+(?:of\s+)?({_MONTH})\b\.?{_YEAR}"),
    re.compile(rf"{_BEFORE_DATE}\b({_MONTH})\b\.?\s+{_NUMBER}(?:{_TO}{_NUMBER})?\b(?!\s*(?:am|pm|:|h\b)){_YEAR}"),
)
_DAY_OF_MONTH = rf"{_NUMBER}\.?\s+(?:of\s+)?({_MONTH})\b\.?{_YEAR}"
# `30 May – 2 June 2026`
_DATE_RANGE = re.compile(rf"{_BEFORE_DATE}\b{_DAY_OF_MONTH}{_TO}{_BEFORE_DATE}\b{_DAY_OF_MONTH}")
_ISO_DATE = re.compile(rf"{_BEFORE_DATE}\b(\d{{4}})-(\d{{2}})-(\d{{2}})\b")
_DOTTED_DATE = re.compile(rf"{_BEFORE_DATE}\b(\d{{1,2}})\.(\d{{1,2}})\.(\d{{4}})?(?!\d)")
_RELATIVE = re.compile(
    r"\b(today|tonight|(?:the\s+)?day\s+after\s+tomorrow|tomorrow|next\s+week(?!\s*(?:day|end))|in\s+(?:a|one|\d{1,3})\s+(?:day|week)s?)\b"
)
_NAMED_DAY = re.compile(rf"(?:\bon\s+)?\b(?:(this|next|every)\s+)?({_WEEKDAY})\b\.?,?")

_CLOCK = (
    r"(?:(\d{1,2})(?::(\d{2})|\.(\d{2})(?=\s*[ap]\.?m))?\s*([ap])\.?m\b\.?"
    r"|(\d{1,2}):(\d{2})(?!\d)|(\d{1,2})\s?h(\d{2})?\b|(noon|midnight)\b)"
)
_BEFORE_TIME = r"(?:\b(?:at|from|@)\s*)?"
_RANGE = re.compile(rf"{_BEFORE_TIME}(?<![\d:]){_CLOCK}{_TO}{_CLOCK}")
# `8-10pm` and `20-22h`: the first number goes with what follows the second.
_SHORT_RANGE = re.compile(rf"{_BEFORE_TIME}(?<![\d:])\b(\d{{1,2}})(?::(\d{{2}}))?{_TO}{_CLOCK}")
_TIME = re.compile(rf"{_BEFORE_TIME}(?<![\d:]){_CLOCK}")
# `Daily` begins titles, too.
_EVERY = re.compile(rf"\b(?:every\s+(day|week)|(daily)(?=\s+{_BEFORE_TIME}{_CLOCK}))\b")
_LENGTH = re.compile(r"\bfor\s+(?:(\d{1,2}(?:\.\d)?|an|a)\s*(?:hours?|hrs?|h)|(\d{1,3})\s*(?:minutes?|mins?))\b")
_ZONE = re.compile(r"\b([A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+)+|UTC)\b")


class QuickEvent(Struct, frozen=True):
    """What the line says; without a day, it does not say when. An event without a start takes the whole day, or days."""

    title: str
    day: date | None = None
    start: time | None = None
    last_day: date | None = None
    end: time | None = None
    location: str = ""
    time_zone: str | None = None
    # `daily` or `weekly`.
    repeat: str | None = None


class _Day(Struct, frozen=True):
    """A day in the line; of several, the one with the highest rank counts, then the last."""

    rank: int
    span: tuple[int, int]
    first: date
    last: date
    # Whether a week may be added, if the time is over today.
    moves: bool = False
    is_weekly: bool = False


class _Times(Struct, frozen=True):
    """The start and the end in the line."""

    spans: list[tuple[int, int]]
    start: time
    end: time | None
    length: timedelta | None


def parse(line: str, now: datetime, locale: Locale = ENGLISH) -> QuickEvent:
    """The event of the line; `now` is the time on the clocks of the place."""
    text = " ".join(line.replace(GAP, " ").replace(FILL, " ").split())
    # What is between quotation marks is taken as it is.
    searched = QUOTED.sub(lambda match: GAP * len(match[0]), text)
    zone = next((match for match in _ZONE.finditer(searched) if match[1] in known_zones()), None)
    gaps = [zone.span()] if zone else []
    text, searched = align(without(text, gaps), without(searched, gaps), locale)
    every = _EVERY.search(searched)
    day = _find_day(searched, now)
    days = ([every.span()] if every else []) + ([day.span] if day else [])
    times = _find_times(without(searched, days))
    spans = [_widen(span, searched) for span in [*days, *(times.spans if times else [])]]
    title, location = split_place(without(text, spans), without(searched, spans))
    event = QuickEvent(title, location=location, time_zone=zone[1] if zone else None, repeat=_find_repeat(every, day))
    return _complete(event, day, times, now, is_tonight=day is not None and searched[slice(*day.span)].strip() == "tonight")


def _complete(event: QuickEvent, day: _Day | None, times: _Times | None, now: datetime, *, is_tonight: bool) -> QuickEvent:
    """The event with its days and times; the end is two hours after the start, if the line does not say it."""
    if times is None and is_tonight:
        times = _Times([], EVENING, None, None)
    if day is None and times is None and event.repeat is None:
        return event
    first = day.first if day else now.date()
    if times is None:
        last = day.last if day and day.last != day.first else None
        return _replace(event, first, None, last, None)
    if (day is None or day.moves) and first == now.date() and times.start < now.time():
        first += timedelta(days=7 if day or event.repeat == "weekly" else 1)
    start = datetime.combine(first, times.start)
    if times.end is not None:
        last = first if times.end > times.start else first + timedelta(days=1)
        return _replace(event, first, times.start, last, times.end)
    end = start + (times.length or DEFAULT_LENGTH)
    return _replace(event, first, times.start, end.date(), end.time())


def _replace(event: QuickEvent, day: date, start: time | None, last_day: date | None, end: time | None) -> QuickEvent:
    return QuickEvent(event.title, day, start, last_day, end, event.location, event.time_zone, event.repeat)


def _find_repeat(every: re.Match[str] | None, day: _Day | None) -> str | None:
    if every:
        return "weekly" if every[1] == "week" else "daily"
    return "weekly" if day and day.is_weekly else None


def _find_day(text: str, now: datetime) -> _Day | None:
    today = now.date()
    days = [*_date_ranges(text, today), *_dates(text, today), *_relative_days(text, today), *_named_days(text, today)]
    return max(days, key=lambda each: (each.rank, each.span), default=None)


def _dates(text: str, today: date) -> Iterable[_Day]:
    """Days of a month: 12 Dec, Dec 12 2027, 12-14 Dec, 2026-12-12, 12.12."""
    for position, pattern in enumerate(_DATES):
        for match in pattern.finditer(text):
            first, last, month = (match[1], match[2], match[3]) if position == 0 else (match[2], match[3], match[1])
            yield from _date(match, today, match[4], _month(month), first, last)
    for match in _ISO_DATE.finditer(text):
        yield from _date(match, today, match[1], int(match[2]), match[3], None)
    for match in _DOTTED_DATE.finditer(text):
        yield from _date(match, today, match[3], int(match[2]), match[1], None)


def _date_ranges(text: str, today: date) -> Iterable[_Day]:
    """Days from one month to another. A year at the end is that of both; without one, the range is the next that is not over."""
    for match in _DATE_RANGE.finditer(text):
        first_day, first_month, first_year, last_day, last_month, last_year = match.groups()
        for year in [int(last_year)] if last_year else range(today.year, today.year + 9):
            start_year = int(first_year) if first_year else year - (_month(first_month) > _month(last_month))
            if not 1 <= start_year <= year <= LAST_YEAR:
                continue
            try:
                days = date(start_year, _month(first_month), int(first_day)), date(year, _month(last_month), int(last_day))
            except ValueError:
                continue
            if days[1] >= days[0] and (last_year or days[1] >= today):
                yield _Day(5, match.span(), *days)
                break


def _month(name: str) -> int:
    return next(number for number, each in enumerate(MONTHS, 1) if each[:3] == name[:3])


def _date(match: re.Match[str], today: date, year: str | None, month: int, first: str, last: str | None) -> Iterable[_Day]:
    """The date, if there is such a day; without a year, the next one that is not over."""
    for candidate in [int(year)] if year else range(today.year, today.year + 9):
        if candidate > LAST_YEAR:
            continue
        try:
            days = date(candidate, month, int(first)), date(candidate, month, int(last or first))
        except ValueError:
            continue
        if days[1] >= days[0] and (year or days[1] >= today):
            yield _Day(4, match.span(), *days)
            return


def _relative_days(text: str, today: date) -> Iterable[_Day]:
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
        yield _Day(1 if words[0] == "next" else 2, match.span(), day, day)


def _named_days(text: str, today: date) -> Iterable[_Day]:
    """Weekdays: the next one, which may be today; `next friday` is that of the next week, which begins on Monday."""
    for match in _NAMED_DAY.finditer(text):
        weekday = next(number for number, name in enumerate(WEEKDAYS) if name[:3] == match[2][:3])
        if match[1] == "next":
            day = today + timedelta(days=7 - today.weekday() + weekday)
        else:
            day = today + timedelta(days=(weekday - today.weekday()) % 7)
        is_weekly = match[1] == "every"
        # `sun` and `sat` are words of titles, too.
        rank = 3 if is_weekly else 2 if match[2] in WEEKDAYS or match[1] else 1
        yield _Day(rank, match.span(), day, day, moves=match[1] != "next", is_weekly=is_weekly)


def _find_times(text: str) -> _Times | None:
    """The last range of times in the text, else the last time, with the length if there is one."""
    length = next(iter(_LENGTH.finditer(text)), None)
    searched = without(text, [length.span()] if length else [])
    for pattern, read in ((_SHORT_RANGE, _read_short_range), (_RANGE, _read_range), (_TIME, _read_time)):
        for match in reversed(list(pattern.finditer(searched))):
            times = read(match)
            if times is not None:
                is_needed = length is not None and times[1] is None
                spans = [match.span(), *([length.span()] if length and is_needed else [])]
                return _Times(spans, *times, _read_length(length) if length and is_needed else None)
    return None


def _read_range(match: re.Match[str]) -> tuple[time, time | None] | None:
    start, end = _read_clock(match.groups()[:9]), _read_clock(match.groups()[9:])
    return (start, end) if start is not None and end is not None else None


def _read_short_range(match: re.Match[str]) -> tuple[time, time | None] | None:
    end = _read_clock(match.groups()[2:])
    hour, minute = int(match[1]), int(match[2] or 0)
    if end is None or hour > 23 or minute > 59:
        return None
    if match[6] and hour <= 12:
        # 8-10pm begins in the evening, and 11-1pm in the morning.
        hour = hour % 12 + (12 if match[6] == "p" else 0)
        if time(hour, minute) >= end and hour >= 12:
            hour -= 12
    return time(hour, minute), end


def _read_time(match: re.Match[str]) -> tuple[time, time | None] | None:
    start = _read_clock(match.groups())
    return (start, None) if start is not None else None


def _read_clock(groups: tuple[str | None, ...]) -> time | None:
    """The time of the nine groups of _CLOCK; None if no clock shows it."""
    hour12, colon, dot, half, hour24, minute24, hour_h, minute_h, word = groups
    if word:
        return time(12 if word == "noon" else 0)
    if hour12:
        hour, minute = int(hour12), int(colon or dot or 0)
        if not 1 <= hour <= 12 or minute > 59:
            return None
        return time(hour % 12 + (12 if half == "p" else 0), minute)
    hour, minute = int(hour24 or hour_h or 0), int(minute24 or minute_h or 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _read_length(match: re.Match[str]) -> timedelta:
    if match[2]:
        return timedelta(minutes=max(1, int(match[2])))
    return timedelta(hours=1 if match[1] in ("a", "an") else float(match[1]) or 1)


def _widen(span: tuple[int, int], searched: str) -> tuple[int, int]:
    """The span with what fills up the words in it."""
    first, last = span
    while first and searched[first - 1] == PAD:
        first -= 1
    while searched[last : last + 1] == PAD:
        last += 1
    return first, last
