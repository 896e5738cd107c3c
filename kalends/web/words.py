"""Times, numbers and the names of fields as people read them on pages."""

import re
from datetime import date, datetime, timedelta

from kalends.events.model import EventItem, Repeat
from kalends.values import datetimes

# What fields are called on pages, where the name alone does not say it.
LABELS = {
    "calendar_id": "Calendar",
    "calendar_ids": "Calendars",
    "color": "Colour",
    "comment": "Comment",
    "current_password": "Your password",
    "description": "Description",
    "email": "E-mail address",
    "email_address": "E-mail address",
    "end_clock": "Time of the end",
    "end_date": "Last day",
    "end_time": "End",
    "image_url": "Address of the picture",
    "location": "Place",
    "moderation": "Comments that wait for approval",
    "name": "Name",
    "number": "People",
    "phone_number": "Mobile number",
    "plus_n": "Guests",
    "public": "Who sees it",
    "response": "Your response",
    "start_clock": "Time of the start",
    "start_date": "First day",
    "start_time": "Start",
    "tag_list": "Tags",
    "time_zone": "Time zone",
    "title": "Title",
    "unique_id": "Your own id",
    "zip_code": "Postal code",
}

_FIELD = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def label(field: str) -> str:
    """A field as its form calls it."""
    return LABELS.get(field) or field.replace("_", " ").capitalize()


def message(text: str) -> str:
    """What is wrong, with fields as people call them: `must not be before the start`."""
    return _FIELD.sub(lambda found: f"the {label(found[0]).lower()}", text)


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


def is_foreign(event: EventItem, zone: str) -> bool:
    """Whether clocks in the zone show another time than those where the event is."""
    if event.all_day:
        return False
    start = moment(event.start_time)
    return start.utcoffset() != moment(event.start_time, zone).utcoffset()


def last_day(event: EventItem) -> str:
    """The day on which an event ended: `1 November 2026`."""
    day = date.fromisoformat((event.end_time or event.start_time)[:10])
    return f"{day.day} {day:%B} {day.year}"


def moment(text: str, zone: str | None = None) -> datetime:
    found = datetime.fromisoformat(text)
    return found.astimezone(datetimes.zone_info(zone)) if zone else found


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
