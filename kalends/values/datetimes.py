"""DATETIME as people write it: a date or a wall-clock time, with or without an offset or a zone."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct

DAY_SECONDS = 86_400
FIRST_YEAR, LAST_YEAR = 1900, 9999
YEARS = f"the year must be from {FIRST_YEAR} to {LAST_YEAR}"
EXAMPLE = "write it like 2026-05-11T17:00:00+02:00, 2026-05-11T17:00 or 2026-05-11"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_FIRST = (date(FIRST_YEAR, 1, 1).toordinal() - _EPOCH_DAY) * DAY_SECONDS - DAY_SECONDS
_LAST = (date(LAST_YEAR, 12, 31).toordinal() - _EPOCH_DAY + 1) * DAY_SECONDS - 1

_CLOCK = r"(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?|(\d\d)(\d\d)(\d\d)?"
# A `+` that was not encoded in a query string or a form arrives as a space.
_OFFSET = r" ?(?:[Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)| \d\d:?\d\d"
_DASHED = rf"(\d{{4}})-(\d\d)-(\d\d)(?:[Tt ](?:{_CLOCK})({_OFFSET})?)?"
_COMPACT = rf"(\d{{4}})(\d\d)(\d\d)(?:[Tt]?(?:{_CLOCK})({_OFFSET})?)?"
_WRITTEN = re.compile(rf"(?:{_DASHED}|{_COMPACT})(?:\[!?([\w+/-]+)\])?", re.ASCII)


class When(Struct, frozen=True):
    """What was written, before it is known in which zone it is meant."""

    local: datetime
    offset: int | None
    zone: str | None
    is_date: bool

    def instant(self, zone: str) -> int:
        """The moment in Unix seconds. A time that clocks skip moves forward by the gap; of two, it is the first."""
        offset = self.offset
        if offset is None:
            shift = self.local.replace(tzinfo=zone_info(self.zone or zone)).utcoffset()
            assert shift is not None
            offset = shift.days * DAY_SECONDS + shift.seconds
        return _seconds(self.local) - offset

    def end(self, zone: str) -> int:
        """The moment, as an end: a date alone counts to its last moment."""
        return day_end(self.local.date(), self.zone or zone) if self.is_date else self.instant(zone)

    def day(self, zone: str) -> date:
        """The date that was written, or on which the moment falls in the zone. A day that clocks skip is the next."""
        return at(midnight(self.local.date(), zone) if self.offset is None else self.instant(zone), zone).date()


@lru_cache(1_000)
def parse(text: str) -> When:
    """Read a DATETIME, or raise ValueError with words for people. What is checked first and used then is read once."""
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValueError(EXAMPLE)
    *parts, zone = match.groups()
    year, month, day, *clock, offset = parts[:10] if parts[0] else parts[10:]
    if zone is not None and zone not in known_zones():
        raise ValueError(f"{zone} is not a time zone; {EXAMPLE}")
    hour, minute, second = (int(a or b or 0) for a, b in zip(clock[:3], clock[3:], strict=True))
    try:
        when = When(datetime(int(year), int(month), int(day), hour, minute, second), _offset(offset), zone, is_date=not any(clock))
    except ValueError:
        raise ValueError(f"there is no such moment; {EXAMPLE}") from None
    if not FIRST_YEAR <= when.local.year <= LAST_YEAR or not _FIRST <= when.instant("UTC") <= _LAST:
        raise ValueError(YEARS)
    return when


def at(instant: int, zone: str) -> datetime:
    """The moment on the clocks of the zone; in UTC where the year 9999 would end."""
    moment = _EPOCH + timedelta(seconds=min(instant, _LAST))
    try:
        return moment.astimezone(zone_info(zone))
    except OverflowError:
        return moment


@lru_cache(10_000)
def shown(instant: int, zone: str) -> str:
    """The moment as it is answered: RFC 3339 with the offset that the zone has then."""
    local = at(instant, zone)
    offset = local.utcoffset()
    assert offset is not None
    if offset.seconds % 60:
        # Long ago offsets had seconds, which RFC 3339 cannot write; the next minute does not lead into an earlier year.
        local = local.astimezone(timezone(timedelta(minutes=offset // timedelta(minutes=1) + 1)))
    return local.isoformat()


def is_writable(instant: int, zone: str) -> bool:
    """Whether the moment can be answered, and sent again: its year must be one that is accepted, in the zone too."""
    return instant <= _LAST and at(instant, zone).year >= FIRST_YEAR


def midnight(day: date, zone: str) -> int:
    """The moment at which the day begins in the zone."""
    return When(datetime(day.year, day.month, day.day), None, None, is_date=True).instant(zone)


def day_end(day: date, zone: str) -> int:
    """The midnight that ends the day."""
    return midnight(day, zone) + DAY_SECONDS if day == date.max else midnight(day + timedelta(days=1), zone)


def _offset(text: str | None) -> int | None:
    if text is None:
        return None
    text = text if text[1:2].isdigit() else text.strip()
    if text in ("Z", "z", "UTC", "GMT"):
        return 0
    hours, minutes = int(text[1:3]), int(text[-2:]) if len(text) > 3 else 0
    if hours > 23 or minutes > 59:
        raise ValueError
    return (-1 if text[0] == "-" else 1) * (hours * 3600 + minutes * 60)


def _seconds(wall: datetime) -> int:
    return (wall.toordinal() - _EPOCH_DAY) * DAY_SECONDS + wall.hour * 3600 + wall.minute * 60 + wall.second


@cache
def zone_info(name: str) -> ZoneInfo:
    return ZoneInfo(name)


@cache
def known_zones() -> frozenset[str]:
    """The names of the IANA database; `localtime` is what some machines call their own zone."""
    return frozenset(available_timezones() - {"localtime"})
