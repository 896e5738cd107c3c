"""Merge changes of events into the file that another program wrote, line by line: what this service does not know stays as it was.

The merge compares what the service wrote of the events when the file came (`base`) with what it writes now (`current`), and puts only
what differs into the file. Nothing is parsed and printed again, since that is how other servers lose parameters, alarms and folds."""

import re
from datetime import datetime
from typing import Union
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct, field

from kalends.ical.raw_lines import Line, split_lines

# Properties that change together. Others are never touched.
GROUPS = (
    ("DTSTART", "DTEND", "DURATION"),
    ("RRULE",),
    ("EXDATE",),
    ("RDATE",),
    ("SUMMARY",),
    ("DESCRIPTION",),
    ("LOCATION",),
    ("GEO",),
    ("CONFERENCE",),
    ("CATEGORIES",),
    ("STATUS", "X-KALENDS-STATUS"),
    ("IMAGE",),
    ("CLASS",),
)
# What a file says of who takes part, and of alarms.
_PARTICIPANTS = ("ORGANIZER", "ATTENDEE")
_OF_ALARMS = ("ACTION", "TRIGGER", "DURATION", "REPEAT", "UID", "ACKNOWLEDGED")
# What says that something changed.
_STAMPS = ("LAST-MODIFIED", "DTSTAMP")

_TIME = re.compile(r"([0-9]{8})(?:T([0-9]{6}))?(Z)?")
# The date, and perhaps the time, of an occurrence in the UID that it has here.
_SLOT = re.compile(r"/([0-9]{4})-([0-9]{2})-([0-9]{2})(T[0-9]{6})?$")


class Component(Struct):
    """A component: its lines and inner components in their order, between the lines BEGIN and END."""

    name: str
    begin: str
    content: list[Union[Line, "Component"]] = field(default_factory=list)
    end: str = ""

    @property
    def lines(self) -> list[Line]:
        return [each for each in self.content if isinstance(each, Line)]

    def inner(self, name: str) -> list["Component"]:
        return [each for each in self.content if isinstance(each, Component) and each.name == name]

    def find(self, name: str) -> Line | None:
        return next((each for each in self.content if isinstance(each, Line) and each.name == name), None)

    def group(self, names: tuple[str, ...]) -> list[Line]:
        return [each for each in self.content if isinstance(each, Line) and each.name in names]

    def replace(self, names: tuple[str, ...], lines: list[Line]) -> None:
        """Put the lines in the place of those with these names, or at the end of the component's own lines."""
        places = [i for i, each in enumerate(self.content) if isinstance(each, Line) and each.name in names]
        inner = [i for i, each in enumerate(self.content) if isinstance(each, Component)]
        place = places[0] if places else inner[0] if inner else len(self.content)
        others = [each for i, each in enumerate(self.content) if i not in places]
        self.content = [*others[:place], *(Line(line.raw, line.text) for line in lines), *others[place:]]


def merge(original: bytes, base: bytes, current: bytes) -> bytes:
    """The original with what differs between `base` and `current`; its very bytes if nothing does."""
    if base == current:
        return original
    file, before, after = (parse(text.decode("utf-8", "surrogateescape")) for text in (original, base, current))
    calendars = [_first(each) for each in (file, before, after)]
    if any(calendar is None for calendar in calendars):
        return original
    _merge_calendars(*[calendar for calendar in calendars if calendar])
    return write(file).encode("utf-8", "surrogateescape")


def add_participants(original: bytes, current: bytes) -> bytes:
    """What the service writes, with the participants and the alarms of the original, of which nothing else is shown."""
    file, after = (parse(text.decode("utf-8", "surrogateescape")) for text in (original, current))
    own, calendar = _first(file), _first(after)
    if own is None or calendar is None:
        return current
    zone = zone_of(calendar)
    before = _by_date(own, zone, None)
    for event in calendar.inner("VEVENT"):
        source = before.get(date_of(event, zone), before.get(""))
        if source:
            alarms = [_plain_alarm(alarm) for alarm in source.inner("VALARM")]
            event.content += [*source.group(_PARTICIPANTS), *alarms]
    return write(after).encode("utf-8", "surrogateescape")


