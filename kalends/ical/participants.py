"""Who takes part in the events of a file: its ORGANIZER and its ATTENDEEs, and their replies in its lines."""

import re
from collections.abc import Mapping

from msgspec import Struct

from kalends.ical import merge
from kalends.ical.lines import Property, fold, parse_property
from kalends.ical.raw_lines import Line
from kalends.values.text import fold_case

# A parameter between quotation marks may have the text of another one in it.
_STATUS = re.compile(r'"[^"]*"|;PARTSTAT=[^;:"]*', re.IGNORECASE)


class Participants(Struct, frozen=True):
    """The address of the organiser, and those of the attendees whom the server is to invite by their keys; empty without an organiser."""

    organizer: str
    attendees: dict[str, str]


def parse(content: bytes) -> Participants:
    """The participants of the events in the file."""
    organizer, attendees = "", dict[str, str]()
    for _, event in _events(merge.parse(content.decode("utf-8", "replace"))):
        for line in event.group(("ORGANIZER", "ATTENDEE")):
            prop = _parse(line)
            address = _address(prop) if prop else ""
            # Others tell those participants themselves, or nobody does (RFC 6638, section 7.1).
            if prop is None or not address or prop.parameters.get("SCHEDULE-AGENT", "SERVER").upper() != "SERVER":
                continue
            if line.name == "ORGANIZER":
                organizer = organizer or address
            else:
                attendees.setdefault(fold_case(address), address)
    return Participants(organizer, attendees)


def set_statuses(content: bytes, statuses: Mapping[str, Mapping[str, str]]) -> bytes:
    """The file with these PARTSTATs, by the date of the series (`20260601`, empty for the whole) and the key of the address."""
    file, is_changed = merge.parse(content.decode("utf-8", "surrogateescape")), False
    for calendar, event in _events(file):
        own = {**statuses.get("", {}), **statuses.get(merge.date_of(event, merge.zone_of(calendar)), {})}
        for i, part in enumerate(event.content):
            line = _set_status(part, own) if isinstance(part, Line) and part.name == "ATTENDEE" else None
            if line:
                event.content[i] = line
                is_changed = True
    return merge.write(file).encode("utf-8", "surrogateescape") if is_changed else content


def _events(file: merge.Component) -> list[tuple[merge.Component, merge.Component]]:
    """The calendars of the file with each of their events."""
    return [(calendar, event) for calendar in file.inner("VCALENDAR") for event in calendar.inner("VEVENT")]


def _set_status(line: Line, statuses: Mapping[str, str]) -> Line | None:
    """The line with another PARTSTAT; None if it has the right one."""
    prop = _parse(line)
    status = statuses.get(fold_case(_address(prop))) if prop else None
    if prop is None or status is None or prop.parameters.get("PARTSTAT", "NEEDS-ACTION").upper() == status:
        return None
    head = line.text.removesuffix(f":{prop.value}")
    head = _STATUS.sub(lambda match: match[0] if match[0].startswith('"') else "", head)
    text = f"{head};PARTSTAT={status}:{prop.value}"
    try:
        return Line(fold(text), text)
    except UnicodeEncodeError:
        # Some programs write other bytes than UTF-8, which must not be cut.
        return Line(f"{text}\r\n", text)


def _parse(line: Line) -> Property | None:
    try:
        return parse_property(0, line.text)
    except ValueError:
        return None


def _address(prop: Property) -> str:
    """The e-mail address, or nothing if the participant is named in another way."""
    match = re.fullmatch(r"\s*mailto:(.+?)\s*", prop.value, re.IGNORECASE)
    return match[1] if match else ""
