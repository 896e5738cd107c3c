"""The time of an event: instants in the database, local times in requests and replies."""

from datetime import date

from msgspec import Struct

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event, EventRow
from kalends.core.values import datetimes
from kalends.core.values.datetimes import ParsedDateTime, format_instant
from kalends.features.events.input_model import EventFields

BACKWARDS = gettext("must not be before start_time")


class Span(Struct, frozen=True):
    """The start and end of an event in Unix seconds; `until_at` is the end even if none was sent."""

    start_at: int
    end_at: int | None
    until_at: int
    all_day: bool
    time_zone: str


def resolve(fields: EventFields, zone: str) -> Span:
    """The span of the event, with its times read in its own zone, else in `zone`."""
    start = datetimes.parse(fields.start_time)
    end = datetimes.parse(fields.end_time) if fields.end_time else None
    zone = fields.time_zone or start.zone or zone
    is_all_day = start.is_date if fields.all_day is None else fields.all_day
    return _resolve_days(start, end, zone) if is_all_day else _resolve_instants(start, end, zone)


def _resolve_instants(start: ParsedDateTime, end: ParsedDateTime | None, zone: str) -> Span:
    start_at, end_at = start.to_instant(zone), end.to_end(zone) if end else None
    for field, instant in (("start_time", start_at), ("end_time", end_at)):
        if instant is not None and not datetimes.is_in_range(instant, zone):
            raise errors.invalid(field, datetimes.YEARS)
    if end_at is not None and end_at < start_at:
        raise errors.invalid("end_time", BACKWARDS, "conflict")
    return timed_span(start_at, end_at, zone)


def _resolve_days(start: ParsedDateTime, end: ParsedDateTime | None, zone: str) -> Span:
    first = start.to_date(zone)
    last = end.to_date(zone) if end else None
    if first.year < datetimes.FIRST_YEAR:
        raise errors.invalid("start_time", datetimes.YEARS)
    if last and last < first:
        raise errors.invalid("end_time", BACKWARDS, "conflict")
    return all_day_span(first, last, zone)


def timed_span(start_at: int, end_at: int | None, zone: str) -> Span:
    return Span(start_at, end_at, start_at if end_at is None else end_at, False, zone)


def all_day_span(first: date, last: date | None, zone: str) -> Span:
    """From the start of the first day to the end of the last one, which is the first if there is none."""
    until_at = datetimes.end_of_day(last or first, zone)
    return Span(datetimes.start_of_day(first, zone), until_at if last else None, until_at, True, zone)


def format_times(event: Event | EventRow) -> tuple[str, str | None]:
    """Start and end as replies have them: of all-day events, the first and the last day."""
    end_at, zone = event.end_at, event.time_zone
    if event.all_day:
        return format_days(event.start_at, end_at, zone)
    return format_instant(event.start_at, zone), None if end_at is None else format_instant(end_at, zone)


def format_days(start_at: int, end_at: int | None, zone: str) -> tuple[str, str | None]:
    """The first and the last day of an all-day event."""
    return _format_day(start_at, zone), None if end_at is None else _format_day(end_at - 1, zone)


def _format_day(instant: int, zone: str) -> str:
    return datetimes.to_local(instant, zone).date().isoformat()
