"""The resources of a calendar: each is one event, one series with all its events, or a file that became neither.

What no client wrote is named for its id, `event-12.ics` or `series-7.ics`, and has no row of its own. Its ETag is made from the versions
that the API's ETags are made from."""

import re
from collections.abc import Iterable
from hashlib import blake2b

from msgspec import Struct, structs

from kalends.core import tokens
from kalends.core.records.calendar import Calendar
from kalends.dav.calendars import store
from kalends.dav.calendars.store import Item, Row, Tagged
from kalends.http.context import Context

DERIVED_NAME = re.compile(r"(event|series)-([1-9][0-9]{0,17})\.ics")


class Resource(Struct, gc=False):
    """A resource with its ETag in quotation marks; `is_changed` if an event was changed since a client wrote it."""

    name: str
    etag: str = ""
    updated_at: int = 0
    row: Row | None = None
    event_ids: tuple[int, ...] = ()
    series_ids: tuple[int, ...] = ()
    is_changed: bool = False
    state: str = ""

    @property
    def component(self) -> str:
        return self.row.component if self.row else "VEVENT"

    def schedule_tag(self, content: bytes) -> str:
        """The Schedule-Tag (RFC 6638, section 3.2.10), if the file is one of an organiser and guests."""
        if self.row is None or b"ORGANIZER" not in content or b"ATTENDEE" not in content:
            return ""
        # The versions of its events without the times at which they were touched: replies of guests leave these alone.
        versions = sorted("-".join(tag.split("-")[:2]) for tag in self.state.split(","))
        return f'"{self.row.id}-{self.row.schedule_version}-{blake2b(",".join(versions).encode(), digest_size=6).hexdigest()}"'

    @property
    def content_type(self) -> str:
        return f"text/calendar; charset=utf-8; component={self.component}"


def find_all(ctx: Context, calendar: Calendar) -> list[Resource]:
    events, series = store.find_events(ctx, calendar), store.find_series(ctx, calendar)
    return _build(events, series, store.find_all_rows(ctx, calendar))


def find_tags(ctx: Context, calendar: Calendar) -> list[Tagged | Resource]:
    """The names and ETags of all resources of the calendar, for lists: most of them without an object for what a client wrote."""
    events = store.find_tagged(ctx, calendar)
    rows = store.find_rows(ctx, (each.resource_id for each in events if not each.etag and each.resource_id))
    others = find_by_rows(ctx, calendar, rows + store.find_rows_alone(ctx, calendar))
    others += find_by_ids(ctx, calendar, [], (each.series_id for each in events if each.series_id))
    by_name = {resource.name: resource for resource in others}
    return [each for each in events if each.etag and each.name not in by_name] + list(by_name.values())


def find_by_ids(ctx: Context, calendar: Calendar, event_ids: Iterable[int], series_ids: Iterable[int]) -> list[Resource]:
    """The resources that these single events and series belong to, whole."""
    events, series = store.find_events(ctx, calendar, sorted(set(event_ids))), store.find_series(ctx, calendar, sorted(set(series_ids)))
    rows = store.find_rows(ctx, (item.resource_id for item in [*events, *series] if item.resource_id is not None))
    more_events, more_series = _find_items(ctx, calendar, rows)
    return _build(_unique(events + more_events), _unique(series + more_series), rows)


def find_by_rows(ctx: Context, calendar: Calendar, rows: list[Row]) -> list[Resource]:
    """The resources of these rows that are still there."""
    return _build(*_find_items(ctx, calendar, rows), rows)


def with_current_state(resource: Resource) -> Resource:
    """The resource after the versions of its events have been stored in its row."""
    assert resource.row
    row = structs.replace(resource.row, state=resource.state)
    return structs.replace(resource, row=row, etag=_etag_of(row), is_changed=False)


def find(ctx: Context, calendar: Calendar, name: str) -> Resource | None:
    return next(iter(find_by_names(ctx, calendar, [name]).values()), None)


def find_by_names(ctx: Context, calendar: Calendar, names: list[str]) -> dict[str, Resource]:
    """The given resources that exist, by name."""
    # Of events that no client wrote, one statement tells all.
    unwritten = store.find_unwritten_events(ctx, calendar, _derived_ids(names)["event"])
    by_name = {resource.name: resource for resource in _build(unwritten, [], [])}
    names = [name for name in names if name not in by_name]
    if not names:
        return by_name
    rows = store.find_rows_by_names(ctx, calendar, names)
    by_name |= {resource.name: resource for resource in find_by_rows(ctx, calendar, rows)}
    derived = _derived_ids(name for name in names if name not in by_name)
    others = find_by_ids(ctx, calendar, derived["event"], derived["series"])
    return by_name | {resource.name: resource for resource in others if resource.row is None}


