"""Read a fetched calendar: what it has of each UID, and what of it is left out."""

from hashlib import blake2b

from msgspec import Struct, field, json, structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.values import datetimes, text
from kalends.features.events import store as event_store
from kalends.features.events.imports.rules.entries import EntryReader
from kalends.features.events.imports.rules.incoming import Importer, IncomingSeries
from kalends.features.events.imports.steps.plan import read_group
from kalends.features.events.rules.uid import parse_own
from kalends.features.events.series.rules.rule import MONTHS_AHEAD_OF_SOURCES
from kalends.features.sources.rules import interval
from kalends.features.sources.rules.compare import There
from kalends.http.context import Context
from kalends.http.csv_file import Remark
from kalends.http.input.tags import MAX_TAGS
from kalends.ical import parse
from kalends.ical.parse import CalendarFile, Entry, NoEvents

MAX_NAME = 200
MAX_PAGE_URL = 2_000
MAX_OBSERVANCES = 200


class FeedItem(Struct, frozen=True):
    """A UID: a single event, or a series with its rule."""

    digest: str
    incoming: IncomingSeries
    page_url: str | None

    def coming(self, now: int) -> int:
        return sum(event.span.start_at > now for event in self.incoming.events.values())


class Feed(Struct):
    """What a source has, by UID."""

    name: str
    suggested: int
    items: dict[str, FeedItem] = field(default_factory=dict)
    remarks: list[Remark] = []
    skipped: int = 0

    def there(self, now: int) -> dict[str, There]:
        return {uid: There(item.digest, item.coming(now)) for uid, item in self.items.items()}


class Unreadable(Exception):
    """It is no calendar, or a damaged one. The text is a sentence for people."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def read(ctx: Context, content: str, headers: dict[str, str], zone: str, title_contains: str = "", tag_list: str = "") -> Feed:
    """The feed. zone: that of the calendar here, for times without one. title_contains: only events with this in their titles.
    tag_list: what new events are tagged with."""
    head = content[:20_000].partition("BEGIN:VEVENT")[0]
    feed = Feed(_name(head), interval.suggested(head, headers.get("cache-control", "")))
    try:
        file = parse.parse_file(content)
    except NoEvents:
        return feed
    except ValueError as error:
        raise Unreadable(gettext("What is there %(problem)s.", problem=error.args[0])) from None
    try:
        _read_entries(ctx, feed, file, zone, text.fold_case(title_contains), tag_list)
    except errors.Invalid as error:
        raise Unreadable(gettext("What is there %(problem)s.", problem=error.errors[0].message)) from None
    return feed


def _read_entries(ctx: Context, feed: Feed, file: CalendarFile, zone: str, part: str, tag_list: str) -> None:
    reader = EntryReader(file, zone, event_store.content_columns, is_zone_sent=False, url=ctx.settings.url)
    importer = Importer(reader, datetimes.to_local(ctx.now, "UTC").date(), MONTHS_AHEAD_OF_SOURCES)
    groups: dict[str, list[Entry]] = {}
    for entry in file.entries:
        # Times in UTC are shown on the clocks of the calendar here.
        entry.calendar.time_zone = entry.calendar.time_zone or zone
        # Pictures are not fetched, nor shown from elsewhere.
        entry.image_url = ""
        if not part or part in text.fold_case(entry.summary):
            groups.setdefault(entry.uid, []).append(entry)
    own = {uid for uid in groups if parse_own(ctx.settings, uid)}
    month = f"{datetimes.to_local(ctx.now, 'UTC'):%Y-%m}"
    for uid, entries in groups.items():
        if uid in own:
            continue
        page_url, said = _page_url(entries), _said(entries)
        # Dates that no rule can make are made again each month.
        digest = _digest(said)
        monthly = _digest(said + month.encode()) if entries[0].rule else digest
        for series in read_group(importer, uid, entries):
            for each in _singles(series):
                _tag(each, tag_list)
                feed.items[each.uid] = FeedItem(digest if series.rule else monthly, each, page_url)
    if own:
        reader.warn(1, "file", f"events that come from here are skipped: {len(own):,}")
    reader.warn_unsupported()
    feed.remarks = list(dict.fromkeys(reader.remarks))
    feed.skipped = importer.skipped + len(own)


def _name(head: str) -> str:
    for line in head.splitlines():
        name, _, value = line.partition(":")
        if name.partition(";")[0].upper() in ("X-WR-CALNAME", "NAME"):
            plain = value.replace("\\,", ",").replace("\\;", ";").replace("\\n", " ")
            return " ".join(text.replace_control_characters(plain).split())[:MAX_NAME]
    return ""


def _page_url(entries: list[Entry]) -> str | None:
    url = next((entry.url for entry in entries if entry.url.startswith(("https://", "http://"))), None)
    return url if url and len(url) <= MAX_PAGE_URL and url.isprintable() and "@" not in url and " " not in url else None


def _said(entries: list[Entry]) -> bytes:
    """What the source says of a UID: neither where in the file, nor in which order."""
    return b"\n".join(sorted(json.encode([_content(entry), _zone(entry)]) for entry in entries))


def _digest(said: bytes) -> str:
    return blake2b(said, digest_size=16).hexdigest()


def _content(entry: Entry) -> object:
    names = [name for name in entry.__struct_fields__ if name not in ("line", "calendar", "unsupported", "sequence", "errors", "image_url")]
    return [getattr(entry, name) for name in names]


def _zone(entry: Entry) -> object:
    """The zone of the start as the file defines it; of a forged one with thousands of changes, the first."""
    zone = entry.calendar.zones.get(entry.start.zone.strip().upper()) if entry.start and entry.start.zone else None
    return [entry.calendar.time_zone, zone and zone.observances[:MAX_OBSERVANCES]]


def _singles(series: IncomingSeries) -> list[IncomingSeries]:
    """The series with its rule; without one, each of its events alone."""
    if series.rule or not any(series.events):
        return [series] if series.events else []
    items = series.events.items()
    return [structs.replace(series, uid=f"{series.uid}/{slot}" if slot else series.uid, events={"": each}) for slot, each in items]


def _tag(series: IncomingSeries, tag_list: str) -> None:
    """Add the tags that the owner chose for all events of the source."""
    if not tag_list:
        return
    tagged: dict[int, object] = {}
    for slot, event in series.events.items():
        content = event.content
        if id(content) not in tagged:
            tags = [*tag_list.split(","), *(content.columns["tags"].split(",") if content.columns["tags"] else [])]
            columns = content.columns | {"tags": ",".join(list(dict.fromkeys(tags))[:MAX_TAGS])}
            tagged[id(content)] = structs.replace(content, columns=columns | {"search": event_store.search_column(columns)})
        series.events[slot] = structs.replace(event, content=tagged[id(content)])
