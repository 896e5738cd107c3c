"""Events as an iCalendar file (RFC 5545), the same bytes each time."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from icalendar import Calendar
from icalendar import Event as Entry

from kalends import when
from kalends.events.model import Event
from kalends.ical.zones import time_zone
from kalends.settings import Settings
from kalends.tokens import derived

PRODUCT = "-//Kalends//Kalends//EN"

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def calendar(events: Iterable[Event], settings: Settings, *, name: str | None = None) -> bytes:
    """A calendar of these events, with what the clocks of their zones do."""
    events = list(events)
    file = Calendar()
    file.add("PRODID", PRODUCT)
    file.add("VERSION", "2.0")
    file.add("METHOD", "PUBLISH")
    if name:
        file.add("NAME", _text(name))
        file.add("X-WR-CALNAME", _text(name))
    for zone, years in sorted(_years(events).items()):
        file.add_component(time_zone(zone, years))
    for event in events:
        file.add_component(_entry(event, settings))
    return bytes(file.to_ical())


def uid(settings: Settings, event_id: int) -> str:
    """What an event is called in other calendars, whatever address the service moves to."""
    return f"event-{event_id}.{derived(settings, 'uid', '')[:12]}@kalends"


def _entry(event: Event, settings: Settings) -> Entry:
    entry = Entry()
    entry.add("UID", uid(settings, event.id))
    entry.add("SUMMARY", _text(event.title))
    _add_times(entry, event)
    if event.description:
        entry.add("DESCRIPTION", _text(event.description))
    if event.location:
        entry.add("LOCATION", _text(event.location))
    if event.tags:
        entry.add("CATEGORIES", [_text(tag) for tag in event.tags.split(",")])
    entry.add("URL", f"{settings.url}/events/{event.id}")
    entry.add("SEQUENCE", event.version - 1)
    entry.add("CREATED", when.at(event.created_at, "UTC"))
    entry.add("LAST-MODIFIED", when.at(event.updated_at, "UTC"))
    entry.add("DTSTAMP", when.at(event.updated_at, "UTC"))
    return entry


def _add_times(entry: Entry, event: Event) -> None:
    if event.all_day:
        first = when.at(event.start_at, event.time_zone).date()
        last = first if event.end_at is None else when.at(event.end_at - 1, event.time_zone).date()
        entry.add("DTSTART", first)
        # The day after the last one cannot be written.
        if last == date.max:
            entry.add("DURATION", last - first + timedelta(days=1))
        else:
            entry.add("DTEND", last + timedelta(days=1))
        return
    _add_moment(entry, "DTSTART", event.start_at, event.time_zone)
    if event.end_at is not None and event.end_at > event.start_at:
        _add_moment(entry, "DTEND", event.end_at, event.time_zone)


def _add_moment(entry: Entry, name: str, instant: int, zone: str) -> None:
    """With the zone beside it: the library takes zones that are like UTC today for UTC, and writes their local times so."""
    moment = _moment(instant, zone)
    if moment.tzinfo is UTC:
        entry.add(name, moment)
    else:
        entry.add(name, moment.replace(tzinfo=None), parameters={"TZID": zone})


def _moment(instant: int, zone: str) -> datetime:
    """On the clocks of the zone; in UTC where they show the time twice and this is the second, which iCalendar cannot say."""
    local = when.at(instant, zone)
    return local.astimezone(UTC) if local.fold or zone == "UTC" else local


def _years(events: list[Event]) -> dict[str, set[int]]:
    """The zones that the events' times are written in, and the years."""
    found: dict[str, set[int]] = {}
    for event in events:
        for instant in (event.start_at, event.end_at):
            if instant is None or event.all_day:
                continue
            moment = _moment(instant, event.time_zone)
            if moment.tzinfo is not UTC:
                found.setdefault(event.time_zone, set()).add(moment.year)
    return found


def _text(value: str) -> str:
    """Without what would break the file's lines."""
    return _CONTROL.sub(" ", value)
