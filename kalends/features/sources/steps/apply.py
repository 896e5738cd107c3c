"""Apply what a source has now, in steps that are each done or not: a run that is interrupted is finished by the next one."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial

from msgspec import Struct, structs

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.core.records.source import Source, SourceItem
from kalends.core.values import datetimes
from kalends.db.database import batches
from kalends.features.events import store as event_store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.imports.rules.incoming import IncomingSeries
from kalends.features.events.imports.steps import existing
from kalends.features.events.imports.steps.apply import ImportWriter, match_single_event
from kalends.features.events.imports.steps.existing import Existing
from kalends.features.events.imports.steps.file import find_conflict, find_hidden
from kalends.features.events.imports.steps.plan import split_batches
from kalends.features.events.series import store as series_store
from kalends.features.events.steps.notify import notify_of_changes, notify_of_deletion
from kalends.features.sources import item_store, store
from kalends.features.sources.rules.compare import Decision
from kalends.features.sources.steps.read import Feed
from kalends.http.context import Context

# UIDs in one transaction that are removed.
REMOVED_AT_ONCE = 50
MAX_NOTE = 500


class Lost(Exception):
    """Another run has the source now, or it is gone: this one writes nothing more."""


class Applied(Struct):
    """How many UIDs were created, changed and removed."""

    created: int = 0
    changed: int = 0
    removed: int = 0


def apply(ctx: Context, source: Source, feed: Feed, decision: Decision) -> Applied:
    """Do what was decided. The writer of the database is free between the steps."""
    applied = Applied()
    incoming = [feed.items[uid].incoming for uid in (*decision.create, *decision.change)]
    saved = [partial(_save, ctx, source, feed, batch, applied) for batch in (split_batches(incoming) if incoming else [])]
    removed = [partial(_remove, ctx, source, list(uids), applied) for uids in batches(decision.remove, REMOVED_AT_ONCE)]
    for number, step in enumerate([*saved, *removed]):
        if number:
            ctx.db.yield_to_other_writers()
        with ctx.write(alone=True, is_last=False):
            if not store.holds(ctx, source):
                raise Lost
            step()
    return applied


def end(ctx: Context, source: Source, *, keep_events: bool) -> None:
    """Stop following. The events become ordinary ones, or go as they would if the source had none of them any more."""
    while not keep_events:
        with ctx.write(alone=True, is_last=False):
            items = item_store.find_some(ctx, source.id, REMOVED_AT_ONCE)
            _remove(ctx, source, [item.uid for item in items], Applied())
            # What is over or cancelled stays.
            item_store.delete(ctx, source.id, [item.uid for item in items])
        if len(items) < REMOVED_AT_ONCE:
            break
        ctx.db.yield_to_other_writers()
    with ctx.write():
        item_store.touch_calendars(ctx, source.id)
        store.delete(ctx, source.id)


def _save(ctx: Context, source: Source, feed: Feed, batch: list[IncomingSeries], applied: Applied) -> None:
    """Create and change the events of a batch, together with what is known of them."""
    calendar = _calendar(ctx, source)
    by_uid.lock(ctx, calendar.id)
    uids = {series.uid for series in batch}
    items = item_store.find(ctx, source.id, uids)
    here = existing.find(ctx, calendar, uids, uids, uids)
    hidden = find_hidden(ctx, here)
    writer = ImportWriter(ctx, calendar, None, owner_id=source.user_id)
    saved, before, others = list[IncomingSeries](), list[Event](), list[Event]()
    for series in batch:
        item, record = items.get(series.uid), here.get(series.uid, Existing())
        if not _is_ours(item, record):
            if item:
                # It was deleted or detached here: what the source says of it is noted, and nothing else.
                item_store.save(ctx, [structs.replace(item, digest=feed.items[series.uid].digest)])
            continue
        if find_conflict(series, record, hidden, set()):
            continue
        before += record.events.values()
        others += _keep_own(series, record)
        outcome = writer.add(series, record)
        applied.created += outcome == "imported"
        applied.changed += outcome == "updated"
        saved.append(series)
    writer.write()
    removed = _remove_events(ctx, source, others)
    _end_rules(ctx, {each.series_id for each in others} - {writer.find_ids(series.uid)[1] for series in saved})
    notify_of_changes(ctx, [event for event in before if event.id not in removed], "auto", None)
    item_store.save(ctx, [_item(source, series.uid, feed, writer) for series in saved])


def _calendar(ctx: Context, source: Source) -> Calendar:
    """The calendar, as visible as new events of the source are."""
    return structs.replace(policy.calendar(ctx, source.calendar_id, to=policy.Right.EDIT), public=source.public)


def _item(source: Source, uid: str, feed: Feed, writer: ImportWriter) -> SourceItem:
    event_id, series_id = writer.find_ids(uid)
    return SourceItem(source.id, uid, feed.items[uid].digest, event_id, series_id, feed.items[uid].page_url)


def _is_ours(item: SourceItem | None, record: Existing) -> bool:
    """Whether the source may write it: it is new to the calendar, or what the source has there."""
    if item is None:
        return not record.events and record.series is None
    if item.series_id is not None and record.series is not None:
        return bool(record.events) and record.series.id == item.series_id
    return any(event.id == item.event_id for event in record.events.values())


def _keep_own(series: IncomingSeries, record: Existing) -> list[Event]:
    """Let what is ours survive: tags and pictures. Returns the dates that the source has no longer, which are taken out of the record."""
    match_single_event(series, record)
    others = [record.events.pop(slot) for slot in sorted(record.events) if slot not in series.events]
    for slot, old in record.events.items():
        event = series.events[slot]
        columns = event.content.columns | {"tags": old.tags, "image_url": old.image_url, "image_alt": old.image_alt}
        columns["search"] = event_store.search_column(columns)
        series.events[slot] = structs.replace(event, content=structs.replace(event.content, columns=columns))
        # What was changed alone here is ours, and the rest is as the source has it.
        record.events[slot] = structs.replace(old, edited=event.edited)
    return others


def _remove(ctx: Context, source: Source, uids: list[str], applied: Applied) -> None:
    """Remove what the source has no longer. What stays is known as such."""
    items = item_store.find(ctx, source.id, uids)
    series_ids = [item.series_id for item in items.values() if item.series_id is not None]
    events = event_store.find_by_series(ctx, series_ids)
    events += event_store.find_by_ids(ctx, [item.event_id for item in items.values() if item.event_id is not None])
    gone = _remove_events(ctx, source, events)
    _end_rules(ctx, set(series_ids))
    left = [event for event in events if event.id not in gone]
    of_series, singles = {event.series_id for event in left}, {event.id for event in left}
    stays = [item for item in items.values() if item.event_id in singles or (item.series_id is not None and item.series_id in of_series)]
    item_store.save(ctx, [structs.replace(item, digest="") for item in stays])
    item_store.delete(ctx, source.id, [uid for uid in items if items[uid] not in stays])
    applied.removed += len(items)


def _remove_events(ctx: Context, source: Source, events: Iterable[Event]) -> set[int]:
    """Delete coming events to which nobody has responded, and cancel the others; what has begun stays. Returns what was deleted."""
    coming = {event.id: event for event in events if event.start_at > ctx.now}
    event_store.lock_events(ctx, list(coming))
    kept = item_store.find_with_responses(ctx, list(coming)) if coming else set()
    cancelled = [event for event in coming.values() if event.id in kept and event.status != "cancelled"]
    if cancelled:
        item_store.cancel(ctx, [event.id for event in cancelled], f"No longer in {source.name}"[:MAX_NOTE])
        notify_of_changes(ctx, cancelled, "auto", None)
    deleted = [event for event in coming.values() if event.id not in kept]
    notify_of_deletion(ctx, deleted, "one", "auto", None)
    event_store.delete(ctx, [event.id for event in deleted])
    return {event.id for event in deleted}


def _end_rules(ctx: Context, series_ids: Iterable[int | None]) -> None:
    """End the rules of series that the source has no longer, so that they get no more dates."""
    tomorrow = (datetimes.to_local(ctx.now, "UTC").date() + timedelta(days=1)).isoformat()
    for series_id in sorted(each for each in series_ids if each is not None):
        series_store.delete_if_empty(ctx, series_id)
        if series_store.find_by_ids(ctx, [series_id]):
            series_store.end_before(ctx, series_id, tomorrow)
