"""When a user is busy: the times of events in calendars, merged, which tell neither which events these are nor whose."""

from datetime import UTC, datetime

from kalends.context import Context
from kalends.dav import future_dates, store
from kalends.records.calendar import Calendar
from kalends.records.event import Event
from kalends.values import datetimes


def write(ctx: Context, calendars: list[Calendar], start: int, end: int, method: str = "", more: tuple[str, ...] = ()) -> bytes:
    """The file with the busy times of the calendars between the instants.

    more: further lines of its component."""
    periods = _merge(sorted(each for calendar in calendars for each in _find_periods(ctx, calendar, start, end)), start, end)
    busy = [f"FREEBUSY:{format_utc(first)}/{format_utc(last)}" for first, last in periods]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kalends//Kalends//EN", *([f"METHOD:{method}"] if method else [])]
    lines += ["BEGIN:VFREEBUSY", f"DTSTAMP:{format_utc(ctx.now)}", *more, f"DTSTART:{format_utc(start)}", f"DTEND:{format_utc(end)}", *busy]
    return "\r\n".join([*lines, "END:VFREEBUSY", "END:VCALENDAR", ""]).encode()


def _find_periods(ctx: Context, calendar: Calendar, start: int, end: int) -> list[tuple[int, int]]:
    coming = [event for event in future_dates.find_events(ctx, calendar, start, end) if event.status != "cancelled"]
    return store.find_busy(ctx, calendar, start, end) + [(event.start_at, _find_end(event)) for event in coming]


def _find_end(event: Event) -> int:
    if event.end_at is None and event.all_day:
        return datetimes.end_of_day(datetimes.to_local(event.start_at, event.time_zone).date(), event.time_zone)
    return event.end_at or event.start_at


def _merge(periods: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in periods:
        first, last = max(first, start), min(last, end)
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        elif last > first:
            merged.append((first, last))
    return merged


def format_utc(instant: int) -> str:
    """The instant as iCalendar has it; the year has four digits."""
    return f"{datetime.fromtimestamp(instant, UTC):%Y%m%dT%H%M%SZ}".rjust(16, "0")
