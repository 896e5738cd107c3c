"""Who takes part in the events of a file: its ORGANIZER and its ATTENDEEs, and their replies in its lines."""

import re
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from kalends.core.values.text import fold_case
from kalends.ical import merge
from kalends.ical.lines import Property, fold, parse_property
from kalends.ical.raw_lines import Line

# What changes a line of an attendee in the event of a date; None leaves it alone.
_Change = Callable[[str, Line], Line | None]


class Participants(Struct, frozen=True):
    """The address of the organiser, and those of the attendees whom the server is to invite: by the date of the series (`20260601`,
    empty for the whole) and by their keys. Empty without an organiser."""

    organizer: str
    attendees: dict[str, dict[str, str]]


def find(events: Iterable[tuple[str, merge.Component]]) -> Participants:
    """The participants of the events of a file, which are given with their dates."""
    organizer, attendees = "", dict[str, dict[str, str]]()
    for date, event in events:
        on_date = attendees.setdefault(date, {})
        for line in event.group(("ORGANIZER", "ATTENDEE")):
            prop = _parse(line)
            address = _address(prop) if prop else ""
            if prop is None or not address or not _is_served(prop):
                continue
            if line.name == "ORGANIZER":
                organizer = organizer or address
            else:
                on_date.setdefault(fold_case(address), address)
    return Participants(organizer, attendees)


def set_statuses(content: bytes, statuses: Mapping[str, Mapping[str, str]]) -> bytes:
    """The file with these PARTSTATs, by the date of the series (`20260601`, empty for the whole) and the key of the address."""

    def change(date: str, line: Line) -> Line | None:
        own = {**statuses.get("", {}), **statuses.get(date, {})}
        prop = _parse(line)
        status = own.get(fold_case(_address(prop))) if prop else None
        if prop is None or status is None or prop.parameters.get("PARTSTAT", "NEEDS-ACTION").upper() == status:
            return None
        return _set_parameter(line, prop, "PARTSTAT", status)

    return _change_attendees(content, change)


def set_delivery(content: bytes, statuses: Mapping[str, str], *, only_known: bool = False) -> bytes:
    """The file with these SCHEDULE-STATUSes of those whom the server invites, by the keys of their addresses (RFC 6638, section 7.3).

    only_known: only where the file has another one."""

    def change(date: str, line: Line) -> Line | None:
        prop = _parse(line)
        status = statuses.get(fold_case(_address(prop))) if prop and _is_served(prop) else None
        known = prop.parameters.get("SCHEDULE-STATUS") if prop else None
        if prop is None or status is None or known == status or (only_known and known is None):
            return None
        return _set_parameter(line, prop, "SCHEDULE-STATUS", status)

    return _change_attendees(content, change)


def _change_attendees(content: bytes, change: _Change) -> bytes:
    file, is_changed = merge.parse(content.decode("utf-8", "surrogateescape")), False
    for date, event in [each for calendar in file.inner("VCALENDAR") for each in merge.dated_events(calendar)]:
        for i, part in enumerate(event.content):
            line = change(date, part) if isinstance(part, Line) and part.name == "ATTENDEE" else None
            if line:
                event.content[i] = line
                is_changed = True
    return merge.write(file).encode("utf-8", "surrogateescape") if is_changed else content


def _set_parameter(line: Line, prop: Property, name: str, value: str) -> Line:
    """The line with this value of a parameter, instead of any that it has."""
    head = line.text.removesuffix(f":{prop.value}")
    # A parameter between quotation marks may have the text of another one in it.
    head = re.sub(rf'"[^"]*"|;{name}=(?:"[^"]*"|[^;:"])*', lambda match: match[0] if match[0].startswith('"') else "", head, flags=re.I)
    text = f"{head};{name}={value}:{prop.value}"
    try:
        return Line(fold(text), text)
    except UnicodeEncodeError:
        # Some programs write other bytes than UTF-8, which must not be cut.
        return Line(f"{text}\r\n", text)


def _is_served(prop: Property) -> bool:
    """Whether the server notifies this participant. Otherwise, the client does, or nobody does (RFC 6638, section 7.1)."""
    return prop.parameters.get("SCHEDULE-AGENT", "SERVER").upper() == "SERVER"


def _parse(line: Line) -> Property | None:
    try:
        return parse_property(0, line.text)
    except ValueError:
        return None


def _address(prop: Property) -> str:
    """The e-mail address, or nothing if the participant is named in another way."""
    match = re.fullmatch(r"\s*mailto:(.+?)\s*", prop.value, re.IGNORECASE)
    return match[1] if match else ""
