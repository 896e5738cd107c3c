"""Events as an iCalendar file (RFC 5545), byte for byte the same each time. Formatted by hand, because feeds are long and often read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from msgspec import to_builtins

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.settings import Settings
from kalends.core.values import datetimes, timestamps
from kalends.core.values.picture import to_url
from kalends.core.values.text import replace_control_characters
from kalends.features.events.rules.coordinates import MILLION
from kalends.features.events.rules.uid import own_uid
from kalends.ical.lines import MAX_OCTETS, escape, fold
from kalends.ical.vtimezone import build_time_zone

PRODUCT = "-//Kalends//Kalends//EN"
# How often programs should refresh a feed.
REFRESH = "PT1H"

# iCalendar has no status for postponed events; other programs mean by TENTATIVE those that are not confirmed yet.
_STATUSES = {"cancelled": ["STATUS:CANCELLED"], "postponed": ["STATUS:TENTATIVE", "X-KALENDS-STATUS:POSTPONED"], "planned": []}

_HEAD, _LAST = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:{PRODUCT}\r\n", "END:VCALENDAR\r\n"
_END = "END:VEVENT\r\n"
_URL = re.compile(r"(?m)^URL:.*\r\n(?: .*\r\n)*")

# The years for which the file must describe each time zone.
Years = dict[str, set[int]]
# The alarms of events, by their ids: how long before the start.
Triggers = Mapping[int, Sequence[str]]
NO_TRIGGERS: Triggers = {}


def build_file(events: Iterable[Event], settings: Settings, triggers: Triggers = NO_TRIGGERS, *, for_guests: bool = False) -> bytes:
    """A calendar file of these events, each as a single event; for_guests: with the addresses at which guests open them."""
    components: list[str] = []
    years: Years = {}
    for event in events:
        url = policy.guest_url(settings, event) if for_guests else ""
        components.append(format_event(event, settings, event_uid(event, settings), more=format_alarms(event, triggers), url=url))
        add_years(years, event)
    return join_file(components, years)


def join_file(components: Iterable[str], years: Mapping[str, set[int]], properties: Sequence[str] = (), method: str = "PUBLISH") -> bytes:
    """The file: its properties, the time zones for the years that the events need, and the VEVENT components."""
    zones = [_format_zone(zone, frozenset(needed)) for zone, needed in sorted(years.items())]
    return "".join([_HEAD, f"METHOD:{method}\r\n" if method else "", _join_lines(properties), *zones, *components, _LAST]).encode()


@lru_cache(maxsize=1_000)
def _format_zone(zone: str, years: frozenset[int]) -> str:
    return bytes(build_time_zone(zone, years).to_ical()).decode()


def feed_properties(name: str, description: str | None, color: str) -> list[str]:
    """The name, description, colour and refresh interval of a feed."""
    properties = [f"NAME:{_text(name)}", f"X-WR-CALNAME:{_text(name)}"]
    if description:
        properties += [f"DESCRIPTION:{_text(description)}", f"X-WR-CALDESC:{_text(description)}"]
    return [*properties, f"X-APPLE-CALENDAR-COLOR:{color}", f"REFRESH-INTERVAL;VALUE=DURATION:{REFRESH}", f"X-PUBLISHED-TTL:{REFRESH}"]


def event_uid(event: Event, settings: Settings) -> str:
    """The UID of the event where it is listed alone."""
    return event.uid or own_uid(settings, event.id)


def series_uid(event: Event, settings: Settings) -> str:
    """The UID of the series of an event, if none was sent for it."""
    return own_uid(settings, event.series_id, "series") if event.series_id is not None else own_uid(settings, event.id)


def format_event(event: Event, settings: Settings, uid: str, times: Sequence[str] = (), more: Sequence[str] = (), url: str = "") -> str:
    """A VEVENT component; `times` replaces the lines of the event's own times, `url` its address for members, and `more` are further
    lines."""
    lines = ["BEGIN:VEVENT", f"UID:{_text(uid)}", *(times or format_times(event)), f"SUMMARY:{_text(event.title)}"]
    if event.description:
        lines.append(f"DESCRIPTION:{_text(event.description)}")
    if event.location:
        lines.append(f"LOCATION:{_text(event.location)}")
    if event.latitude is not None and event.longitude is not None:
        lines.append(f"GEO:{event.latitude / MILLION:.6f};{event.longitude / MILLION:.6f}")
    if event.online_url:
        lines.append(f"CONFERENCE;VALUE=URI:{event.online_url}")
    if event.tags:
        lines.append("CATEGORIES:" + ",".join(map(_text, event.tags.split(","))))
    lines += _STATUSES[event.status]
    if event.status_note:
        lines.append(f"COMMENT:{_text(event.status_note)}")
    if event.image_url:
        lines.append(f"IMAGE;VALUE=URI;DISPLAY=BADGE:{to_url(event.image_url, settings.url)}")
    updated_at = _format_utc(event.updated_at)
    lines += [
        f"URL:{url or f'{settings.url}/events/{event.id}'}",
        f"SEQUENCE:{event.version - 1}",
        f"CREATED:{_format_utc(event.created_at)}",
    ]
    return _join_lines([*lines, f"LAST-MODIFIED:{updated_at}", f"DTSTAMP:{updated_at}", *more, "END:VEVENT"])


def format_alarms(event: Event, triggers: Triggers) -> list[str]:
    """An alarm for each of the event's triggers."""
    start, end = ["BEGIN:VALARM", "ACTION:DISPLAY", f"DESCRIPTION:{_text(event.title)}"], "END:VALARM"
    return [line for trigger in triggers.get(event.id, ()) for line in (*start, f"TRIGGER:{trigger}", end)]


