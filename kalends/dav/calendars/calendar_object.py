"""The file that a client sends for one resource: whether it is one, and what it is."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator

from msgspec import Struct

from kalends.core import errors
from kalends.core.values import text
from kalends.dav.xml import CALDAV, DavError
from kalends.features.events.imports.steps.file import parse_file
from kalends.features.events.imports.steps.plan import Plan, build_plan
from kalends.http.context import Context
from kalends.ical import merge
from kalends.ical.lines import unfold, unsplit_utf8
from kalends.ical.parse import MAX_EVENTS, MAX_LEVELS, read_uid

COMPONENTS = ("VEVENT", "VTODO", "VJOURNAL")
# How many days the rules of a file may examine, which takes a fraction of a second.
MAX_DAYS = 300_000

_NAME = re.compile(r"[A-Za-z0-9-]+")


class CalendarObject(Struct, frozen=True):
    """A file of one UID, the kind of its component, and its events with the dates that they replace in their series."""

    uid: str
    component: str
    content: bytes
    events: list[tuple[str, merge.Component]]


class _Component(Struct):
    """A component that has begun: its name, its UID and those of its lines that are looked at."""

    name: str
    uid: str = ""
    has_start: bool = False


def parse(content: bytes, content_type: str) -> CalendarObject:
    """The file in UTF-8, or an error with the precondition that it fails."""
    if content_type.partition(";")[0].strip().lower() not in ("", "text/calendar", "text/plain", "application/octet-stream"):
        raise DavError(415, "Send a file of the type text/calendar.", f"{{{CALDAV}}}supported-calendar-data")
    unsplit = unsplit_utf8(content)
    decoded = text.decode(unsplit)
    try:
        components = list(_parse_components(decoded))
    except ValueError as error:
        raise DavError(403, f"The file {error}.", f"{{{CALDAV}}}valid-calendar-data") from None
    kinds = {component.name for component in components}
    if kinds - set(COMPONENTS):
        raise DavError(403, f"Send one of {', '.join(COMPONENTS)}.", f"{{{CALDAV}}}supported-calendar-component")
    uids = {component.uid for component in components}
    if len(kinds) != 1 or len(uids) != 1 or "" in uids:
        raise _invalid_object("A file must have components of one kind, which have the same UID.")
    if len(components) > MAX_EVENTS:
        raise DavError(403, f"At most {MAX_EVENTS:,} components fit into a file.", f"{{{CALDAV}}}max-instances")
    encoded = decoded.encode()
    return read(uids.pop(), kinds.pop(), content if encoded == unsplit.removeprefix(BOM_UTF8) else encoded)


def read(uid: str, component: str, content: bytes) -> CalendarObject:
    """The file, which is known to be one."""
    return CalendarObject(uid, component, content, merge.read_events(content))


def plan(ctx: Context, file: CalendarObject, zone: str) -> Plan | None:
    """What the file becomes here; None if it is kept as a file alone, since it has no events, or none that fit here."""
    if file.component != "VEVENT":
        return None
    try:
        return build_plan(ctx, parse_file(file.content), zone, is_zone_sent=False, max_days=MAX_DAYS)
    except errors.Invalid:
        return None


def _parse_components(content: str) -> Iterator[_Component]:
    """The components in the VCALENDAR of the file, except time zones. Raises ValueError with a message for people."""
    stack: list[_Component] = []
    calendars = 0
    for number, line in unfold(content):
        match = _NAME.match(line)
        name = match[0].upper() if match else ""
        if name == "BEGIN":
            if len(stack) == MAX_LEVELS:
                raise ValueError(f"has more than {MAX_LEVELS} levels in line {number}")
            stack.append(_Component(line[6:].strip().upper()))
            calendars += len(stack) == 1
            if stack[0].name != "VCALENDAR" or calendars > 1:
                raise ValueError("must be one VCALENDAR")
        elif name == "END":
            if not stack or line[4:].strip().upper() != stack[-1].name:
                raise ValueError(f"is damaged in line {number}")
            component = stack.pop()
            if len(stack) == 1 and component.name != "VTIMEZONE":
                _require_start(component)
                yield component
        elif not stack:
            raise ValueError(f"has something outside of its VCALENDAR in line {number}")
        else:
            _read_line(stack, name, number, line)
    if stack or not calendars:
        raise ValueError("does not end" if stack else "must be one VCALENDAR")


def _read_line(stack: list[_Component], name: str, number: int, line: str) -> None:
    if len(stack) == 1 and name == "METHOD":
        raise _invalid_object("A file in a calendar must have no METHOD.")
    if len(stack) != 2:
        return
    if name == "UID" and not stack[-1].uid:
        stack[-1].uid = read_uid(number, line)
    elif name == "DTSTART":
        stack[-1].has_start = True


def _require_start(component: _Component) -> None:
    if component.name == "VEVENT" and not component.has_start:
        raise ValueError("has an event without DTSTART")


def _invalid_object(detail: str) -> DavError:
    return DavError(403, detail, f"{{{CALDAV}}}valid-calendar-object-resource")
