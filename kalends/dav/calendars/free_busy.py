"""When a user is busy: the times of events in calendars, merged, which tell neither which events these are nor whose."""

import zlib
from datetime import UTC, datetime

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.dav.calendars import future_dates, overlap, resources, store, text, within_days
from kalends.dav.calendars.filters import Component, parse_components
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.store import Busy
from kalends.http.context import Context


def write(ctx: Context, calendars: list[Calendar], start: int, end: int, method: str = "", more: tuple[str, ...] = ()) -> bytes:
    """The file with the busy times of the calendars between the instants.

    more: further lines of its component."""
    periods = [each for calendar in calendars for each in _find_periods(ctx, calendar, start, end)]
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kalends//Kalends//EN", *([f"METHOD:{method}"] if method else [])]
    lines += ["BEGIN:VFREEBUSY", f"DTSTAMP:{format_utc(ctx.now)}", *more, f"DTSTART:{format_utc(start)}", f"DTEND:{format_utc(end)}"]
    for kind, prefix in (("BUSY", "FREEBUSY"), ("BUSY-TENTATIVE", "FREEBUSY;FBTYPE=BUSY-TENTATIVE")):
        merged = _merge(sorted((first, last) for each, first, last in periods if each == kind), start, end)
        lines += [f"{prefix}:{format_utc(first)}/{format_utc(last)}" for first, last in merged]
    return "\r\n".join([*lines, "END:VFREEBUSY", "END:VCALENDAR", ""]).encode()


def _find_periods(ctx: Context, calendar: Calendar, start: int, end: int) -> list[tuple[str, int, int]]:
    """The times of the events that make people busy, each with its FBTYPE."""
    within_day = resources.find_by_rows(ctx, calendar, store.find_rows_within_day(ctx, calendar))
    in_files = {resource.row.id for resource in within_day if resource.row}
    events = [event for event in store.find_busy(ctx, calendar, start, end) if event.resource_id not in in_files]
    events += _find_coming(ctx, calendar, start, end)
    types = _find_types(ctx, {event.resource_id for event in events if event.resource_id})
    periods = [(kind, event.start_at, event.end_at) for event in events if (kind := _find_type(event, types)) != "FREE"]
    return periods + _read_periods(list(text.read_all(ctx, calendar, within_day).values()), start, end, calendar.time_zone)


def _read_periods(files: list[bytes], start: int, end: int, zone: str) -> list[tuple[str, int, int]]:
    """The times of the events in files whose rules have times of their own."""
    budget = RequestBudget()
    busy = [(_read_type(event), event) for file in files for event in within_days.parse_events(file)]
    return [(kind, *period) for kind, event in busy if kind != "FREE" for period in overlap.find_periods(event, start, end, zone, budget)]


def _find_coming(ctx: Context, calendar: Calendar, start: int, end: int) -> list[Busy]:
    """The dates of endless series that have no events yet."""
    coming = [event for event in future_dates.find_events(ctx, calendar, start, end) if event.status != "cancelled"]
    series = store.find_series(ctx, calendar, sorted({event.series_id for event in coming if event.series_id}))
    resource_ids = {each.id: each.resource_id for each in series}
    return [Busy(event.start_at, _find_end(event), event.slot, resource_ids.get(event.series_id or 0)) for event in coming]


def _find_types(ctx: Context, resource_ids: set[int]) -> dict[int, dict[str, str]]:
    """The FBTYPE of the events in files with transparent or tentative ones (RFC 4791, section 7.10), by the date in a series; the series
    itself and single events have the date ""."""
    types: dict[int, dict[str, str]] = {}
    for resource_id, files in store.find_files(ctx, sorted(resource_ids)).items():
        content = zlib.decompress(files.original)
        if any(word in content.upper() for word in (b"TRANSPARENT", b"TENTATIVE")):
            roots = parse_components(content.decode("utf-8", "replace"))
            types[resource_id] = {_date(each): _read_type(each) for root in roots for each in root.inner if each.name == "VEVENT"}
    return types


def _date(component: Component) -> str:
    time = overlap.find_time(component, "RECURRENCE-ID")
    return time.local.date().isoformat() if time else ""


def _read_type(component: Component) -> str:
    values = {(name, prop.value.strip().upper()) for name, prop in component.properties if name in ("TRANSP", "STATUS")}
    if ("TRANSP", "TRANSPARENT") in values or ("STATUS", "CANCELLED") in values:
        return "FREE"
    return "BUSY-TENTATIVE" if ("STATUS", "TENTATIVE") in values else "BUSY"


def _find_type(event: Busy, types: dict[int, dict[str, str]]) -> str:
    dates = types.get(event.resource_id or 0, {})
    return dates.get(event.slot or "", dates.get("", "BUSY"))


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
