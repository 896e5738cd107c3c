"""What a web page says of events: a link to its calendar, or descriptions of them as schema.org has it."""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from html import unescape
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from kalends.core.values import datetimes
from kalends.core.values.text import replace_control_characters
from kalends.ical.parse import MAX_EVENTS

MAX_DEPTH = 12
_CALENDAR = "text/calendar"
_DATA = "application/ld+json"
_TAG = re.compile(r"<[^<>]{0,1000}>")
# What is read of a page, and of one value in its data.
MAX_PAGE = 2 * 2**20
MAX_VALUE = 20_000
MAX_ELEMENTS = 20_000
MAX_URL = 2_000

_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_ELEMENT = re.compile(r"<(?:!--|(link|base|title|script)\b([^<>]{0,4000})>)", re.IGNORECASE)
_ENDS = {
    "!--": re.compile("-->"),
    "title": re.compile("</title", re.IGNORECASE),
    "script": re.compile("</script", re.IGNORECASE),
}
_ATTRIBUTE = re.compile(r"""([a-z:-]{1,50})\s{0,50}=\s{0,50}(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""", re.IGNORECASE)


class WebPage:
    """The links to calendars, the blocks of data and the title of an HTML page.

    Each character is looked at once or twice, whatever the page is: the parser of Python takes hours for some pages of 10 MiB."""

    def __init__(self, html: str, url: str):
        self.calendars: list[str] = []
        self.blocks: list[str] = []
        self.title = ""
        self._base = url
        self._read(html[:MAX_PAGE])

    def _read(self, html: str) -> None:
        position = 0
        for _ in range(MAX_ELEMENTS):
            if not (found := _ELEMENT.search(html, position)):
                return
            position = found.end()
            name = (found[1] or "!--").lower()
            if name in _ENDS:
                end = _ENDS[name].search(html, position)
                self._enter(name, _attributes(found[2] or ""), html[position : end.start()] if end else "")
                position = end.end() if end else len(html)
            else:
                self._enter(name, _attributes(found[2]), "")

    def _enter(self, name: str, attributes: dict[str, str], content: str) -> None:
        kind, href = attributes.get("type", "").partition(";")[0].strip().lower(), attributes.get("href", "")
        if name == "link" and kind == _CALENDAR and "alternate" in attributes.get("rel", "").lower().split():
            self.calendars += [address] if (address := _join(self._base, href)) else []
        elif name == "base" and href:
            self._base = _join(self._base, href) or self._base
        elif name == "script" and kind == _DATA:
            self.blocks.append(content)
        elif name == "title" and not self.title:
            self.title = _clean(unescape(content[:500]))


def _attributes(text: str) -> dict[str, str]:
    return {found[1].lower(): unescape(found[2] or found[3] or found[4] or "") for found in _ATTRIBUTE.finditer(text)}


def is_html(content: str) -> bool:
    """Whether it is a web page rather than a calendar."""
    head = content[:4000].lstrip("\ufeff \t\r\n")
    while head.startswith(("<!--", "<?xml")):
        head = head.partition("-->" if head.startswith("<!--") else "?>")[2].lstrip()
    return bool(_HTML.match(head))


def to_calendar(page: WebPage, url: str, own_url: str) -> str:
    """The events of the data of the page, as a calendar file; empty if there is none.

    own_url: that of this service, whose events are left out, lest they come back as new ones with each run."""
    entries = {}
    # One more than a calendar may have, which is then refused.
    for each in islice(_events_of_page(page), MAX_EVENTS + 1):
        if entry := _entry(each, url, own_url):
            entries[entry[0]] = entry[1]
    if not entries:
        return ""
    name = " ".join(page.title.split())
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"X-WR-CALNAME:{_escape(name)}", *entries.values(), "END:VCALENDAR", ""]
    return "\r\n".join(lines)


def _events_of_page(page: WebPage) -> Iterator[dict[str, Any]]:
    for block in page.blocks:
        try:
            data = json.loads(block)
        except (ValueError, RecursionError):
            continue
        yield from _events(data, MAX_DEPTH)


