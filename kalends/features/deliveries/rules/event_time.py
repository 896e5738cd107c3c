"""The time of an event as text, in the event's time zone."""

from datetime import datetime
from typing import Protocol

from kalends.core.i18n.formats import Formats
from kalends.core.i18n.locale import ENGLISH
from kalends.core.values import datetimes


class HasTime(Protocol):
    """An event, or what is known of its time."""

    @property
    def start_at(self) -> int: ...
    @property
    def end_at(self) -> int | None: ...
    @property
    def all_day(self) -> bool: ...
    @property
    def time_zone(self) -> str: ...


def long(event: HasTime, formats: Formats = ENGLISH.formats) -> str:
    """`Monday, 11 May 2026, 17:00–19:00 (Europe/Paris)`."""
    start, end = _start(event), _end(event)
    if event.all_day:
        return formats.days(start.date(), (end or start).date())
    return f"{formats.span(start, end)} ({start.tzinfo})"


def short(event: HasTime, formats: Formats = ENGLISH.formats) -> str:
    """`Mon 11 May 2026 17:00-19:00 (Europe/Paris)`: all characters are in the GSM 7-bit alphabet."""
    start, end = _start(event), _end(event)
    if event.all_day:
        return formats.short_days(start.date(), (end or start).date())
    return f"{formats.short_span(start, end)} ({start.tzinfo})"


def brief(event: HasTime, formats: Formats = ENGLISH.formats) -> str:
    """`11 May 2026 17:00`."""
    start = _start(event)
    day = formats.short_month_day(start)
    return day if event.all_day else f"{day} {formats.clock(start)}"


def start(event: HasTime, formats: Formats = ENGLISH.formats) -> str:
    """`Mon 11 May, 17:00`."""
    moment = _start(event)
    day = formats.short_day(moment)
    return day if event.all_day else formats.at(day, formats.clock(moment))


def _start(event: HasTime) -> datetime:
    return datetimes.to_local(event.start_at, event.time_zone)


def _end(event: HasTime) -> datetime | None:
    """The end; for an all-day event, a moment on its last day."""
    if event.end_at is None:
        return None
    return datetimes.to_local(event.end_at - 1 if event.all_day else event.end_at, event.time_zone)
