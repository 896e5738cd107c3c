"""The CLASS of events (RFC 5545, section 3.8.1.3): who sees what a client writes, and what the service tells clients of that.

What the service writes of events has the CLASS of each, PUBLIC or PRIVATE. If that changes here, it is put into the file of the client;
otherwise, the client's own CLASS stays, and so does its absence."""

from collections.abc import Callable, Sequence

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.events.feeds.steps.feed import MoreLines
from kalends.features.events.imports.steps.apply import Publishes
from kalends.ical import merge
from kalends.ical.parse import is_private_class

# The events of a file, with the dates that they replace in their series.
DatedEvents = Sequence[tuple[str, merge.Component]]

_PUBLIC, _PRIVATE = ["CLASS:PUBLIC"], ["CLASS:PRIVATE"]


def class_of(event: Event) -> list[str]:
    """The line that says whether everyone sees the event."""
    return _PUBLIC if event.public else _PRIVATE


def class_if_unusual(calendar: Calendar) -> MoreLines:
    """The CLASS line for files that no client has written: only private events of a public calendar have one."""
    return lambda event: _PRIVATE if calendar.public and not event.public else []


def find_published(before: DatedEvents, after: DatedEvents, *, is_explicit: bool) -> Publishes:
    """Which dates were private in the file that the client has read, and are not in the one that it writes.

    is_explicit: only if the client says so with a CLASS. The file that the service writes of an event says that it is private only on a
    public calendar, so the client may have read it when the calendar was not."""
    former, current = _find_classes(before), _find_classes(after)

    def is_published(slot: str) -> bool:
        is_private = _is_private_on(current, slot)
        return bool(_is_private_on(former, slot)) and not is_private and not (is_explicit and is_private is None)

    return is_published


def find_restricted(events: DatedEvents, home: Calendar) -> Callable[[str | None], bool] | None:
    """Which dates of the file only the owner and editors of its home calendar see; None if all members see all of them.

    On a public calendar, a private event is one for its members. A date is at least as private as its series, whose title it may have.
    Events that are not the dates of a series are as private as any of them."""
    classes = _find_classes(events)
    restricted = {day for day, value in classes.items() if value == "CONFIDENTIAL" or (is_private_class(value) and not home.public)}
    return (lambda slot: slot is None or bool(restricted & {"", slot[:10].replace("-", "")})) if restricted else None


def _find_classes(events: DatedEvents) -> dict[str, str]:
    """The CLASS of each date in the file; the series has no date."""
    lines = ((date, event.find("CLASS")) for date, event in events)
    return {date: line.value.strip().upper() if line else "" for date, line in lines}


def _is_private_on(classes: dict[str, str], slot: str) -> bool | None:
    """What the file says of the date; else of its series, else of what it has."""
    own = classes.get(slot[:10].replace("-", ""))
    return is_private_class(own or classes.get("", next(iter(classes.values()), "")))