def format_times(event: Event) -> list[str]:
    """The DTSTART of the event, and its DTEND if it has one."""
    if not event.all_day:
        start = format_instant("DTSTART", event.start_at, event.time_zone)
        has_length = event.end_at is not None and event.end_at > event.start_at
        return [start, format_instant("DTEND", event.end_at or 0, event.time_zone)] if has_length else [start]
    first = datetimes.to_local(event.start_at, event.time_zone).date()
    last = first if event.end_at is None else datetimes.to_local(event.end_at - 1, event.time_zone).date()
    return [format_date("DTSTART", first), _format_last_day(first, last)]


def _format_last_day(first: date, last: date) -> str:
    if last == date.max:
        # The day after the last one, which DTEND needs, does not exist.
        return f"DURATION:P{(last - first).days + 1}D"
    return format_date("DTEND", last + timedelta(days=1))


def format_instant(name: str, instant: int, zone: str) -> str:
    """A property in local time; in UTC if it is the second of two equal local times, which iCalendar cannot express."""
    if zone == "UTC":
        return f"{name}:{_format_utc(instant)}"
    local = datetimes.to_local(instant, zone)
    return f"{name}:{_format_utc(instant)}" if local.fold else format_local(name, local, zone)


def format_local(name: str, local: datetime, zone: str) -> str:
    """A property in local time of the zone."""
    return f"{name}:{_format_datetime(local)}Z" if zone == "UTC" else f"{name};TZID={zone}:{_format_datetime(local)}"


def format_date(name: str, date: date) -> str:
    return f"{name};VALUE=DATE:{date.year:04}{date.month:02}{date.day:02}"


def add_years(years: Years, event: Event) -> None:
    """Add the years in which the event has local times of its zone."""
    if event.all_day or event.time_zone == "UTC":
        return
    for instant in (event.start_at, event.end_at):
        if instant is not None and not (local := datetimes.to_local(instant, event.time_zone)).fold:
            years.setdefault(event.time_zone, set()).add(local.year)


def _format_utc(instant: int) -> str:
    return timestamps.format_utc(instant).replace("-", "").replace(":", "")


def _format_datetime(local: datetime) -> str:
    return str(to_builtins(local)).replace("-", "").replace(":", "")[:15]


def add_lines(component: str, lines: Iterable[str]) -> str:
    """The component with more lines at its end."""
    return component.removesuffix(_END) + _join_lines(lines) + _END


def set_url(component: str, url: str) -> str:
    """The component with another address of its page."""
    return add_lines(_URL.sub("", component), [f"URL:{url}"])


def _text(value: str) -> str:
    """An escaped TEXT value, without control characters, which would break the lines of the file."""
    return escape(replace_control_characters(value, lines=True))


def _join_lines(lines: Iterable[str]) -> str:
    return "".join([f"{line}\r\n" if len(line) <= MAX_OCTETS and line.isascii() else fold(line) for line in lines])
