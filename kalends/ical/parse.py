"""Parse calendar files (RFC 5545, with the deviations of common programs)."""

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b

from msgspec import Struct, field

from kalends.core.i18n import gettext
from kalends.core.values.text import replace_control_characters
from kalends.ical.file_time_zone import Properties
from kalends.ical.lines import Property, parse_property, split_escaped, unfold
from kalends.ical.values import DateTimeValue, Duration, Period, parse_datetime, parse_datetimes, parse_duration, parse_periods, shorten

MAX_EVENTS = 10_000
MAX_LINES = 500_000
MAX_ZONES = 1_000
MAX_LEVELS = 8
# The limit of the database index.
MAX_UID_OCTETS = 255

_EVENT = re.compile(r"^BEGIN:VEVENT\s*?$", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"[A-Z0-9-]{1,100}(?=[;:])", re.IGNORECASE)
# Some programs write a comma.
_GEO = re.compile(r"([+-]?[0-9]{1,3}(?:\.[0-9]{1,20})?)[;,]\s*([+-]?[0-9]{1,3}(?:\.[0-9]{1,20})?)")
_READ = {
    "VCALENDAR": {"METHOD", "X-WR-TIMEZONE"},
    "VEVENT": set(
        "UID SUMMARY DESCRIPTION COMMENT LOCATION GEO CATEGORIES IMAGE URL STATUS CLASS SEQUENCE DTSTART DTEND DURATION RRULE EXRULE "
        "EXDATE RDATE RECURRENCE-ID X-MICROSOFT-CDO-ALLDAYEVENT X-KALENDS-STATUS".split()
    ),
    "VTIMEZONE": {"TZID", "X-LIC-LOCATION"},
    "STANDARD": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"},
    "DAYLIGHT": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"},
}
# Components and properties that are not imported.
_UNSUPPORTED = {"ATTACH": "attachments", "ATTENDEE": "guests", "VALARM": "reminders"}
_OTHER_COMPONENTS = {"VTODO": "tasks", "VJOURNAL": "journal entries", "VFREEBUSY": "free and busy times"}


class NoEvents(ValueError):
    """The file is a calendar, and has no events."""


class Zone(Struct):
    """A VTIMEZONE of the file."""

    name: str
    location: str
    observances: list[Properties]


class EntryCalendar(Struct):
    """What a VCALENDAR says of all its entries: its time zone, and definitions of zones by their TZID in upper case."""

    time_zone: str
    zones: dict[str, Zone] = field(default_factory=dict)


class Entry(Struct, kw_only=True):
    """A VEVENT of the file. Without a start, `errors` says why."""

    line: int
    calendar: EntryCalendar
    uid: str
    summary: str
    description: str
    location: str
    # The latitude and the longitude, if the file has both.
    geo: tuple[float, float] | None
    categories: list[str]
    image_url: str
    url: str
    status: str
    is_postponed: bool
    comment: str
    # None if the file does not say: then an event is public, and a changed date as its series is.
    is_private: bool | None
    is_all_day: bool
    sequence: int
    start: DateTimeValue | None = None
    end: DateTimeValue | None = None
    duration: Duration | None = None
    rule: str = ""
    exdates: list[DateTimeValue] = field(default_factory=list)
    rdates: list[Period] = field(default_factory=list)
    recurrence_id: DateTimeValue | None = None
    and_following: bool = False
    unsupported: set[str] = field(default_factory=set)
    errors: list[tuple[str, str]] = field(default_factory=list)


class CalendarFile(Struct):
    """The events of a file, how many time zones it defines, and the numbers of its other components."""

    entries: list[Entry] = field(default_factory=list)
    zone_count: int = 0
    other_components: Counter[str] = field(default_factory=Counter)


class _Component(Struct):
    """A component between BEGIN and END."""

    line: int
    name: str
    properties: Properties = field(default_factory=dict)
    inner: list["_Component"] = field(default_factory=list)
    unsupported: set[str] = field(default_factory=set)


