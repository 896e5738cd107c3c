"""The envelopes in which calendar programs write their events: headers, time zones, properties of their own, line ends and folding."""

import re
from collections.abc import Callable

from msgspec import Struct

# Of each zone: its Windows name, its offsets in standard and in daylight time, and when each begins: month, weekday of the month, hour.
_EUROPE = ((10, "-1SU", 3), (3, "-1SU", 2))
_ZONES: dict[str, tuple[str, str, str, tuple[tuple[int, str, int], ...]]] = {
    "Europe/Berlin": ("W. Europe Standard Time", "+0100", "+0200", _EUROPE),
    "Europe/Paris": ("Romance Standard Time", "+0100", "+0200", _EUROPE),
    "Europe/London": ("GMT Standard Time", "+0000", "+0100", ((10, "-1SU", 2), (3, "-1SU", 1))),
    "America/New_York": ("Eastern Standard Time", "-0500", "-0400", ((11, "1SU", 2), (3, "2SU", 2))),
    "America/Los_Angeles": ("Pacific Standard Time", "-0800", "-0700", ((11, "1SU", 2), (3, "2SU", 2))),
    "Australia/Sydney": ("AUS Eastern Standard Time", "+1000", "+1100", ((4, "1SU", 3), (10, "1SU", 2))),
    "Asia/Kolkata": ("India Standard Time", "+0530", "+0530", ()),
    "Asia/Tokyo": ("Tokyo Standard Time", "+0900", "+0900", ()),
}
_MOZILLA = "/mozilla.org/20050126_1/"
_EVOLUTION = "/freeassociation.sourceforge.net/"
_FOLD_AT = 74


class Producer(Struct, frozen=True):
    """A program: the head of its files, what it adds to each event, how it calls a zone, and in which year its zones begin."""

    head: tuple[str, ...]
    event: tuple[str, ...]
    zone_name: Callable[[str], str] = str
    zone_line: str = ""
    zone_year: int = 1970
    has_zones: bool = True
    zones_last: bool = False
    line_end: str = "\r\n"


def _windows(zone: str) -> str:
    return _ZONES[zone][0]


def _quoted(zone: str) -> str:
    return f'"{_windows(zone)}"'


_HEAD = ("VERSION:2.0", "CALSCALE:GREGORIAN")
_ALARM = ("BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:This is an event reminder", "TRIGGER:-P0DT0H30M0S", "END:VALARM")
_GUESTS = (
    "ORGANIZER;CN=Choir of Nørrebro:mailto:choir@example.org",
    "ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=ana@example.org;X-NUM-GUESTS=0:mailto:ana@example.org",
)
_CDO = (
    "CLASS:PUBLIC",
    "PRIORITY:5",
    "X-MICROSOFT-CDO-APPT-SEQUENCE:0",
    "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
    "X-MICROSOFT-CDO-INTENDEDSTATUS:BUSY",
    "X-MICROSOFT-CDO-IMPORTANCE:1",
    "X-MICROSOFT-DISALLOW-COUNTER:FALSE",
)

PRODUCERS = {
    "google": Producer(
        ("PRODID:-//Google Inc//Google Calendar 70.9054//EN", *_HEAD, "METHOD:PUBLISH", "X-WR-CALNAME:Choir", "X-WR-TIMEZONE:Europe/Paris"),
        ("DTSTAMP:20260501T080000Z", "CREATED:20260430T101500Z", "LAST-MODIFIED:20260501T080000Z", "SEQUENCE:0", "TRANSP:OPAQUE", *_ALARM),
        zone_line="X-LIC-LOCATION:",
    ),
    "apple": Producer(
        ("PRODID:-//Apple Inc.//macOS 15.1//EN", *_HEAD, "X-APPLE-CALENDAR-COLOR:#1BADF8", "X-WR-CALNAME:Home"),
        ("DTSTAMP:20260501T080000Z", "X-APPLE-CREATOR-IDENTITY:com.apple.mobilecal", "X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC", *_ALARM),
    ),
    "outlook": Producer(
        ("PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN", "VERSION:2.0", "METHOD:PUBLISH", "X-MS-OLK-FORCEINSPECTOROPEN:TRUE"),
        ("DTSTAMP:20260501T080000Z", *_CDO, "X-ALT-DESC;FMTTYPE=text/html:<html><body><p>Agenda</p></body></html>", *_ALARM),
        zone_name=_quoted,
        zone_year=1601,
    ),
    "exchange": Producer(
        ("METHOD:PUBLISH", "PRODID:Microsoft Exchange Server 2010", "VERSION:2.0", "X-WR-CALNAME:Calendar"),
        ("DTSTAMP:20260501T080000Z", *_CDO, "X-MICROSOFT-DONOTFORWARDMEETING:FALSE", "X-MICROSOFT-LOCATIONS:[]"),
        zone_name=_windows,
        zone_year=1601,
    ),
    "nextcloud": Producer(
        ("PRODID:-//IDN nextcloud.com//Calendar app 5.0.6//EN", *_HEAD),
        ("CREATED:20260430T101500Z", "DTSTAMP:20260501T080000Z", "LAST-MODIFIED:20260501T080000Z", "SEQUENCE:2", *_GUESTS),
        zones_last=True,
    ),
    "thunderbird": Producer(
        ("PRODID:-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN", "VERSION:2.0"),
        ("DTSTAMP:20260501T080000Z", "X-MOZ-GENERATION:4", "X-MOZ-LASTACK:20260501T080000Z"),
        zone_name=lambda zone: f"{_MOZILLA}{zone}",
        zone_line="X-LIC-LOCATION:",
        line_end="\n",
    ),
    "evolution": Producer(
        (*_HEAD, "PRODID:-//Ximian//NONSGML Evolution Calendar//EN"),
        ("DTSTAMP:20260501T080000Z", "X-EVOLUTION-CALDAV-ETAG:12", "SEQUENCE:2"),
        zone_name=lambda zone: f"{_EVOLUTION}{zone}",
        zone_line="X-LIC-LOCATION:",
    ),
    "fantastical": Producer(
        (*_HEAD, "PRODID:-//Flexibits Inc.//Fantastical 4.0//EN"),
        ("DTSTAMP:20260501T080000Z", "X-APPLE-DEFAULT-ALARM:TRUE"),
        has_zones=False,
    ),
    "meetup": Producer(
        (
            *_HEAD,
            "PRODID:-//Meetup//Meetup Calendar 1.0//EN",
            "METHOD:PUBLISH",
            "X-WR-CALNAME:Hack Night",
            "X-MS-OLK-FORCEINSPECTOROPEN:TRUE",
        ),
        ("DTSTAMP:20260501T080000Z", "ORGANIZER;CN=Meetup Reminder:MAILTO:info@meetup.com", "CLASS:PUBLIC", "GEO:52.52;13.40"),
        zone_line="X-LIC-LOCATION:",
    ),
}


