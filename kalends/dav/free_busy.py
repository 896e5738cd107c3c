"""When a user is busy: the times of events in calendars, merged, which tell neither which events these are nor whose."""

from datetime import UTC, datetime

from kalends.context import Context
from kalends.dav import store
from kalends.records.calendar import Calendar


def write(ctx: Context, calendars: list[Calendar], start: int, end: int, method: str = "", more: tuple[str, ...] = ()) -> bytes:
    """The file with the busy times of the calendars between the instants.

    more: further lines of its component."""
    periods = _merge(sorted(each for calendar in calendars for each in store.find_busy(ctx, calendar, start, end)), start, end)
    busy = [f"FREEBUSY:{_utc(first)}/{_utc(last)}" for first, last in periods]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kalends//Kalends//EN", *([f"METHOD:{method}"] if method else [])]
    lines += ["BEGIN:VFREEBUSY", f"DTSTAMP:{_utc(ctx.now)}", *more, f"DTSTART:{_utc(start)}", f"DTEND:{_utc(end)}", *busy]
    return "\r\n".join([*lines, "END:VFREEBUSY", "END:VCALENDAR", ""]).encode()


def _merge(periods: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in periods:
        first, last = max(first, start), min(last, end)
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        elif last > first:
            merged.append((first, last))
    return merged


def _utc(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant, UTC):%Y%m%dT%H%M%SZ}".rjust(16, "0")
