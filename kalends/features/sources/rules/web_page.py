"""What a web page says of events: a link to its calendar, or descriptions of them as schema.org has it."""

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from kalends.core.values import datetimes

MAX_DEPTH = 12
_CALENDAR = "text/calendar"
_DATA = "application/ld+json"
_TAG = re.compile(r"<[^>]{0,1000}>")


class WebPage(HTMLParser):
    """The links to calendars, the blocks of data and the title of an HTML page."""

    def __init__(self, html: str, url: str):
        super().__init__(convert_charrefs=True)
        self.calendars: list[str] = []
        self.blocks: list[str] = []
        self.title = ""
        self._base = url
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        kind = values.get("type", "").partition(";")[0].strip().lower()
        if tag == "link" and "alternate" in values.get("rel", "").lower().split() and kind == _CALENDAR and values.get("href"):
            self.calendars.append(_join(self._base, values["href"]))
        elif tag == "base" and values.get("href"):
            self._base = _join(self._base, values["href"])
        self._inside = tag if tag == "title" else _DATA if tag == "script" and kind == _DATA else ""
        if self._inside == _DATA:
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == _DATA:
            self.blocks[-1] += data
        elif self._inside == "title" and len(self.title) < 500:
            self.title += data


def is_html(content: str) -> bool:
    """Whether it is a web page rather than a calendar."""
    return bool(re.match(r"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", content[:4000], re.IGNORECASE | re.DOTALL))


def to_calendar(page: WebPage, url: str) -> str:
    """The events of the data of the page, as a calendar file; empty if there is none."""
    entries = {}
    for block in page.blocks:
        try:
            data = json.loads(block)
        except (ValueError, RecursionError):
            continue
        for each in _events(data, MAX_DEPTH):
            if entry := _entry(each, url):
                entries[entry[0]] = entry[1]
    if not entries:
        return ""
    name = " ".join(page.title.split())
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"X-WR-CALNAME:{_escape(name)}", *entries.values(), "END:VCALENDAR", ""]
    return "\r\n".join(lines)


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


def _entry(data: dict[str, Any], page_url: str) -> tuple[str, str] | None:
    """The UID and the lines of an event; None if it has no name or no start."""
    title, start = _text(data.get("name")), _time("DTSTART", data.get("startDate"))
    if not title or not start:
        return None
    link = _text(data.get("url"))
    link = _join(page_url, link) if link else ""
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
    return unescape(_TAG.sub(" ", value)).strip() if isinstance(value, str) else ""


def _escape(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return "\\n".join(" ".join(line.split()) for line in escaped.splitlines())


def _join(url: str, href: str) -> str:
    try:
        joined = urljoin(url, href.strip())
        return joined if urlsplit(joined).scheme in ("http", "https") else ""
    except ValueError:
        return ""
