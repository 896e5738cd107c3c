"""Parse DATE, DATE-TIME and DURATION values of iCalendar."""

import re
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from kalends.ical.lines import Property

DAY_SECONDS = 86_400

_DATETIME = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:T([0-9]{2}):?([0-9]{2})(?::?([0-9]{2}))?(Z)?)?", re.IGNORECASE)
_DURATION = re.compile(
    r"([+-]?)P(?:([0-9]{1,8})W)?(?:([0-9]{1,8})D)?(?:T(?:([0-9]{1,8})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,10})S)?)?", re.IGNORECASE
)


class DateTimeValue(Struct, frozen=True):
    """A DATE or DATE-TIME as it was written; `zone` is its TZID in upper case."""

    local: datetime
    is_date: bool = False
    is_utc: bool = False
    zone: str = ""


class Duration(Struct, frozen=True):
    """A DURATION: days of the calendar, and seconds."""

    days: int
    seconds: int


def parse_datetime(value: str, parameters: dict[str, str]) -> DateTimeValue:
    """Parse a DATE or DATE-TIME, or raise ValueError with a message for people."""
    match = _DATETIME.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"“{shorten(value)}” is not a date or time")
    year, month, day, hour, minute, second, utc = match.groups()
    is_date = hour is None or parameters.get("VALUE") == "DATE"
    clock = (0, 0, 0) if is_date else (int(hour), int(minute), min(int(second or 0), 59))
    try:
        local = datetime(int(year), int(month), int(day), *clock)
    except ValueError:
        raise ValueError(f"“{shorten(value)}” does not exist") from None
    return DateTimeValue(local, is_date, bool(utc) and not is_date, "" if is_date else parameters.get("TZID", ""))


class Period(Struct, frozen=True):
    """A date or time; a PERIOD has an end or a duration, too."""

    start: DateTimeValue
    end: DateTimeValue | None = None
    duration: Duration | None = None


def parse_datetimes(prop: Property) -> Iterator[DateTimeValue]:
    """Parse a list of dates or times."""
    for value in prop.value.split(","):
        yield parse_datetime(value, prop.parameters)


def parse_periods(prop: Property) -> Iterator[Period]:
    """Parse a list of dates, times or periods."""
    for value in prop.value.split(","):
        start, slash, end = value.partition("/")
        parsed = parse_datetime(start, prop.parameters)
        if not slash:
            yield Period(parsed)
        elif "P" in end.upper():
            yield Period(parsed, duration=parse_duration(end))
        else:
            yield Period(parsed, parse_datetime(end, prop.parameters))


def parse_duration(value: str) -> Duration:
    match = _DURATION.fullmatch(value.strip())
    if match is None or not any(match.groups()[1:]):
        raise ValueError(f"“{shorten(value)}” is no length of time")
    sign, *numbers = match.groups()
    weeks, days, hours, minutes, seconds = (int(number or 0) * (-1 if sign == "-" else 1) for number in numbers)
    return Duration(weeks * 7 + days, hours * 3600 + minutes * 60 + seconds)


def shorten(value: str) -> str:
    """The value cut to the length of a remark."""
    return value if len(value) <= 60 else f"{value[:59]}…"
