"""Instants: whole Unix seconds inside, RFC 3339 outside."""

import time
from datetime import datetime
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache


def now() -> int:
    """The present, in whole Unix seconds."""
    return int(time.time())


@lru_cache(10_000)
def utc(instant: int) -> str:
    """The instant as record times are answered: `2026-05-11T15:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))


def instant(text: str) -> int | None:
    """The Unix time or RFC 3339 instant that the text says, or None when it is neither."""
    if text.isascii() and text.isdigit() and len(text) <= 12:
        return int(text)
    text = text.upper()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int(moment.timestamp()) if moment.tzinfo and "T" in text else None


def http_text(instant: int) -> str:
    """The instant as HTTP headers say it: `Mon, 11 May 2026 15:00:00 GMT`."""
    return formatdate(instant, usegmt=True)


def http_date(text: str) -> int | None:
    """The instant that an HTTP header says, or None."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, OverflowError):
        return None