def _events(data: Any, depth: int) -> Iterator[dict[str, Any]]:
    """The objects that are events, within lists, graphs and series."""
    if depth and isinstance(data, list):
        for each in data:
            yield from _events(each, depth - 1)
    elif depth and isinstance(data, dict):
        kinds = data.get("@type")
        names = [str(kind).rpartition("/")[2] for kind in (kinds if isinstance(kinds, list) else [kinds])]
        parts = [data.get("subEvent"), data.get("subEvents"), data.get("event"), data.get("events")]
        if any(name.endswith("Event") or name in ("Festival", "Hackathon") for name in names):
            yield data
        elif not any(name == "EventSeries" for name in names):
            parts += [data.get("@graph"), data.get("itemListElement"), data.get("item"), data.get("mainEntity")]
        yield from _events([part for part in parts if part], depth - 1)


def _entry(data: dict[str, Any], page_url: str, own_url: str) -> tuple[str, str] | None:
    """The UID and the lines of an event; None if it has no name or no start, or comes from here."""
    title, start = _text(data.get("name")), _time("DTSTART", data.get("startDate"))
    if not title or not start:
        return None
    link = _text(data.get("url"))
    link = _join(page_url, link) if link else ""
    if f"{link}/".startswith(f"{own_url}/"):
        return None
    seed = _text(data.get("@id")) or link or f"{page_url} {title}"
    uid = f"{blake2b(f'{seed} {start}'.encode('utf-8', 'replace'), digest_size=16).hexdigest()}@{urlsplit(page_url).hostname}"
    if _text(data.get("@id")) or link:
        # A moved event is the same one, as long as its address is of it alone.
        uid = f"{blake2b(seed.encode('utf-8', 'replace'), digest_size=16).hexdigest()}@{urlsplit(page_url).hostname}"
    status = _text(data.get("eventStatus")).rpartition("/")[2]
    lines = ["BEGIN:VEVENT", f"UID:{uid}", start, f"SUMMARY:{_escape(title)}"]
    lines += [end] if (end := _time("DTEND", data.get("endDate"))) else []
    lines += [f"DESCRIPTION:{_escape(text)}"] if (text := _text(data.get("description"))) else []
    lines += [f"LOCATION:{_escape(place)}"] if (place := _place(data.get("location"))) else []
    lines += [f"URL:{link}"] if link else []
    lines += ["STATUS:CANCELLED"] if status == "EventCancelled" else []
    return uid, "\r\n".join([*lines, "END:VEVENT"])


def _time(name: str, value: Any) -> str:
    """The property of a time; empty if it cannot be read. The last day of an event is in its data, and the day after it in a file."""
    try:
        parsed = datetimes.parse(_text(value))
        if parsed.is_date:
            day = parsed.to_date("UTC")
            if name == "DTEND":
                day = day.fromordinal(day.toordinal() + 1)
            return f"{name};VALUE=DATE:{day:%Y%m%d}"
        if parsed.zone or parsed.offset is not None:
            return f"{name}:{datetimes.to_local(parsed.to_instant('UTC'), 'UTC'):%Y%m%dT%H%M%SZ}"
        return f"{name}:{_text(value)[:19].replace('-', '').replace(':', '')}"
    except (ValueError, OverflowError):
        return ""


def _place(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return _text(value)
    address = value.get("address")
    parts = [_text(value.get("name"))]
    if isinstance(address, dict):
        town = " ".join(filter(None, [_text(address.get("postalCode")), _text(address.get("addressLocality"))]))
        parts += [_text(address.get("streetAddress")), town, _text(address.get("addressCountry"))]
    else:
        parts.append(_text(address))
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _text(value: Any) -> str:
    """The text of a value, which may be a list or an object with a name."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or ""
    return _clean(unescape(_TAG.sub(" ", value[:MAX_VALUE]))).strip() if isinstance(value, str) else ""


def _clean(value: str) -> str:
    """Without halves of characters, which cannot be stored, and control characters."""
    return replace_control_characters(value.encode("utf-8", "replace").decode(), lines=True)


def _escape(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return "\\n".join(" ".join(line.split()) for line in escaped.splitlines())


def _join(url: str, href: str) -> str:
    try:
        joined = urljoin(url, _clean(href).strip())
        parts = urlsplit(joined)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc and joined.isprintable()
        return joined if is_usable and len(joined) <= MAX_URL else ""
    except ValueError:
        return ""
