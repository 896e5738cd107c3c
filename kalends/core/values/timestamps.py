"""Instants: whole Unix seconds in the code and the database, RFC 3339 or HTTP dates in requests and replies."""

import time
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime

from msgspec import to_builtins

# The last second of the year 9999, after which `datetime` has no more.
LAST = 253_402_300_799


def now() -> int:
    """The current time in whole Unix seconds."""
    return int(time.time())


def format_utc(instant: int) -> str:
    """The instant in RFC 3339 in UTC: `2026-05-11T15:00:00Z`."""
    return str(to_builtins(to_utc(instant)))


def to_utc(instant: int) -> datetime:
    return datetime.fromtimestamp(min(instant, LAST), UTC)


def parse_instant(text: str) -> int | None:
    """Parse a Unix time or an RFC 3339 instant; None if the text is neither."""
    if text.isascii() and text.isdigit() and len(text) <= 12:
        return int(text)
    text = text.upper()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int(moment.timestamp()) if moment.tzinfo and "T" in text else None


def format_http_date(instant: int) -> str:
    """The instant as an HTTP date: `Mon, 11 May 2026 15:00:00 GMT`."""
    return formatdate(instant, usegmt=True)


def parse_http_date(text: str) -> int | None:
    """Parse an HTTP date; None if the text is not one."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, OverflowError):
        return None
