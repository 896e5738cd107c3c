"""The dates of endless series so far ahead that they have no events yet."""

from collections.abc import Container, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from msgspec import structs

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.dav.calendars import store
from kalends.dav.xml import DAV, DavError
from kalends.features.events import store as event_store
from kalends.features.events.series import store as series_store
from kalends.features.events.series.rules.occurrence import occurrence_span
from kalends.features.events.series.steps import occurrences
from kalends.features.events.series.store import Series
from kalends.http.context import Context
from kalends.ical.parse import MAX_EVENTS

EARLIEST, LATEST = -62_135_596_800, 253_402_300_799
ONE_DAY = timedelta(days=1)
# How far the dates of one series are searched.
MAX_DAYS = timedelta(days=3_700)


def find_series(ctx: Context, calendar: Calendar, start: int, end: int, known: set[int]) -> list[int]:
    """The endless series on the calendar, beside the known ones, that take place in the range after their last event."""
    ids = [each for each in _find_endless(ctx, calendar, end) if each not in known]
    return [series.id for series, pattern in _find_patterns(ctx, calendar, ids) if any(_find_dates(ctx, series, pattern, start, end))]


def find_events(ctx: Context, calendar: Calendar, start: int, end: int, series_ids: Container[int] | None = None) -> list[Event]:
    """Each of these dates as the event that it will become: of all endless series on the calendar, or of these."""
    ids = [each for each in _find_endless(ctx, calendar, end) if series_ids is None or each in series_ids]
    patterns = _find_patterns(ctx, calendar, ids)
    dates = (event for series, pattern in patterns for event in _find_dates(ctx, series, pattern, start, end))
    events = list(islice(dates, MAX_EVENTS + 1))
    if len(events) > MAX_EVENTS:
        raise DavError(
            403, f"There are more than {MAX_EVENTS:,} dates. Ask for a shorter time.", f"{{{DAV}}}number-of-matches-within-limits"
        )
    return events


def _find_endless(ctx: Context, calendar: Calendar, end: int) -> list[int]:
    return store.find_endless_series(ctx, calendar, _to_date(end).isoformat())


def _find_patterns(ctx: Context, calendar: Calendar, ids: list[int]) -> list[tuple[Series, Event]]:
    """The series with the events after which later ones are created, if these are on the calendar: so will be the later ones."""
    latest = {series_id: series_store.find_latest_event(ctx, series_id) for series_id in ids}
    event_ids = store.find_visible(ctx, calendar, [event_id for event_id in latest.values() if event_id])
    patterns = {event.series_id: event for event in event_store.find_by_ids(ctx, event_ids)}
    return [(series, patterns[series.id]) for series in series_store.find_by_ids(ctx, ids) if series.id in patterns] if patterns else []


def _find_dates(ctx: Context, series: Series, pattern: Event, start: int, end: int) -> Iterator[Event]:
    """The dates of the series in the range that have no event yet."""
    length = (pattern.end_at or pattern.start_at) - pattern.start_at
    first = max(_to_date(start - length) - ONE_DAY, min(date.fromisoformat(series.made_until), date.max - ONE_DAY) + ONE_DAY)
    last = min(_to_date(end), first + min(MAX_DAYS, date.max - first))
    deleted = {slot for _, slot in series_store.find_exceptions(ctx, [series.id])}
    for day in series.rule.own_dates(last, first=first):
        slot = day.isoformat()
        if not datetimes.is_in_range(occurrences.slot_instant(series, pattern, slot), pattern.time_zone):
            return
        span = occurrence_span(pattern, day, series.clock)
        event = structs.replace(pattern, start_at=span["start_at"], end_at=span["end_at"], slot=slot)
        if slot not in deleted and takes_place(event, start, end):
            yield event


def takes_place(event: Event, start: int, end: int) -> bool:
    """Whether the event overlaps the range."""
    return event.start_at < end and max(event.start_at + 1, event.end_at or 0) > start


def _to_date(instant: int) -> date:
    return datetime.fromtimestamp(max(EARLIEST + 86_400, min(instant, LATEST - 86_400)), UTC).date()
