"""sync-collection (RFC 6578) on the journal: which resources of a calendar changed since a position of its entries.

A token is a position in commit order, so a reader that has seen it cannot miss what commits later. The first list may be read in parts:
then the token also has the name of the last resource of the part."""

import re
from urllib.parse import quote, unquote

from msgspec import Struct, json

from kalends.core import errors
from kalends.core.records.calendar import Calendar
from kalends.dav.calendars import resources, store
from kalends.dav.calendars.resources import Resource
from kalends.dav.xml import DAV, DavError
from kalends.features.changes import journal_store
from kalends.features.changes.journal_store import Entry, Journal
from kalends.features.changes.rules.cursor import Position
from kalends.http.context import Context

# How many entries are read in one statement.
BATCH = 5_000
KINDS = ("event", "series", "dates", "resource")

_COLLECTION = r"([0-9]{1,18}|book-[0-9]{1,18}(?:-[0-9]{1,18})?|birthdays-[0-9]{1,18})"
_TOKEN = re.compile(rf"urn:kalends:{_COLLECTION}:([0-9]{{1,16}})\.([0-9]{{1,18}})\.([0-9]{{1,18}})(?::([^\s:]{{1,1000}}))?")


class Token(Struct, frozen=True):
    """A decoded token of a calendar, by its id, or of an address book; `last` is the name of the last resource of a list that has more."""

    collection: str
    epoch: int
    position: Position
    last: str = ""

    @property
    def text(self) -> str:
        tx, entry_id = self.position
        more = f":{quote(self.last, safe='')}" if self.last else ""
        return f"urn:kalends:{self.collection}:{self.epoch}.{tx}.{entry_id}{more}"


class Changes(Struct):
    """Resources that changed, names of those that are gone, and the token to go on from; is_cut: there are more."""

    resources: list[Resource]
    gone: list[str]
    token: str
    is_cut: bool


def current_token(ctx: Context, calendar: Calendar) -> str:
    journal = journal_store.find_journal(ctx)
    return Token(str(calendar.id), journal.epoch, journal.end).text


def read(ctx: Context, calendar: Calendar, token_text: str, limit: int | None) -> Changes:
    """What changed since the token; without one, all resources."""
    journal = journal_store.find_journal(ctx)
    if not token_text:
        return _list(ctx, calendar, Token(str(calendar.id), journal.epoch, journal.end), limit)
    token = parse_token(journal, str(calendar.id), token_text)
    if token.last:
        return _list(ctx, calendar, token, limit)
    end = max(token.position, journal.end)
    entries, position = read_entries(ctx, calendar.id, KINDS, token.position, end, limit)
    changed, gone = _resolve(ctx, calendar, entries)
    next_token = Token(str(calendar.id), journal.epoch, position)
    return Changes(changed, gone, next_token.text, is_cut=position != end)


def parse_token(journal: Journal, collection: str, text: str) -> Token:
    """The token, if it is one of this collection and this database, and all entries after it are still there."""
    match = _TOKEN.fullmatch(text.strip())
    if match:
        token = Token(match[1], int(match[2]), (int(match[3]), int(match[4])), unquote(match[5] or ""))
        try:
            journal_store.require_valid(journal, token.epoch, token.position)
        except errors.CursorExpired:
            match = None
        if match and token.collection == collection:
            return token
    raise DavError(403, "The sync token is too old, or not of this collection. Read all of it again.", f"{{{DAV}}}valid-sync-token")


def _list(ctx: Context, calendar: Calendar, token: Token, limit: int | None) -> Changes:
    """All resources in the order of their names, from the last one on that the client has."""
    rest = [resource for resource in resources.find_all(ctx, calendar) if resource.name > token.last]
    start = Token(str(calendar.id), token.epoch, token.position)
    if limit is None or len(rest) <= limit:
        return Changes(rest, [], start.text, is_cut=False)
    page = sorted(rest, key=lambda resource: resource.name)[:limit]
    return Changes(page, [], Token(start.collection, start.epoch, start.position, page[-1].name).text, is_cut=True)


def read_entries(
    ctx: Context, calendar_id: int | None, kinds: tuple[str, ...], after: Position, end: Position, limit: int | None
) -> tuple[list[Entry], Position]:
    """The entries after the position, for at most `limit` records, and the position up to which they go; without a calendar, the
    actor's own."""
    entries: list[Entry] = []
    records: set[tuple[str, int]] = set()
    calendar_ids = [] if calendar_id is None else [calendar_id]
    while after < end:
        batch = journal_store.find_entries(ctx, calendar_ids, after, end, kinds, BATCH, own_on=calendar_id)
        for entry in batch:
            record = entry.kind, entry.record_id
            if limit is not None and record not in records and len(records) >= limit:
                return entries, entries[-1].position if entries else after
            records.add(record)
            entries.append(entry)
        if len(batch) < BATCH:
            break
        after = batch[-1].position
    return entries, end


def _resolve(ctx: Context, calendar: Calendar, entries: list[Entry]) -> tuple[list[Resource], list[str]]:
    """The resources of the entries as they are now, and the names of those that are gone."""
    event_ids = sorted({entry.record_id for entry in entries if entry.kind == "event"})
    series_ids = {entry.record_id for entry in entries if entry.kind in ("series", "dates")}
    row_ids = {entry.record_id for entry in entries if entry.kind == "resource"}
    series_of = store.find_series_of(ctx, event_ids)
    # An event that was deleted or has left its series tells of the series, too.
    series_ids |= {*series_of.values(), *_find_former_series(ctx, event_ids)}
    single_ids = [event_id for event_id in event_ids if event_id not in series_of]
    by_name = {each.name: each for each in resources.find_by_ids(ctx, calendar, event_ids, series_ids)}
    rows = store.find_rows(ctx, row_ids)
    by_name |= {each.name: each for each in resources.find_by_rows(ctx, calendar, rows)}
    # A follower may know an event by its own name that has become a date of a series since.
    formerly_single = store.find_formerly_single(ctx, event_ids)
    names = _names(ctx, calendar, sorted({*single_ids, *formerly_single}), sorted(series_ids)) | {row.name for row in rows}
    # Clients never saw the other dates of a series as separate resources.
    dates = {f"event-{event_id}.ics" for event_id in _find_dates(ctx, single_ids) - formerly_single}
    return list(by_name.values()), sorted(names - by_name.keys() - dates)


def _names(ctx: Context, calendar: Calendar, event_ids: list[int], series_ids: list[int]) -> set[str]:
    """The names that these events and series have or had."""
    of_events = store.find_names_of_events(ctx, calendar, event_ids)
    of_series = store.find_names_of_series(ctx, calendar, series_ids)
    names = {of_events.get(event_id, f"event-{event_id}.ics") for event_id in event_ids}
    return names | {of_series.get(series_id, f"series-{series_id}.ics") for series_id in series_ids}


def _find_former_series(ctx: Context, event_ids: list[int]) -> set[int]:
    return {series_id for _, series_id in _find_former(ctx, event_ids)}


def _find_dates(ctx: Context, event_ids: list[int]) -> set[int]:
    """The given events that were dates of a series when they were deleted."""
    return {event_id for event_id, _ in _find_former(ctx, event_ids, only_deleted=True)}


def _find_former(ctx: Context, event_ids: list[int], *, only_deleted: bool = False) -> list[tuple[int, int]]:
    rows = store.find_before(ctx, event_ids, only_deleted=only_deleted)
    former = [(event_id, json.decode(before).get("series_id")) for event_id, before in rows]
    return [(event_id, series_id) for event_id, series_id in former if series_id is not None]
