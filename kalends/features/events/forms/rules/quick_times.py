"""The times in the English form of the quick line: 8pm, 20:00-22:30, noon for 3 hours, at 7."""

import re
from datetime import time, timedelta

from msgspec import Struct

from kalends.features.events.forms.rules.quick_place import GAP, without
from kalends.features.events.forms.rules.quick_words import TO

CLOCK = (
    r"(?:(\d{1,2})(?::(\d{2})|\.(\d{2})(?=\s*[ap]\.?m))?\s*([ap])\.?m\b\.?"
    r"|(\d{1,2}):(\d{2})(?!\d)|(\d{1,2})\s?h(\d{2})?\b|(noon|midnight)\b)"
)
BEFORE_TIME = r"(?:\b(?:at|from|@)\s*)?"
_RANGE = re.compile(rf"{BEFORE_TIME}(?<![\d:]){CLOCK}{TO}{CLOCK}")
# `8-10pm` and `20-22h`: the first number goes with what follows the second.
_SHORT_RANGE = re.compile(rf"{BEFORE_TIME}(?<![\d:])\b(\d{{1,2}})(?::(\d{{2}}))?{TO}{CLOCK}")
_TIME = re.compile(rf"{BEFORE_TIME}(?<![\d:]){CLOCK}")
# Nothing that makes it the number of a house follows a bare hour: `at 7 Elm Street`.
_BARE_HOUR = re.compile(
    rf"(?:\bat|@)\s*(\d{{1,2}})(?=\s*,?\s*(?:{GAP}|$)|\s+(?:with|at|in)\b|\s+@)|(?:\bat\s+)?(?<![:\d])\b(\d{{1,2}})\s*o['’]clock\b"
)
# Of 1 to 7, the afternoon and the evening are likely.
_LAST_LIKELY_PM, NOON = 7, 12
_LENGTH = re.compile(r"\bfor\s+(?:(\d{1,2}(?:\.\d)?|an|a)\s*(?:hours?|hrs?|h)|(\d{1,3})\s*(?:minutes?|mins?))\b")


class Times(Struct, frozen=True):
    """The start and the end in the line."""

    spans: list[tuple[int, int]]
    start: time
    end: time | None
    length: timedelta | None


def find_times(text: str, *, has_24_hours: bool, is_tonight: bool) -> Times | None:
    """The last range of times in the text, else the last time, with the length if there is one.

    has_24_hours: a bare hour is that of a clock with 24 hours; otherwise its half of the day is the likely one.
    """
    length = next(iter(_LENGTH.finditer(text)), None)
    searched = without(text, [length.span()] if length else [])
    for pattern, read in ((_SHORT_RANGE, _read_short_range), (_RANGE, _read_range), (_TIME, _read_time)):
        for match in reversed(list(pattern.finditer(searched))):
            times = read(match)
            if times is not None:
                return _add_length(match, *times, length)
    for match in reversed(list(_BARE_HOUR.finditer(searched))):
        hour = int(match[1] or match[2])
        if not has_24_hours and 0 < hour < NOON and (is_tonight or hour <= _LAST_LIKELY_PM):
            hour += NOON
        if hour < 2 * NOON:
            return _add_length(match, time(hour), None, length)
    return None


def _add_length(match: re.Match[str], start: time, end: time | None, length: re.Match[str] | None) -> Times:
    """The times of the match; of a length beside an end, the words stay in the line."""
    if length is None or end is not None:
        return Times([match.span()], start, end, None)
    return Times([match.span(), length.span()], start, None, _read_length(length))


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
    """The time of the nine groups of CLOCK; None if no clock shows it."""
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
