"""Calendar files (RFC 5545, and as programs write them): what is in them, before anybody asks whether it can be kept."""

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b

from msgspec import Struct, field

from kalends.ical.file_time_zone import Properties
from kalends.ical.lines import Property, lines, read_property, split
from kalends.ical.values import Length, Moment, read_length, read_moment, read_moments, short
from kalends.values.text import replace_control_characters

MOST_EVENTS = 10_000
MOST_LINES = 500_000
MOST_ZONES = 1_000
MOST_LEVELS = 8
# More would not fit into an index.
MOST_UID_OCTETS = 255

_EVENT = re.compile(r"^BEGIN:VEVENT\s*?$", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"[A-Z0-9-]{1,100}(?=[;:])", re.IGNORECASE)
_READ = {
    "VCALENDAR": {"METHOD", "X-WR-TIMEZONE"},
    "VEVENT": set(
        "UID SUMMARY DESCRIPTION LOCATION CATEGORIES IMAGE URL STATUS CLASS SEQUENCE DTSTART DTEND DURATION RRULE EXRULE EXDATE RDATE "
        "RECURRENCE-ID X-MICROSOFT-CDO-ALLDAYEVENT".split()
    ),
    "VTIMEZONE": {"TZID", "X-LIC-LOCATION"},
    "STANDARD": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"},
    "DAYLIGHT": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"},
}
# What an event may have and ours do not.
_UNKEPT = {"ATTACH": "attachments", "ATTENDEE": "guests", "VALARM": "reminders"}
_OTHERS = {"VTODO": "tasks", "VJOURNAL": "journal entries", "VFREEBUSY": "free and busy times"}


class Entry(Struct, kw_only=True):
    """An event of the file, as it was written. Without a start, `faults` says why."""

    line: int
    uid: str
    summary: str
    description: str
    location: str
    categories: list[str]
    image_url: str
    url: str
    is_cancelled: bool
    is_private: bool
    is_all_day: bool
    sequence: int
    start: Moment | None = None
    end: Moment | None = None
    length: Length | None = None
    rule: str = ""
    excluded: list[Moment] = field(default_factory=list)
    added: list[Moment] = field(default_factory=list)
    occurrence: Moment | None = None
    and_following: bool = False
    unkept: set[str] = field(default_factory=set)
    faults: list[tuple[str, str]] = field(default_factory=list)


class Zone(Struct):
    """A zone as the file describes it."""

    name: str
    location: str
    observances: list[Properties]


class File(Struct):
    """What a file holds: events, and the zones of their times by their names in capitals."""

    entries: list[Entry] = field(default_factory=list)
    zones: dict[str, Zone] = field(default_factory=dict)
    time_zone: str = ""
    others: Counter[str] = field(default_factory=Counter)


class _Component(Struct):
    """What stands between BEGIN and END."""

    line: int
    name: str
    properties: Properties = field(default_factory=dict)
    inner: list["_Component"] = field(default_factory=list)
    unkept: set[str] = field(default_factory=set)


def read(content: str) -> File:
    """What is in the file, or a ValueError with words for people."""
    count = len(_EVENT.findall(content))
    if count > MOST_EVENTS:
        raise ValueError(f"has {count:,} events; at most {MOST_EVENTS:,} can be imported at once")
    if content.count("\n") > MOST_LINES or content.count("\r") > MOST_LINES:
        raise ValueError(f"has more than {MOST_LINES:,} lines; import it in parts")
    file = File()
    is_calendar = False
    for calendar in _components(content):
        if calendar.name == "VCALENDAR":
            is_calendar = True
            _add(file, calendar)
    if not is_calendar:
        raise ValueError("is no iCalendar file: it has no BEGIN:VCALENDAR")
    if not file.entries:
        raise ValueError("has no events in it")
    return file


def _components(content: str) -> Iterator[_Component]:
    """The outermost components of the file. What they are not known to need is passed over."""
    open_ones: list[_Component] = []
    for number, line in lines(content):
        found = _NAME.match(line)
        name = found[0].upper() if found else ""
        if name == "BEGIN":
            if len(open_ones) == MOST_LEVELS:
                raise ValueError(f"is damaged: what begins in line {number} lies deeper than {MOST_LEVELS} levels")
            open_ones.append(_Component(number, line[6:].strip().upper()))
        elif name == "END":
            yield from _closed(open_ones, number, line[4:].strip().upper())
        elif open_ones and name in _READ.get(open_ones[-1].name, ()):
            open_ones[-1].properties.setdefault(name, []).append(_property(number, line))
        elif open_ones and name in _UNKEPT:
            open_ones[-1].unkept.add(_UNKEPT[name])
    if open_ones:
        last = open_ones[-1]
        raise ValueError(f"is cut off: what begins in line {last.line} (BEGIN:{short(last.name)}) does not end")