def parse_file(content: str) -> CalendarFile:
    """Parse the file, or raise ValueError with a message for people."""
    count = len(_EVENT.findall(content))
    if count > MAX_EVENTS:
        raise ValueError(gettext("has %(count)s events; at most %(max)s can be imported at once", count=count, max=MAX_EVENTS))
    if content.count("\n") > MAX_LINES or content.count("\r") > MAX_LINES:
        raise ValueError(gettext("has more than %(max)s lines; import it in parts", max=MAX_LINES))
    file = CalendarFile()
    is_calendar = False
    for calendar in _parse_components(content):
        if calendar.name == "VCALENDAR":
            is_calendar = True
            _add_calendar(file, calendar)
    if not is_calendar:
        raise ValueError(gettext("is no iCalendar file: it has no BEGIN:VCALENDAR"))
    if not file.entries:
        raise NoEvents(gettext("has no events in it"))
    return file


def _parse_components(content: str) -> Iterator[_Component]:
    """The outermost components of the file. Unknown properties are ignored."""
    stack: list[_Component] = []
    for number, line in unfold(content):
        match = _NAME.match(line)
        name = match[0].upper() if match else ""
        if name == "BEGIN":
            if len(stack) == MAX_LEVELS:
                raise ValueError(
                    gettext("is damaged: what begins in line %(line)s lies deeper than %(max)s levels", line=str(number), max=MAX_LEVELS)
                )
            stack.append(_Component(number, line[6:].strip().upper()))
        elif name == "END":
            yield from _close(stack, number, line[4:].strip().upper())
        elif stack and name in _READ.get(stack[-1].name, ()):
            stack[-1].properties.setdefault(name, []).append(_parse_line(number, line))
        elif stack and name in _UNSUPPORTED:
            stack[-1].unsupported.add(_UNSUPPORTED[name])
    if stack:
        last = stack[-1]
        raise ValueError(
            gettext("is cut off: what begins in line %(line)s (BEGIN:%(name)s) does not end", line=str(last.line), name=shorten(last.name))
        )


def _parse_line(number: int, line: str) -> Property:
    """Parse a property. Exchange writes zone names with a colon, but without the quotes that RFC 5545 requires then."""
    prop = parse_property(number, line)
    if "TZID" not in prop.parameters or not prop.value.startswith("//"):
        return prop
    name, _, value = prop.value.rpartition(":")
    return Property(prop.parameters | {"TZID": f"{prop.parameters['TZID']}:{name.upper()}"}, value)


def _close(stack: list[_Component], number: int, name: str) -> Iterator[_Component]:
    """End the innermost component, and yield it if it is an outermost one; others are added to the component around them."""
    if not stack or stack[-1].name != name:
        raise ValueError(
            gettext("is damaged: nothing that ends in line %(line)s (END:%(name)s) has begun", line=str(number), name=shorten(name))
        )
    component = stack.pop()
    if not stack:
        yield component
    elif component.name in _UNSUPPORTED:
        stack[-1].unsupported.add(_UNSUPPORTED[component.name])
    elif component.name in _READ or component.name in _OTHER_COMPONENTS:
        stack[-1].inner.append(component)


def _add_calendar(file: CalendarFile, calendar: _Component) -> None:
    is_cancelled = _text(calendar.properties, "METHOD").upper() == "CANCEL"
    properties = EntryCalendar(_text(calendar.properties, "X-WR-TIMEZONE"))
    for inner in calendar.inner:
        if inner.name == "VEVENT":
            file.entries.append(_build_entry(inner, properties, is_cancelled=is_cancelled))
        elif inner.name == "VTIMEZONE" and file.zone_count < MAX_ZONES:
            file.zone_count += 1
            name = _text(inner.properties, "TZID")
            observances = [each.properties for each in inner.inner]
            properties.zones.setdefault(name.upper(), Zone(name, _text(inner.properties, "X-LIC-LOCATION"), observances))
        elif inner.name in _OTHER_COMPONENTS:
            file.other_components[_OTHER_COMPONENTS[inner.name]] += 1


