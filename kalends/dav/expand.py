"""Resources with their repeating events expanded (RFC 4791, section 9.6.5): each date in the range alone, in UTC and without a rule."""

from datetime import UTC, datetime

from kalends.context import Context
from kalends.dav import query, text
from kalends.dav.filters import TimeRange
from kalends.dav.resources import Resource
from kalends.events import ical
from kalends.records.calendar import Calendar
from kalends.records.event import Event


def read_all(ctx: Context, calendar: Calendar, resources: list[Resource], time_range: TimeRange) -> dict[str, bytes]:
    """The files of the resources by name; those that do not repeat are as they are."""
    start, end = query.bounds(time_range)
    texts = text.read_all(ctx, calendar, [resource for resource in resources if not resource.series_ids])
    repeating = [resource for resource in resources if resource.series_ids]
    for name, events in text.load_events(ctx, calendar, repeating).items():
        within = [event for event in events if event.start_at < end and max(event.start_at + 1, event.end_at or 0) > start]
        texts[name] = ical.join_file([_format(ctx, event) for event in within], {}, method="")
    return texts


def _format(ctx: Context, event: Event) -> str:
    uid = event.sent_uid or ical.series_uid(event, ctx.settings)
    if event.all_day:
        times = ical.format_times(event)
        return ical.format_event(event, ctx.settings, uid, [times[0].replace("DTSTART", "RECURRENCE-ID", 1), *times])
    times = [f"RECURRENCE-ID:{_utc(event.start_at)}", f"DTSTART:{_utc(event.start_at)}"]
    if event.end_at is not None and event.end_at > event.start_at:
        times.append(f"DTEND:{_utc(event.end_at)}")
    return ical.format_event(event, ctx.settings, uid, times)


def _utc(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant, UTC):%Y%m%dT%H%M%SZ}"