def _property(number: int, line: str) -> Property:
    """What the line says. Exchange writes a zone's name with a colon, and without the quotes that it needs then."""
    said = read_property(number, line)
    if "TZID" not in said.parameters or not said.value.startswith("//"):
        return said
    name, _, value = said.value.rpartition(":")
    return Property(said.parameters | {"TZID": f"{said.parameters['TZID']}:{name.upper()}"}, value)


def _closed(open_ones: list[_Component], number: int, name: str) -> Iterator[_Component]:
    """The component that ends here, if it is one of the outermost; an inner one is kept by the one around it."""
    if not open_ones or open_ones[-1].name != name:
        raise ValueError(f"is damaged: nothing that ends in line {number} (END:{short(name)}) has begun")
    done = open_ones.pop()
    if not open_ones:
        yield done
    elif done.name in _UNKEPT:
        open_ones[-1].unkept.add(_UNKEPT[done.name])
    elif done.name in _READ or done.name in _OTHERS:
        open_ones[-1].inner.append(done)


def _add(file: File, calendar: _Component) -> None:
    is_cancelled = _text(calendar.properties, "METHOD").upper() == "CANCEL"
    file.time_zone = file.time_zone or _text(calendar.properties, "X-WR-TIMEZONE")
    for inner in calendar.inner:
        if inner.name == "VEVENT":
            file.entries.append(_entry(inner, is_cancelled))
        elif inner.name == "VTIMEZONE" and len(file.zones) < MOST_ZONES:
            name = _text(inner.properties, "TZID")
            observances = [each.properties for each in inner.inner]
            file.zones.setdefault(name.upper(), Zone(name, _text(inner.properties, "X-LIC-LOCATION"), observances))
        elif inner.name in _OTHERS:
            file.others[_OTHERS[inner.name]] += 1


def _entry(component: _Component, is_cancelled: bool) -> Entry:
    said = component.properties
    entry = Entry(
        line=component.line,
        uid=_uid(said),
        summary=_text(said, "SUMMARY"),
        description=_text(said, "DESCRIPTION"),
        location=_text(said, "LOCATION"),
        categories=[tag for each in said.get("CATEGORIES", []) for tag in split(each.value, ",")],
        image_url=next((each.value.strip() for each in said.get("IMAGE", []) if each.parameters.get("VALUE") != "BINARY"), ""),
        url=_text(said, "URL"),
        is_cancelled=is_cancelled or _text(said, "STATUS").upper() == "CANCELLED",
        is_private=_text(said, "CLASS").upper() in ("PRIVATE", "CONFIDENTIAL"),
        is_all_day=_text(said, "X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE",
        sequence=_number(_text(said, "SEQUENCE")),
        unkept=component.unkept,
    )
    _add_times(entry, said)
    return entry


def _add_times(entry: Entry, said: Properties) -> None:
    """When it is, as far as that can be read."""
    entry.rule = _text(said, "RRULE")
    if len(said.get("RRULE", [])) > 1 or "EXRULE" in said:
        entry.faults.append(("repeat", "of several rules only the first is kept"))
    try:
        if "RECURRENCE-ID" in said:
            entry.occurrence = read_moment(said["RECURRENCE-ID"][0].value, said["RECURRENCE-ID"][0].parameters)
            entry.and_following = said["RECURRENCE-ID"][0].parameters.get("RANGE") == "THISANDFUTURE"
        entry.start = read_moment(said["DTSTART"][0].value, said["DTSTART"][0].parameters)
    except KeyError:
        entry.faults.append(("start_time", "it was left out: it has no DTSTART"))
    except ValueError as error:
        entry.faults.append(("start_time", f"it was left out: {error}"))
    try:
        if "DTEND" in said:
            entry.end = read_moment(said["DTEND"][0].value, said["DTEND"][0].parameters)
        elif "DURATION" in said:
            entry.length = read_length(said["DURATION"][0].value)
    except ValueError as error:
        entry.faults.append(("end_time", f"the end was left out: {error}"))
    for name, found in (("EXDATE", entry.excluded), ("RDATE", entry.added)):
        try:
            for each in said.get(name, []):
                found += read_moments(each)
        except ValueError as error:
            entry.faults.append(("repeat", f"{name} was not read to its end: {error}"))


def _uid(said: Properties) -> str:
    """What the event is called in every calendar; of one without a name, what follows from what it says."""
    written = replace_control_characters(_text(said, "UID"))
    if written and len(written.encode()) <= MOST_UID_OCTETS:
        return written
    seed = written or "\n".join(_text(said, name) for name in ("DTSTART", "SUMMARY", "LOCATION"))
    return f"{blake2b(seed.encode('utf-8', 'replace'), digest_size=16).hexdigest()}@import.kalends"


def _text(said: Properties, name: str) -> str:
    found: list[Property] = said.get(name, [])
    return found[0].text if found else ""


def _number(value: str) -> int:
    return int(value) if re.fullmatch("[0-9]{1,9}", value) else 0