def build_calendar(name: str, body: str) -> bytes:
    """The file of the producer that the name begins with. In the body, empty lines are between events, and zones have their IANA names;
    lines before the first event that begin with a plus replace properties of the head, and a line `=====` begins another calendar."""
    producer = PRODUCERS[name.split("-")[0]]
    calendars = [_build(producer, name, part, number) for number, part in enumerate(body.strip().split("\n=====\n"))]
    return "".join(calendars).encode()


def _build(producer: Producer, name: str, body: str, number: int) -> str:
    events = [block.split("\n") for block in body.strip().split("\n\n")]
    head = [line[1:] for line in events[0] if line.startswith("+")]
    replaced = {line.split(":")[0] for line in head if line != "BEGIN:VTIMEZONE"}
    lines = ["BEGIN:VCALENDAR", *(line for line in producer.head if line.split(":")[0] not in replaced), *head]
    zones = [line for zone in _ZONES if producer.has_zones and f"TZID={zone}" in body for line in _zone(producer, zone)]
    lines += [] if producer.zones_last else zones
    for event in events:
        lines += _event(producer, [line for line in event if not line.startswith("+")], f"{name}-{number}@example.org")
    lines += zones if producer.zones_last else []
    return "".join(_fold(line, producer.line_end) for line in [*lines, "END:VCALENDAR"])


def _event(producer: Producer, lines: list[str], uid: str) -> list[str]:
    names = {re.split("[:;]", line)[0] for line in lines}
    own = [line for line in producer.event if re.split("[:;]", line)[0] not in names]
    named = [re.sub(r"TZID=([A-Z]\w+/\w+)", lambda match: f"TZID={producer.zone_name(match[1])}", line) for line in lines]
    return ["BEGIN:VEVENT", *([] if "UID" in names else [f"UID:{uid}"]), *named, *own, "END:VEVENT"]


def _zone(producer: Producer, zone: str) -> list[str]:
    _, standard, daylight, changes = _ZONES[zone]
    lines = ["BEGIN:VTIMEZONE", f"TZID:{producer.zone_name(zone).strip(chr(34))}"]
    lines += [f"{producer.zone_line}{zone}"] if producer.zone_line else []
    if not changes:
        lines += ["BEGIN:STANDARD", f"TZOFFSETFROM:{standard}", f"TZOFFSETTO:{standard}", f"DTSTART:{producer.zone_year}0101T000000"]
        return [*lines, "END:STANDARD", "END:VTIMEZONE"]
    for kind, (month, day, hour) in zip(("STANDARD", "DAYLIGHT"), changes, strict=True):
        before, after = (daylight, standard) if kind == "STANDARD" else (standard, daylight)
        rule = f"RRULE:FREQ=YEARLY;BYDAY={day};BYMONTH={month}"
        start = f"DTSTART:{producer.zone_year}0101T{hour:02}0000"
        lines += [f"BEGIN:{kind}", f"TZOFFSETFROM:{before}", f"TZOFFSETTO:{after}", start, rule, f"END:{kind}"]
    return [*lines, "END:VTIMEZONE"]


def _fold(line: str, line_end: str) -> str:
    pieces = [line[at : at + _FOLD_AT] for at in range(0, len(line), _FOLD_AT)] or [""]
    return f"{line_end} ".join(pieces) + line_end
