"""Files whose rules have times of their own, such as FREQ=HOURLY: their occurrences are found in the file, which has all of them."""

import re

from kalends.core.records.calendar import Calendar
from kalends.dav.calendars import overlap, resources, store, text
from kalends.dav.calendars.filters import Component, parse_components
from kalends.dav.calendars.overlap import RequestBudget
from kalends.dav.calendars.resources import Resource
from kalends.http.context import Context
from kalends.ical import rrule

# What a rule with times of its own has in it, perhaps folded.
_SIGN = re.compile(rb"HOURLY|MINUTELY|SECONDLY|BY(HOUR|MINUTE|SECOND)", re.IGNORECASE)


def is_within_day(content: bytes) -> bool:
    """Whether the rule of an event in the file has times of its own."""
    unfolded = content.replace(b"\r\n", b"\n").replace(b"\n ", b"").replace(b"\n\t", b"")
    return _SIGN.search(unfolded) is not None and any(map(_has_own_times, parse_events(content)))


def find_overlapping(ctx: Context, calendar: Calendar, start: int, end: int, budget: RequestBudget) -> list[Resource]:
    """The resources with an occurrence in the range."""
    found = resources.find_by_rows(ctx, calendar, store.find_rows_within_day(ctx, calendar))
    texts = text.read_all(ctx, calendar, found)
    return [each for each in found if takes_place(texts[each.name], start, end, calendar.time_zone, budget)]


def takes_place(content: bytes, start: int, end: int, zone: str, budget: RequestBudget) -> bool:
    """Whether an event of the file takes place in the range."""
    return any(overlap.overlaps(each, start, end, zone, budget) for each in parse_events(content))


def parse_events(content: bytes) -> list[Component]:
    """The events of a file. What replaces an occurrence of another one is excluded from that, as EXDATE excludes it."""
    events = [each for root in parse_components(content.decode("utf-8", "replace")) for each in root.inner if each.name == "VEVENT"]
    replaced = [("EXDATE", prop) for event in events for name, prop in event.properties if name == "RECURRENCE-ID"]
    for event in events:
        if any(name == "RRULE" for name, _ in event.properties):
            event.properties += replaced
    return events


def _has_own_times(event: Component) -> bool:
    start = overlap.find_time(event, "DTSTART")
    rules = [prop.value for name, prop in event.properties if name == "RRULE"]
    try:
        return start is not None and not start.is_date and bool(rules) and rrule.parse(rules[0]).has_own_times(start.local.time())
    except ValueError:
        return False
