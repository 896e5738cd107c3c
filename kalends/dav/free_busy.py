"""When a user is busy: the times of events in calendars, merged, which tell neither which events these are nor whose."""

import zlib
from datetime import UTC, datetime

from kalends.context import Context
from kalends.dav import future_dates, overlap, store
from kalends.dav.filters import Component, parse_components
from kalends.dav.store import Busy
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
    events = store.find_busy(ctx, calendar, start, end) + _find_coming(ctx, calendar, start, end)
    transparent = _find_transparent(ctx, {event.resource_id for event in events if event.resource_id})
    return [(event.start_at, event.end_at) for event in events if not _is_transparent(event, transparent.get(event.resource_id or 0, {}))]


def _find_coming(ctx: Context, calendar: Calendar, start: int, end: int) -> list[Busy]:
    """The dates of endless series that have no events yet."""
    coming = [event for event in future_dates.find_events(ctx, calendar, start, end) if event.status != "cancelled"]
    series = store.find_series(ctx, calendar, sorted({event.series_id for event in coming if event.series_id}))
    resource_ids = {each.id: each.resource_id for each in series}
    return [Busy(event.start_at, _find_end(event), event.slot, resource_ids.get(event.series_id or 0)) for event in coming]


def _find_transparent(ctx: Context, resource_ids: set[int]) -> dict[int, dict[str, bool]]:
    """Of files with transparent events (RFC 5545, section 3.8.2.7): which are so, by their date in a series; the rest has no date."""
    dates: dict[int, dict[str, bool]] = {}
    for resource_id, files in store.find_files(ctx, sorted(resource_ids)).items():
        content = zlib.decompress(files.original)
        if b"TRANSPARENT" in content.upper():
            roots = parse_components(content.decode("utf-8", "replace"))
            dates[resource_id] = {_date(each): _says_transparent(each) for root in roots for each in root.inner if each.name == "VEVENT"}
    return dates


def _date(component: Component) -> str:
    time = overlap.find_time(component, "RECURRENCE-ID")
    return time.local.date().isoformat() if time else ""


def _says_transparent(component: Component) -> bool:
    return any(name == "TRANSP" and prop.value.strip().upper() == "TRANSPARENT" for name, prop in component.properties)


def _is_transparent(event: Busy, dates: dict[str, bool]) -> bool:
    return dates.get(event.slot or "", dates.get("", False))


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
