"""The content of resources: what a client wrote, byte for byte, until someone changes it here; else what the service writes."""

import zlib
from collections.abc import Sequence
from functools import lru_cache

from msgspec import structs

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.dav.calendars import privacy, store
from kalends.dav.calendars.resources import Resource
from kalends.db import Database
from kalends.features.events import store as event_store
from kalends.features.events.feeds.steps import feed, ical
from kalends.features.events.invitations.steps.calendar_part import STATUSES
from kalends.http.context import LAST_MODIFIED_DELAY, Context
from kalends.ical import participants
from kalends.ical.merge import add_participants, merge

# The SCHEDULE-STATUS of a mail that cannot be delivered (RFC 6638, section 3.2.9).
BOUNCED = "5.2"
# How many files of events are cached, and the octets of the largest one.
MAX_CACHED, MAX_CACHED_OCTETS = 2_000, 4_000


def read(ctx: Context, calendar: Calendar, resource: Resource) -> bytes:
    return read_all(ctx, calendar, [resource])[resource.name]


def read_all(ctx: Context, calendar: Calendar, resources: Sequence[Resource]) -> dict[str, bytes]:
    """The files of the resources by name, in a few statements for all of them."""
    files = store.find_files(ctx, [resource.row.id for resource in resources if resource.row])
    cache = _file_cache(ctx.db, ctx.settings.url)
    texts = {resource.name: file for resource in resources if (file := cache.get(resource.etag))}
    missing = [resource for resource in resources if resource.name not in texts]
    events = load_events(ctx, calendar, missing)
    # What a client wrote may say of the place or the link in ways that the service does not know: not for readers who must not know them.
    partial = {name for name, listed in events.items() if not all(event.is_whole for event in listed)}
    built = [resource for resource in missing if resource.row is None or resource.is_changed or resource.name in partial]
    texts |= _build_loaded(ctx, calendar, built, events)
    _fill_cache(ctx, cache, [each for each in built if all(event.withheld is None for event in events[each.name])], texts)
    for resource in resources:
        if resource.row:
            stored = files[resource.row.id]
            original = zlib.decompress(stored.original)
            current = texts.get(resource.name)
            if resource.name in partial and current:
                texts[resource.name] = add_participants(original, current)
            else:
                texts[resource.name] = merge(original, zlib.decompress(stored.base), current) if current else original
    _add_replies(ctx, [each for each in resources if each.row and each.row.has_events and b"ATTENDEE" in texts[each.name]], texts)
    return texts


def find_cached(ctx: Context, resource: Resource) -> bytes | None:
    """The file of an event that no client wrote, if it is in memory."""
    return _file_cache(ctx.db, ctx.settings.url).get(resource.etag)


@lru_cache(maxsize=10)
def _file_cache(db: Database, url: str) -> dict[str, bytes]:
    """What the service wrote of single events, by their ETags: the devices of all members of a calendar read the same."""
    return {}


def _fill_cache(ctx: Context, cache: dict[str, bytes], resources: Sequence[Resource], texts: dict[str, bytes]) -> None:
    """Cache the files of events that no running transaction has changed: the ETag would be the same in one second."""
    # Of a series, users may see different dates.
    single = [each for each in resources if each.row is None and not each.series_ids and each.updated_at < ctx.now - LAST_MODIFIED_DELAY]
    small = {each.etag: texts[each.name] for each in single[:MAX_CACHED] if len(texts[each.name]) <= MAX_CACHED_OCTETS}
    if len(cache) + len(small) > MAX_CACHED:
        cache.clear()
    cache |= small


def _add_replies(ctx: Context, resources: Sequence[Resource], texts: dict[str, bytes]) -> None:
    """Put the responses of those who are invited into the files, their PARTSTAT, and whose invitation has come back."""
    if not resources:
        return
    event_ids = [each for resource in resources for each in resource.event_ids]
    series_ids = [each for resource in resources for each in resource.series_ids]
    replies = [("event", event_id, "", key, response) for event_id, key, response in store.find_replies_to_events(ctx, event_ids)]
    replies += [("series", *row) for row in store.find_replies_to_series(ctx, series_ids)]
    statuses: dict[tuple[str, int], dict[str, dict[str, str]]] = {}
    for kind, record_id, slot, key, response in replies:
        statuses.setdefault((kind, record_id), {}).setdefault(slot.replace("-", ""), {})[key] = STATUSES[response]
    bounced: dict[tuple[str, int], dict[str, str]] = {}
    for kind, record_id, key in store.find_bounced(ctx, event_ids, series_ids):
        bounced.setdefault((kind, record_id), {})[key] = BOUNCED
    for resource in resources:
        for part in (*(("event", each) for each in resource.event_ids), *(("series", each) for each in resource.series_ids)):
            if part in statuses:
                texts[resource.name] = participants.set_statuses(texts[resource.name], statuses[part])
            if part in bounced:
                texts[resource.name] = participants.set_delivery(texts[resource.name], bounced[part], only_known=True)


def build_all(ctx: Context, calendar: Calendar, resources: Sequence[Resource]) -> dict[str, bytes]:
    """What the service itself writes of the events of the resources."""
    return _build_loaded(ctx, calendar, resources, load_events(ctx, calendar, resources))


def _build_loaded(ctx: Context, calendar: Calendar, resources: Sequence[Resource], events: dict[str, list[Event]]) -> dict[str, bytes]:
    series_ids = sorted({series_id for resource in resources for series_id in resource.series_ids})
    series, exceptions = feed.load_series(ctx, series_ids)
    texts: dict[str, bytes] = {}
    for resource in resources:
        classes = privacy.class_of if resource.row else privacy.class_if_unusual(calendar)
        components, years = feed.format_loaded(ctx, events[resource.name], series, exceptions, classes)
        texts[resource.name] = ical.join_file(components, years, method="")
    return texts


def build(ctx: Context, events: list[Event], series_ids: list[int]) -> bytes:
    """What the service writes of these events in the file of a client: single ones, or all of a series."""
    events = policy.reveal_all(ctx, events)
    series, exceptions = feed.load_series(ctx, series_ids)
    own = events if series_ids else [_as_single(event) for event in events]
    return ical.join_file(*feed.format_loaded(ctx, own, series, exceptions, privacy.class_of), method="")


def load_events(ctx: Context, calendar: Calendar, resources: Sequence[Resource]) -> dict[str, list[Event]]:
    """The events of each resource in the order of their start, by its name, with what the reader may know of them."""
    ids = [each for resource in resources for each in resource.event_ids]
    singles = {event.id: event for event in policy.reveal_all(ctx, event_store.find_by_ids(ctx, ids))}
    series_ids = sorted({series_id for resource in resources for series_id in resource.series_ids})
    in_series: dict[int | None, list[Event]] = {}
    placed = policy.reveal_all(ctx, event_store.find_placed_series(ctx, calendar, series_ids)) if series_ids else []
    for event in placed:
        in_series.setdefault(event.series_id, []).append(event)
    events: dict[str, list[Event]] = {}
    for resource in resources:
        own = [_as_single(singles[event_id]) for event_id in resource.event_ids if event_id in singles]
        own += [event for series_id in resource.series_ids for event in in_series.get(series_id, [])]
        events[resource.name] = sorted(own, key=lambda event: (event.start_at, event.id))
    return events


def _as_single(event: Event) -> Event:
    """The event; a date of a series that is on a calendar without the others has nothing of the series."""
    return event if event.series_id is None else structs.replace(event, series_id=None, slot=None, sent_uid=event.uid, rrule=None)
