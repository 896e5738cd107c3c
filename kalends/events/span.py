"""When an event is: from what was written to moments, and back."""

from datetime import date, datetime

from msgspec import Struct

from kalends import errors
from kalends.events.input import EventFields
from kalends.events.model import Event, EventItem, EventRow
from kalends.values import datetimes
from kalends.values.datetimes import format_instant

BACKWARDS = "must not be before start_time"


class Span(Struct, frozen=True):
    """The moments of an event; `until_at` is its end, given or not."""

    start_at: int
    end_at: int | None
    until_at: int
    all_day: bool
    time_zone: str


def resolved(given: EventFields, zone: str) -> Span:
    """The moments that are meant, read in the event's own zone, else in the given one."""
    start = datetimes.parse(given.start_time)
    end = datetimes.parse(given.end_time) if given.end_time else None
    zone = given.time_zone or start.zone or zone
    return _days(start, end, zone) if (start.is_date if given.all_day is None else given.all_day) else _moments(start, end, zone)


def _moments(start: datetimes.ParsedDateTime, end: datetimes.ParsedDateTime | None, zone: str) -> Span:
    start_at, end_at = start.to_instant(zone), end.to_end(zone) if end else None
    for field, moment in (("start_time", start_at), ("end_time", end_at)):
        if moment is not None and not datetimes.is_in_range(moment, zone):
            raise errors.invalid(field, datetimes.YEARS)
    if end_at is not None and end_at < start_at:
        raise errors.invalid("end_time", BACKWARDS, "conflict")
    return Span(start_at, end_at, start_at if end_at is None else end_at, False, zone)


def _days(start: datetimes.ParsedDateTime, end: datetimes.ParsedDateTime | None, zone: str) -> Span:
    """Whole days: from the first midnight to the one that ends the last day."""
    first = start.to_date(zone)
    last = end.to_date(zone) if end else first
    if first.year < datetimes.FIRST_YEAR:
        raise errors.invalid("start_time", datetimes.YEARS)
    if last < first:
        raise errors.invalid("end_time", BACKWARDS, "conflict")
    until_at = datetimes.end_of_day(last, zone)
    return Span(datetimes.start_of_day(first, zone), until_at if end else None, until_at, True, zone)


def times(event: Event | EventRow) -> tuple[str, str | None]:
    """Start and end as they are answered: of whole days, the first and the last."""
    end_at, zone = event.end_at, event.time_zone
    if event.all_day:
        return _day(event.start_at, zone), None if end_at is None else _day(end_at - 1, zone)
    return format_instant(event.start_at, zone), None if end_at is None else format_instant(end_at, zone)


def is_over(event: EventItem, now: int) -> bool:
    """Whether the event has ended; one without an end lasts until the end of its day."""
    if event.end_time is None or event.all_day:
        last = date.fromisoformat((event.end_time or event.start_time)[:10])
        return datetimes.end_of_day(last, event.time_zone) <= now
    return datetime.fromisoformat(event.end_time).timestamp() <= now


def _day(instant: int, zone: str) -> str:
    return datetimes.to_local(instant, zone).date().isoformat()
