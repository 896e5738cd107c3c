"""Events as an iCalendar file (RFC 5545), the same bytes each time. Written by hand, since feeds are long and often asked for."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from kalends.events.model import Event
from kalends.ical.lines import MOST_OCTETS, escaped, folded
from kalends.ical.vtimezone import time_zone
from kalends.settings import Settings
from kalends.tokens import derive
from kalends.values import datetimes
from kalends.values.text import replace_control_characters

PRODUCT = "-//Kalends//Kalends//EN"
# How often programs should look for changes.
REFRESH = "PT1H"

Years = dict[str, set[int]]


def calendar(events: Iterable[Event], settings: Settings) -> bytes:
    """A calendar of these events, each by itself."""
    entries: list[str] = []
    years: Years = {}
    for event in events:
        entries.append(entry(event, settings, uid_of(event, settings)))
        add_years(years, event)
    return document(entries, years)


def document(entries: Iterable[str], years: Mapping[str, set[int]], about: Sequence[str] = ()) -> bytes:
    """The file: what it is about, what the clocks of the zones do in the years that the entries need, and the entries."""
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{PRODUCT}", "METHOD:PUBLISH", *about]
    zones = [bytes(time_zone(zone, needed).to_ical()).decode() for zone, needed in sorted(years.items())]
    return "".join([*map(_line, head), *zones, *entries, _line("END:VCALENDAR")]).encode()


def about(name: str, description: str | None, color: str) -> list[str]:
    """What a feed says of itself."""
    said = [f"NAME:{_text(name)}", f"X-WR-CALNAME:{_text(name)}"]
    if description:
        said += [f"DESCRIPTION:{_text(description)}", f"X-WR-CALDESC:{_text(description)}"]
    return [*said, f"X-APPLE-CALENDAR-COLOR:{color}", f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}", f"X-PUBLISHED-TTL:{REFRESH}"]


def uid(settings: Settings, number: int, kind: str = "event") -> str:
    """What an event or a series is called in other calendars, whatever address the service moves to."""
    return f"{kind}-{number}.{derive(settings, 'uid', '')[:12]}@kalends"


def uid_of(event: Event, settings: Settings) -> str:
    return event.uid or uid(settings, event.id)


def entry(event: Event, settings: Settings, named: str, times: Sequence[str] = ()) -> str:
    """A VEVENT. Its times are the event's own, unless they are given with what a series needs beside them."""
    said = ["BEGIN:VEVENT", f"UID:{_text(named)}", *(times or own_times(event)), f"SUMMARY:{_text(event.title)}"]
    if event.description:
        said.append(f"DESCRIPTION:{_text(event.description)}")
    if event.location:
        said.append(f"LOCATION:{_text(event.location)}")
    if event.tags:
        said.append("CATEGORIES:" + ",".join(map(_text, event.tags.split(","))))
    if event.image_url:
        said.append(f"IMAGE;VALUE=URI;DISPLAY=BADGE:{event.image_url}")
    changed = _utc(event.updated_at)
    said += [f"URL:{settings.url}/events/{event.id}", f"SEQUENCE:{event.version - 1}", f"CREATED:{_utc(event.created_at)}"]
    said += [f"LAST-MODIFIED:{changed}", f"DTSTAMP:{changed}", "END:VEVENT"]
    return "".join(map(_line, said))


def own_times(event: Event) -> list[str]:
    """When the event begins and ends."""
    if not event.all_day:
        start = moment("DTSTART", event.start_at, event.time_zone)
        has_length = event.end_at is not None and event.end_at > event.start_at
        return [start, moment("DTEND", event.end_at or 0, event.time_zone)] if has_length else [start]
    first = datetimes.to_local(event.start_at, event.time_zone).date()
    last = first if event.end_at is None else datetimes.to_local(event.end_at - 1, event.time_zone).date()
    return [day("DTSTART", first), _end_of(first, last)]


def _end_of(first: date, last: date) -> str:
    if last == date.max:
        # The day after the last one cannot be written.
        return f"DURATION:P{(last - first).days + 1}D"
    return day("DTEND", last + timedelta(days=1))


def moment(name: str, instant: int, zone: str) -> str:
    """On the clocks of the zone; in UTC where they show the time twice and this is the second, which iCalendar cannot say."""
    local = datetimes.to_local(instant, zone)
    return f"{name}:{_utc(instant)}" if local.fold or zone == "UTC" else wall(name, local, zone)


def wall(name: str, local: datetime, zone: str) -> str:
    """What the clocks of the zone show."""
    return f"{name}:{_written(local)}Z" if zone == "UTC" else f"{name};TZID={zone}:{_written(local)}"


def day(name: str, date: date) -> str:
    return f"{name};VALUE=DATE:{date.year:04}{date.month:02}{date.day:02}"


def add_years(years: Years, event: Event) -> None:
    """Note in which years the event needs its zone's clocks."""
    if event.all_day or event.time_zone == "UTC":
        return
    for instant in (event.start_at, event.end_at):
        if instant is not None and not (local := datetimes.to_local(instant, event.time_zone)).fold:
            years.setdefault(event.time_zone, set()).add(local.year)


def _utc(instant: int) -> str:
    return f"{_written(datetimes.to_local(instant, 'UTC').astimezone(UTC))}Z"


def _written(local: datetime) -> str:
    return f"{local.year:04}{local.month:02}{local.day:02}T{local.hour:02}{local.minute:02}{local.second:02}"


def _text(value: str) -> str:
    """As it is written in a line, without what would break the file's lines."""
    return escaped(replace_control_characters(value, lines=True))


def _line(said: str) -> str:
    return f"{said}\r\n" if len(said) <= MOST_OCTETS and said.isascii() else folded(said)