def _build_entry(component: _Component, calendar: EntryCalendar, *, is_cancelled: bool) -> Entry:
    properties = component.properties
    entry = Entry(
        line=component.line,
        calendar=calendar,
        uid=_uid(properties),
        summary=_text(properties, "SUMMARY"),
        description=_text(properties, "DESCRIPTION"),
        location=_text(properties, "LOCATION"),
        geo=_read_geo(_text(properties, "GEO")),
        categories=[tag for each in properties.get("CATEGORIES", []) for tag in split_escaped(each.value, ",")],
        image_url=next((each.value.strip() for each in properties.get("IMAGE", []) if each.parameters.get("VALUE") != "BINARY"), ""),
        url=_text(properties, "URL"),
        status="CANCELLED" if is_cancelled else _text(properties, "STATUS").strip().upper(),
        is_postponed=_text(properties, "X-KALENDS-STATUS").upper() == "POSTPONED",
        comment=_text(properties, "COMMENT"),
        is_private=is_private_class(_text(properties, "CLASS")),
        is_all_day=_text(properties, "X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE",
        sequence=_number(_text(properties, "SEQUENCE")),
        unsupported=component.unsupported,
    )
    _add_times(entry, properties)
    return entry


def _read_geo(value: str) -> tuple[float, float] | None:
    """The degrees of GEO (RFC 5545, section 3.8.1.6); None if there are none on Earth."""
    match = _GEO.fullmatch(value.strip())
    if match is None:
        return None
    latitude, longitude = float(match[1]), float(match[2])
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _add_times(entry: Entry, properties: Properties) -> None:
    """Parse the times of the entry; those that cannot be parsed are added to its errors."""
    entry.rule = _text(properties, "RRULE")
    if len(properties.get("RRULE", [])) > 1 or "EXRULE" in properties:
        entry.errors.append(("repeat", "of several rules only the first is kept"))
    try:
        if "RECURRENCE-ID" in properties:
            entry.recurrence_id = parse_datetime(properties["RECURRENCE-ID"][0].value, properties["RECURRENCE-ID"][0].parameters)
            entry.and_following = properties["RECURRENCE-ID"][0].parameters.get("RANGE") == "THISANDFUTURE"
        entry.start = parse_datetime(properties["DTSTART"][0].value, properties["DTSTART"][0].parameters)
    except KeyError:
        entry.errors.append(("start_time", "it was left out: it has no DTSTART"))
    except ValueError as error:
        entry.errors.append(("start_time", f"it was left out: {error}"))
    try:
        if "DTEND" in properties:
            entry.end = parse_datetime(properties["DTEND"][0].value, properties["DTEND"][0].parameters)
        elif "DURATION" in properties:
            entry.duration = parse_duration(properties["DURATION"][0].value)
    except ValueError as error:
        entry.errors.append(("end_time", f"the end was left out: {error}"))
    name = "EXDATE"
    try:
        for each in properties.get("EXDATE", []):
            entry.exdates += parse_datetimes(each)
        name = "RDATE"
        for each in properties.get("RDATE", []):
            entry.rdates += parse_periods(each)
    except ValueError as error:
        entry.errors.append(("repeat", f"{name} was not read to its end: {error}"))


def read_uid(number: int, line: str) -> str:
    """The UID of a line as events have it; empty if there is none."""
    uid = replace_control_characters(parse_property(number, line).text) if ":" in line else ""
    return _limit_uid(uid) if uid else ""


def _uid(properties: Properties) -> str:
    """The UID of the event; if it is missing or too long, one that is derived from the content."""
    uid = replace_control_characters(_text(properties, "UID"))
    return _limit_uid(uid) if uid else _derive_uid("\n".join(_text(properties, name) for name in ("DTSTART", "SUMMARY", "LOCATION")))


def _limit_uid(uid: str) -> str:
    return uid if len(uid.encode("utf-8", "replace")) <= MAX_UID_OCTETS else _derive_uid(uid)


def _derive_uid(seed: str) -> str:
    return f"{blake2b(seed.encode('utf-8', 'replace'), digest_size=16).hexdigest()}@import.kalends"


def is_private_class(value: str) -> bool | None:
    """Whether a CLASS hides an event: any but PUBLIC does, unknown ones too (RFC 5545, section 3.8.1.3). None if there is none."""
    return value.strip().upper() != "PUBLIC" if value.strip() else None


def _text(properties: Properties, name: str) -> str:
    values: list[Property] = properties.get(name, [])
    return values[0].text if values else ""


def _number(value: str) -> int:
    return int(value) if re.fullmatch("[0-9]{1,9}", value) else 0