def _plain_alarm(alarm: Component) -> Component:
    return Component(alarm.name, alarm.begin, list(alarm.group(_OF_ALARMS)), alarm.end)


def _first(file: Component) -> Component | None:
    return next(iter(file.inner("VCALENDAR")), None)


def parse(text: str) -> Component:
    """The file as one component around all. A line that ends nothing is kept as a line."""
    root = Component("", "")
    stack = [root]
    for line in split_lines(text):
        kind = line.text.strip().upper()
        if kind.startswith("BEGIN:"):
            component = Component(kind[6:].strip(), line.raw)
            stack[-1].content.append(component)
            stack.append(component)
        elif kind.startswith("END:") and len(stack) > 1 and stack[-1].name == kind[4:].strip():
            stack.pop().end = line.raw
        else:
            stack[-1].content.append(line)
    return root


def read_events(content: bytes) -> list[tuple[str, Component]]:
    """The events of the file with the dates that they replace in their series."""
    file = parse(content.decode("utf-8", "replace"))
    return [each for calendar in file.inner("VCALENDAR") for each in dated_events(calendar)]


def dated_events(calendar: Component) -> list[tuple[str, Component]]:
    """The events of a calendar with the dates that they replace in their series."""
    zone = zone_of(calendar)
    return [(date_of(event, zone), event) for event in calendar.inner("VEVENT")]


def write(component: Component) -> str:
    inner = (each.raw if isinstance(each, Line) else write(each) for each in component.content)
    return "".join([component.begin, *inner, component.end])


def _merge_calendars(file: Component, base: Component, current: Component) -> None:
    zone, clock = zone_of(current), _clock_of(file, base, current)
    own, before, after = (_by_date(calendar, zone, clock) for calendar in (file, base, current))
    master = next((event for event in own.values() if event.find("RRULE")), None)
    uid = next((line for event in own.values() if (line := event.find("UID"))), None)
    for date, event in after.items():
        if date in before and _texts(before[date].lines) == _texts(event.lines):
            continue
        if date in own:
            _merge_events(own[date], before.get(date), event)
        elif date not in before:
            _add_event(file, event, uid, _class_of_series(own.get(""), after.get(""), event))
        elif master:
            _add_event(file, event, uid, event.group(("CLASS",)), _start_line(before[date], "RECURRENCE-ID"))
    for date in sorted(before.keys() - after.keys()):
        if date in own and len(file.inner("VEVENT")) > 1:
            file.content = [each for each in file.content if each is not own[date]]
        if master and date not in own and (line := _start_line(before[date], "EXDATE")):
            master.content.insert(len(master.lines), line)
    _add_zones(file, base, current)


def zone_of(calendar: Component) -> str:
    """The time zone of the events that the service wrote."""
    starts = [line for event in calendar.inner("VEVENT") if (line := event.find("DTSTART"))]
    return next((match[1] for line in starts if (match := re.search("TZID=([^:;]+)", line.text))), "UTC")


def _clock_of(file: Component, base: Component, current: Component) -> str | None:
    """The time of the first occurrence, if a day may have several; None if the date alone names an occurrence."""
    events = [event for calendar in (base, current) for event in calendar.inner("VEVENT")]
    if not any((uid := event.find("UID")) and (slot := _SLOT.search(uid.value)) and slot[4] for event in events):
        return None
    master = next((event for event in file.inner("VEVENT") if event.find("RRULE")), None)
    start = master.find("DTSTART") if master else None
    match = _TIME.fullmatch(start.value.strip()) if start else None
    return match[2] if match else None


def _by_date(calendar: Component, zone: str, clock: str | None) -> dict[str, Component]:
    """The events by the date that they replace in their series: most series have one on each date. The series itself has none."""
    return {date_of(event, zone, clock): event for event in reversed(calendar.inner("VEVENT"))}


