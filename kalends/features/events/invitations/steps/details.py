"""What the organiser's program wrote of an event beside what an event here has, and its guests need: above all the link to a call."""

import re
import zlib
from collections.abc import Iterable, Mapping

from kalends.core.records.event import Event
from kalends.features.calendars import client_file_store as write_store
from kalends.http.context import Context
from kalends.ical import merge
from kalends.ical.lines import fold
from kalends.ical.raw_lines import Line

# What guests get of the organiser's file.
NAMES = ("URL", "CONFERENCE", "X-GOOGLE-CONFERENCE", "ATTACH", "GEO", "X-ALT-DESC", "CLASS", "STATUS")
# Where the link to a call is searched, in this order.
_LINKS = ("CONFERENCE", "X-GOOGLE-CONFERENCE", "URL")
_WEB = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
# A longer line is a document and no link.
MAX_CHARACTERS = 20_000

# The lines by the date of the series that they are about, empty for the whole.
Details = Mapping[str, list[Line]]


def find(ctx: Context, event: Event) -> Details:
    """The details of the event, or of all dates of its series, in the file of its organiser; empty if no program wrote it."""
    original = write_store.find_original(ctx, event)
    if not original:
        return {}
    details = of_events(merge.read_events(zlib.decompress(original)), ctx.settings.url)
    return {date: [line for line in lines if _is_for_guests(event, line)] for date, lines in details.items()}


def _is_for_guests(event: Event, line: Line) -> bool:
    """Whether guests get the line. The link of an event and its place are sent to those who may know them, by what the service writes."""
    link = event.whole.online_url
    return (event.withheld is None or line.name != "GEO") and (link is None or (line.name not in _LINKS[:2] and link not in line.text))


def of_events(events: Iterable[tuple[str, merge.Component]], url: str) -> Details:
    """The details of the events in the file of an organiser, which are given with their dates; `url` is that of this site, whose own
    links guests may not be able to open."""
    return {date: [line for line in event.group(NAMES) if _is_kept(line, url)] for date, event in events}


def _is_kept(line: Line, url: str) -> bool:
    if line.name == "STATUS":
        return line.value.strip().upper() == "TENTATIVE"
    return len(line.text) <= MAX_CHARACTERS and "ENCODING=BASE64" not in line.text.upper() and not line.value.startswith(f"{url}/")


def date_of(event: Event) -> str:
    """The date of the event in the file of its organiser; one whose series is not in the file has a UID of its own."""
    return (event.slot or (event.uid or "").rpartition("/")[2]).replace("-", "")


def on(details: Details, date: str) -> list[Line]:
    """The lines of the date, or of its series if the file has none of its own."""
    return details.get(date, details.get("", []))


def add(component: str, lines: list[Line]) -> str:
    """The component with the lines instead of those with the same names; what was cancelled or postponed here stays so."""
    file = merge.parse(component)
    [event] = file.inner("VEVENT")
    for name in dict.fromkeys(line.name for line in lines):
        if name != "STATUS" or event.find("STATUS") is None:
            event.replace((name,), [_fold(line) for line in lines if line.name == name])
    return merge.write(file)


def _fold(line: Line) -> Line:
    return Line(fold(line.text), line.text)


def update_file(content: bytes, before: Details, after: Details) -> bytes:
    """The file of a guest with what the organiser has changed of the details."""
    file = merge.parse(content.decode("utf-8", "surrogateescape"))
    for calendar in file.inner("VCALENDAR"):
        for date, event in merge.dated_events(calendar):
            for name in NAMES:
                old, new = ([line for line in on(each, date) if line.name == name] for each in (before, after))
                if [line.text for line in old] != [line.text for line in new]:
                    event.replace((name,), [_fold(line) for line in new])
    return merge.write(file).encode("utf-8", "surrogateescape")


def find_link(lines: list[Line]) -> str:
    """The link to the call, or another one that the organiser has set; empty without one."""
    links = (match[0] for name in _LINKS for line in lines if line.name == name and (match := _WEB.fullmatch(line.value.strip())))
    return next(links, "")
