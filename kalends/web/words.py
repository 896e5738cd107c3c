"""Times and numbers as people read them on pages."""

from datetime import date, datetime, timedelta

from kalends import when
from kalends.events.model import Repeat


def span(start_time: str, end_time: str | None, all_day: bool, zone: str | None = None) -> str:
    """When something is: `Monday, 11 May 2026, 17:00–19:00`; in another zone if one is given."""
    if all_day:
        first, last = date.fromisoformat(start_time), date.fromisoformat(end_time or start_time)
        return day(first) if first == last else f"{day(first)} – {day(last)}"
    start, end = moment(start_time, zone), moment(end_time, zone) if end_time else None
    if end is None or end == start:
        return f"{day(start)}, {clock(start)}"
    if end.date() == start.date() or (end - start < timedelta(hours=24) and clock(end) < clock(start)):
        return f"{day(start)}, {clock(start)}–{clock(end)}"
    return f"{day(start)}, {clock(start)} – {day(end)}, {clock(end)}"


def moment(text: str, zone: str | None = None) -> datetime:
    found = datetime.fromisoformat(text)
    return found.astimezone(when.zone_info(zone)) if zone else found


def day(moment: date) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def short_day(moment: date) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}"


def clock(moment: datetime) -> str:
    return f"{moment:%H:%M}"


def in_zone(instant: str, zone: str) -> str:
    """A record's time for its reader: `11 May 2026, 17:00`."""
    local = moment(instant, zone)
    return f"{local.day} {local:%B} {local.year}, {clock(local)}"


def plural(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


_EVERY = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


def rule(repeat: Repeat) -> str:
    """How often a series meets: `every 2 weeks until 1 September 2027`."""
    every = f"every {_EVERY[repeat.frequency]}" if repeat.interval == 1 else f"every {repeat.interval} {_EVERY[repeat.frequency]}s"
    if repeat.end_date is None:
        return every
    last = date.fromisoformat(repeat.end_date)
    return f"{every} until {last.day} {last:%B} {last.year}"