def date_of(event: Component, zone: str, clock: str | None = None) -> str:
    """The date that an event replaces in its series; empty for the series itself.

    clock: the time of the first occurrence of a series with several a day. The others have their times behind the date."""
    line = event.find("RECURRENCE-ID")
    if line is None:
        # A date whose series is not in the file, or has several a day, has a UID of its own here.
        uid = event.find("UID")
        match = _SLOT.search(uid.value) if uid else None
        return "".join(each or "" for each in match.groups()) if match else ""
    match = _TIME.fullmatch(line.value.strip())
    if match is None:
        return line.value
    if match[2] is None:
        return match[1]
    day, time = match[1], match[2]
    if match[3]:
        try:
            local = datetime.fromisoformat(f"{day}T{time}Z").astimezone(ZoneInfo(zone))
        except (ValueError, OverflowError, ZoneInfoNotFoundError):
            return day
        day, time = f"{local:%Y%m%d}", f"{local:%H%M%S}"
    return day if clock in (None, time) else f"{day}T{time}"


def _start_line(event: Component, name: str) -> Line | None:
    """The line that names the occurrence which begins when the event does."""
    start = event.find("DTSTART")
    if start is None:
        return None
    text = name + start.text[len("DTSTART") :]
    return Line(f"{text}\r\n", text)


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


def _merge_events(event: Component, base: Component | None, current: Component) -> None:
    is_changed = False
    for names in GROUPS:
        before = base.group(names) if base else []
        after = current.group(names)
        if names == ("CLASS",) and not before:
            # What the service wrote had no CLASS before version 0.2.
            continue
        if _texts(before) != _texts(after) and _texts(event.group(names)) != _texts(after):
            event.replace(names, after)
            is_changed = True
    if is_changed:
        for name in _STAMPS:
            event.replace((name,), current.group((name,)))
        _raise_sequence(event, current)


def _raise_sequence(event: Component, current: Component) -> None:
    """The higher SEQUENCE of both: it must never fall."""
    own, other = event.find("SEQUENCE"), current.find("SEQUENCE")
    if other and _number(other) > _number(own):
        event.replace(("SEQUENCE",), [other])


def _number(line: Line | None) -> int:
    return int(line.value) if line and re.fullmatch("[0-9]{1,9}", line.value) else -1


def _class_of_series(own: Component | None, series: Component | None, event: Component) -> list[Line]:
    """The CLASS of a date: that of its series in the file, unless the date has another one here."""
    names, lines = ("CLASS",), event.group(("CLASS",))
    return own.group(names) if own and series and _texts(series.group(names)) == _texts(lines) else lines


def _add_event(file: Component, event: Component, uid: Line | None, class_lines: list[Line], replaced: Line | None = None) -> None:
    """Add a date that was changed alone, behind the other events.

    replaced: names the occurrence, if the event does not."""
    added = Component(event.name, event.begin, list(event.content), event.end)
    added.replace(("CLASS",), class_lines)
    if uid:
        added.replace(("UID",), [uid])
    if replaced:
        added.replace(("RECURRENCE-ID",), [replaced])
    places = [i for i, each in enumerate(file.content) if isinstance(each, Component) and each.name == "VEVENT"]
    file.content.insert(places[-1] + 1 if places else len(file.content), added)


def _add_zones(file: Component, base: Component, current: Component) -> None:
    """Add the time zones that the changes may need."""
    known = {_zone_name(zone) for calendar in (file, base) for zone in calendar.inner("VTIMEZONE")}
    new = [zone for zone in current.inner("VTIMEZONE") if _zone_name(zone) not in known]
    places = [i for i, each in enumerate(file.content) if isinstance(each, Component)]
    file.content[places[0] : places[0]] = new


def _zone_name(zone: Component) -> str:
    line = zone.find("TZID")
    return line.value if line else ""
