"""When an event is, in words for people, on the clocks of the event's own zone."""

from datetime import datetime

from kalends.events.model import Event
from kalends.values import datetimes


def long(event: Event) -> str:
    """`Monday, 11 May 2026, 17:00–19:00 (Europe/Paris)`."""
    start, end = _start(event), _end(event)
    if event.all_day:
        return _day(start) if end is None or end.date() == start.date() else f"{_day(start)} – {_day(end)}"
    if end is None or end == start:
        return f"{_day(start)}, {start:%H:%M} ({start.tzinfo})"
    if end.date() == start.date():
        return f"{_day(start)}, {start:%H:%M}–{end:%H:%M} ({start.tzinfo})"
    return f"{_day(start)}, {start:%H:%M} – {_day(end)}, {end:%H:%M} ({start.tzinfo})"


def short(event: Event) -> str:
    """`Mon 11 May 2026 17:00-19:00 (Europe/Paris)`: every character of it is in the alphabet of SMS."""
    start, end = _start(event), _end(event)
    if event.all_day:
        return f"{start:%a} {brief(event)}" if end is None or end.date() == start.date() else f"{brief(event)} - {_date(end)}"
    if end is None or end == start:
        return f"{start:%a} {brief(event)} ({start.tzinfo})"
    if end.date() == start.date():
        return f"{start:%a} {brief(event)}-{end:%H:%M} ({start.tzinfo})"
    return f"{brief(event)} - {_date(end)} {end:%H:%M} ({start.tzinfo})"


def brief(event: Event) -> str:
    """`11 May 2026 17:00`."""
    start = _start(event)
    return _date(start) if event.all_day else f"{_date(start)} {start:%H:%M}"


def _start(event: Event) -> datetime:
    return datetimes.to_local(event.start_at, event.time_zone)


def _end(event: Event) -> datetime | None:
    """Its end; of an all-day event some moment of its last day."""
    if event.end_at is None:
        return None
    return datetimes.to_local(event.end_at - 1 if event.all_day else event.end_at, event.time_zone)


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def _date(moment: datetime) -> str:
    return f"{moment.day} {moment:%b} {moment.year}"
