"""Dates, times and lengths as iCalendar writes them."""

import re
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from kalends.ical.lines import Property

DAY_SECONDS = 86_400

_MOMENT = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:T([0-9]{2}):?([0-9]{2})(?::?([0-9]{2}))?(Z)?)?", re.IGNORECASE)
_LENGTH = re.compile(
    r"([+-]?)P(?:([0-9]{1,8})W)?(?:([0-9]{1,8})D)?(?:T(?:([0-9]{1,8})H)?(?:([0-9]{1,8})M)?(?:([0-9]{1,10})S)?)?", re.IGNORECASE
)


class Moment(Struct, frozen=True):
    """A date or a time, as it was written; `zone` is what the file calls its zone, in capitals."""

    local: datetime
    is_date: bool = False
    is_utc: bool = False
    zone: str = ""


class Length(Struct, frozen=True):
    """How long something takes: days on the calendar, and seconds."""

    days: int
    seconds: int


def read_moment(value: str, parameters: dict[str, str]) -> Moment:
    """What is written, or a ValueError with words for people."""
    found = _MOMENT.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"“{short(value)}” is no date or time")
    year, month, day, hour, minute, second, utc = found.groups()
    is_date = hour is None or parameters.get("VALUE") == "DATE"
    clock = (0, 0, 0) if is_date else (int(hour), int(minute), min(int(second or 0), 59))
    try:
        local = datetime(int(year), int(month), int(day), *clock)
    except ValueError:
        raise ValueError(f"there is no such moment as “{short(value)}”") from None
    return Moment(local, is_date, bool(utc) and not is_date, "" if is_date else parameters.get("TZID", ""))


def read_moments(said: Property) -> Iterator[Moment]:
    """All in a list; of a period, its beginning."""
    for value in said.value.split(","):
        yield read_moment(value.partition("/")[0], said.parameters)


def read_length(value: str) -> Length:
    found = _LENGTH.fullmatch(value.strip())
    if found is None or not any(found.groups()[1:]):
        raise ValueError(f"“{short(value)}” is no length of time")
    sign, *numbers = found.groups()
    weeks, days, hours, minutes, seconds = (int(number or 0) * (-1 if sign == "-" else 1) for number in numbers)
    return Length(weeks * 7 + days, hours * 3600 + minutes * 60 + seconds)


def short(value: str) -> str:
    """As much as fits into a remark."""
    return value if len(value) <= 60 else f"{value[:59]}…"
