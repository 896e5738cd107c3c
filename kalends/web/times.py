"""The times of records as pages show them, from the text that the API replies with."""

from datetime import date, datetime

from kalends.values import datetimes, time_text
from kalends.values.time_text import clock, day, short_day

__all__ = ["clock", "day", "in_zone", "is_foreign", "last_day", "short_day", "span"]


def span(start_time: str, end_time: str | None, all_day: bool, zone: str | None = None) -> str:
    """`Monday, 11 May 2026, 17:00–19:00`, in the record's own zone or another."""
    if all_day:
        return time_text.days(date.fromisoformat(start_time), date.fromisoformat(end_time or start_time))
    return time_text.span(_moment(start_time, zone), _moment(end_time, zone) if end_time else None, folds_night=True)


def is_foreign(start_time: str, all_day: bool, zone: str) -> bool:
    """Whether clocks in the zone show another time than those where the event is."""
    return not all_day and _moment(start_time).utcoffset() != _moment(start_time, zone).utcoffset()


def last_day(start_time: str, end_time: str | None) -> str:
    """The day on which an event ended: `1 November 2026`."""
    return time_text.month_day(date.fromisoformat((end_time or start_time)[:10]))


def in_zone(instant: str, zone: str) -> str:
    """An instant for its reader: `11 May 2026, 17:00`."""
    local = _moment(instant, zone)
    return f"{time_text.month_day(local)}, {clock(local)}"


def _moment(text: str, zone: str | None = None) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(datetimes.zone_info(zone)) if zone else moment
