"""The times of records as pages show them, from the text that the API replies with."""

from datetime import date, datetime, timedelta

from kalends.values import datetimes, time_text
from kalends.values.time_text import clock, day, short_day

__all__ = [
    "city",
    "clock",
    "clock_in",
    "day",
    "hours",
    "in_zone",
    "is_foreign",
    "last_day",
    "short_day",
    "short_weekday",
    "span",
    "tile",
    "weekday",
]


def span(start_time: str, end_time: str | None, all_day: bool, zone: str | None = None) -> str:
    """`Monday, 11 May 2026, 17:00–19:00`, in the record's own zone or another."""
    if all_day:
        return time_text.days(date.fromisoformat(start_time), date.fromisoformat(end_time or start_time))
    return time_text.span(_moment(start_time, zone), _moment(end_time, zone) if end_time else None, folds_night=True)


def hours(start_time: str, end_time: str | None, all_day: bool) -> str:
    """`17:00–19:00`, for a list by day: of an event that ends on a later day, that day too."""
    if all_day:
        first, last = date.fromisoformat(start_time), date.fromisoformat(end_time or start_time)
        return "All day" if first == last else f"{time_text.short_day(first)} – {time_text.short_day(last)}"
    start, end = _moment(start_time), _moment(end_time or start_time)
    if end - start < timedelta(hours=24):
        return clock(start) if end == start else f"{clock(start)}–{clock(end)}"
    return f"{time_text.short_day(start)}, {clock(start)} – {time_text.short_day(end)}, {clock(end)}"


def tile(start_time: str) -> tuple[str, int]:
    """The month and the day on which an event starts: `("Nov", 17)`."""
    start = _moment(start_time)
    return f"{start:%b}", start.day


def weekday(day: date) -> str:
    """`Monday`."""
    return f"{day:%A}"


def short_weekday(day: date) -> str:
    """`Mon`."""
    return f"{day:%a}"


def clock_in(start_time: str, zone: str) -> str:
    """`17:00`, on the clocks of the zone."""
    return clock(_moment(start_time, zone))


def city(zone: str) -> str:
    """`New York`, for America/New_York."""
    return zone.rpartition("/")[2].replace("_", " ")


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
