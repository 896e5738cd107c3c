"""Parse the calendar part of a reply to an invitation (iTIP, RFC 5546), as mail programs write it."""

import re
from calendar import timegm

from msgspec import Struct, field

from kalends.core.values.text import replace_control_characters
from kalends.ical.lines import CHARSETS, Property, parse_property, unfold
from kalends.ical.values import DateTimeValue, parse_datetime

MAX_OCTETS = 1024 * 1024
# A reply repeats the event and its exceptions; far fewer are dates that the guest decided about alone.
MAX_EVENTS = 500
MAX_LINES = 20_000
MAX_LINE = 10_000
# And parameters, of all events together.
MAX_PROPERTIES = 10_000
MAX_COMMENT = 2_000
MAX_GUESTS = 9_999

_NAME = re.compile(r"[A-Z0-9-]{1,100}(?=[;:])", re.IGNORECASE)
_READ = {"UID", "RECURRENCE-ID", "ATTENDEE", "COMMENT", "DTSTAMP"}


class Attendee(Struct, frozen=True):
    """An ATTENDEE: the address as it was written, the status in upper case, and how many come in addition."""

    address: str
    status: str
    guests: int | None


class ReplyEvent(Struct, frozen=True):
    """A VEVENT of the reply: the event or the series, or with a RECURRENCE-ID one date of it; `stamp` is its DTSTAMP in Unix seconds,
    and `start` the time that a COUNTER proposes."""

    uid: str
    recurrence_id: DateTimeValue | None
    attendees: list[Attendee]
    comment: str
    stamp: int | None
    start: DateTimeValue | None = None

    def attendee(self, address: str) -> Attendee | None:
        """The one who replies: the only attendee, who may have another address than was invited, or the one with the address."""
        if len(self.attendees) == 1:
            return self.attendees[0]
        return next((each for each in self.attendees if each.address.casefold() == address.casefold()), None)


class Reply(Struct, frozen=True):
    """The METHOD in upper case, and the events."""

    method: str
    events: list[ReplyEvent]


class _Draft(Struct):
    """The properties of a VEVENT."""

    properties: dict[str, list[Property]] = field(default_factory=dict)


def decode(octets: bytes, charset: str) -> str:
    """The text of a calendar part. A byte order mark tells more than the charset that the message names."""
    if octets.startswith((b"\xff\xfe", b"\xfe\xff")):
        return octets.decode("utf-16", "replace")
    for name in (charset if charset.upper() in CHARSETS else "utf-8", "utf-8", "cp1252"):
        try:
            return octets.decode(name)
        except ValueError:
            continue
    return octets.decode("utf-8", "replace")


def parse_reply(content: str) -> Reply:
    """Parse the calendar part, or raise ValueError with the reason."""
    if content.count("\n") > MAX_LINES or content.count("\r") > MAX_LINES:
        raise ValueError(f"it has more than {MAX_LINES:,} lines")
    method, stack, events, count = "", list[str](), list[_Draft](), 0
    for number, whole in unfold(content):
        line = whole[:MAX_LINE]
        match = _NAME.match(line)
        name = match[0].upper() if match else ""
        if name == "BEGIN":
            stack.append(line[6:].strip().upper())
            if stack[-1] == "VEVENT":
                events.append(_Draft())
                if len(events) > MAX_EVENTS:
                    raise ValueError(f"it has more than {MAX_EVENTS:,} events")
        elif name == "END":
            if not stack or stack.pop() != line[4:].strip().upper():
                raise ValueError(f"it is damaged in line {number}")
        elif name == "METHOD" and stack == ["VCALENDAR"]:
            method = parse_property(number, line).value.strip().upper()
        elif (name in _READ or (name == "DTSTART" and method == "COUNTER")) and stack[-1:] == ["VEVENT"]:
            count += 1 + line.partition(":")[0].count(";")
            if count > MAX_PROPERTIES:
                raise ValueError(f"it has more than {MAX_PROPERTIES:,} properties and parameters")
            events[-1].properties.setdefault(name, []).append(parse_property(number, line))
    if stack or not events:
        raise ValueError("it is cut off" if stack else "it has no event")
    return Reply(method, [_build(event) for event in events])


def _build(event: _Draft) -> ReplyEvent:
    properties = event.properties
    slot = properties.get("RECURRENCE-ID", [])
    comments = (replace_control_characters(each.text, lines=True).strip() for each in properties.get("COMMENT", []))
    return ReplyEvent(
        uid=properties["UID"][0].text if "UID" in properties else "",
        recurrence_id=parse_datetime(slot[0].value, slot[0].parameters) if slot else None,
        attendees=[_attendee(each) for each in properties.get("ATTENDEE", [])],
        comment="\n".join(filter(None, comments))[:MAX_COMMENT],
        stamp=_stamp(properties.get("DTSTAMP", [])),
        start=_start(properties.get("DTSTART", [])),
    )


def _attendee(prop: Property) -> Attendee:
    guests = prop.parameters.get("X-NUM-GUESTS", "")
    return Attendee(
        address=re.sub("^mailto:", "", prop.value.strip(), flags=re.IGNORECASE),
        status=prop.parameters.get("PARTSTAT", "NEEDS-ACTION"),
        guests=min(int(guests), MAX_GUESTS) if re.fullmatch("[0-9]{1,9}", guests) else None,
    )


def _stamp(properties: list[Property]) -> int | None:
    """The DTSTAMP, which must be in UTC; some programs leave out the Z."""
    try:
        return timegm(parse_datetime(properties[0].value, {}).local.timetuple()) if properties else None
    except ValueError:
        return None


def _start(properties: list[Property]) -> DateTimeValue | None:
    try:
        return parse_datetime(properties[0].value, properties[0].parameters) if properties else None
    except ValueError:
        return None