def find_public(
    ctx: Context, calendar: Calendar, event_ids: list[int] | None = None, series_ids: list[int] | None = None
) -> list[Resource]:
    """What guests see on a public calendar, as no client had written any of it: all, or these single events and series."""
    public = _build(store.find_events(ctx, calendar, event_ids), store.find_series(ctx, calendar, series_ids), [])
    tag = public_tag(ctx, calendar)
    # Which dates of a series guests see has no version but the calendar's.
    return [structs.replace(each, etag=f'{each.etag[:-1]}-{tag}"') if each.series_ids else each for each in public]


def find_public_by_names(ctx: Context, calendar: Calendar, names: Iterable[str]) -> list[Resource]:
    """The given resources that guests see on a public calendar."""
    derived = _derived_ids(names)
    return find_public(ctx, calendar, sorted(set(derived["event"])), sorted(set(derived["series"])))


def public_tag(ctx: Context, calendar: Calendar) -> str:
    """Changes with what guests see on the calendar, and does not tell how often anything else has changed."""
    return tokens.derive(ctx.settings, "public calendar", f"{calendar.id}.{calendar.public_revision}")[:16]


def find_unwritten(ctx: Context, calendar_id: int, name: str) -> Resource | None:
    """The resource, if it is an event that no client wrote, and the actor is a member of the calendar. Reads a snapshot of its own."""
    event_ids = _derived_ids([name])["event"]
    item = store.find_unwritten_event(ctx, calendar_id, event_ids[0]) if event_ids else None
    return _build([item], [], [])[0] if item else None


def _derived_ids(names: Iterable[str]) -> dict[str, list[int]]:
    """The ids in the names of the service, of events and of series."""
    ids: dict[str, list[int]] = {"event": [], "series": []}
    for name in names:
        if match := DERIVED_NAME.fullmatch(name):
            ids[match[1]].append(int(match[2]))
    return ids


def _find_items(ctx: Context, calendar: Calendar, rows: list[Row]) -> tuple[list[Item], list[Item]]:
    """The single events and the series that these rows became."""
    event_ids, series_ids = store.find_parts(ctx, [row.id for row in rows if row.has_events])
    return store.find_events(ctx, calendar, event_ids), store.find_series(ctx, calendar, series_ids)


def _unique(items: list[Item]) -> list[Item]:
    return list({item.id: item for item in items}.values())


def _build(events: list[Item], series: list[Item], rows: list[Row]) -> list[Resource]:
    """The resources of the items, and the rows without events."""
    by_id = {row.id: row for row in rows}
    named: dict[int, Resource] = {}
    derived: list[Resource] = []
    for item in events:
        tag = f"{item.id}-{item.version}-{item.updated_at}"
        if row := by_id.get(item.resource_id or 0):
            resource = _add(named, row, tag, item)
            resource.event_ids += (item.id,)
        else:
            derived.append(Resource(f"event-{item.id}.ics", f'"{tag}"', item.updated_at, event_ids=(item.id,)))
    for item in series:
        tag = f"s{item.id}-{item.version}"
        if row := by_id.get(item.resource_id or 0):
            resource = _add(named, row, tag, item)
            resource.series_ids += (item.id,)
        else:
            derived.append(Resource(f"series-{item.id}.ics", f'"{tag}"', item.updated_at, series_ids=(item.id,)))
    for resource in named.values():
        _set_etag(resource)
    alone = [row for row in rows if not row.has_events and not row.gone]
    return derived + list(named.values()) + [Resource(row.name, _etag_of(row), row.written_at, row) for row in alone]


def _add(named: dict[int, Resource], row: Row, tag: str, item: Item) -> Resource:
    """Add the version of an event or a series to the resource of the row."""
    if resource := named.get(row.id):
        resource.state = f"{resource.state},{tag}"
        resource.updated_at = max(resource.updated_at, item.updated_at)
    else:
        resource = named[row.id] = Resource(row.name, updated_at=max(item.updated_at, row.written_at), row=row, state=tag)
    return resource


def _set_etag(resource: Resource) -> None:
    """The ETag of a resource that a client wrote stays as it is until a client or another user changes it."""
    row = resource.row
    assert row
    changed = ""
    if resource.state != row.state:
        resource.state = ",".join(sorted(resource.state.split(",")))
        resource.is_changed = resource.state != row.state
        changed = f"-{blake2b(resource.state.encode(), digest_size=6).hexdigest()}" if resource.is_changed else ""
    resource.etag = _etag_of(row, changed)


def _etag_of(row: Row, changed: str = "") -> str:
    return f'"r{row.id}-{row.version}{changed}"'
