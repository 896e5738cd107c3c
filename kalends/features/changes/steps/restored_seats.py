"""After an undo: the settings for responses of the events that it concerned, and the seats that are free for what it restored."""

from collections import defaultdict
from typing import Any

from kalends.core.records.event import Event
from kalends.core.records.response_settings import DEFAULTS, NAMES, ResponseSettings
from kalends.features.changes.rules.record import Content, Record, Records, is_restored_here
from kalends.features.changes.rules.tables import BY_KIND
from kalends.features.events import response_settings_store
from kalends.features.events import store as events
from kalends.features.events.steps import response_settings
from kalends.features.responses import store as responses
from kalends.features.responses.steps import seats
from kalends.http.context import Context


def restore(ctx: Context, records: Records) -> None:
    """Restore the settings, then let the restored responses ask for seats, and give those that are free to the queue."""
    by_event: dict[int, list[Record]] = defaultdict(list)
    for record in records.all:
        if record.kind in ("event", "settings", "response") and record.first.event_id is not None:
            by_event[record.first.event_id].append(record)
    for event in events.find_by_ids(ctx, sorted(by_event)):
        settings = [record for record in by_event[event.id] if is_restored_here(record, records)]
        for record in settings:
            response_settings.apply(ctx, event, _settings(record.before))
            response_settings_store.mark_changed(ctx, event.id)
        _claim(ctx, events.get(ctx, event.id) if settings else event, by_event[event.id], records)


def _claim(ctx: Context, event: Event, of_event: list[Record], records: Records) -> None:
    if event.settings.capacity is None:
        return
    if ("event", event.id) not in records.deleted:
        ids = [record.key[0] for record in of_event if record.kind == "response" and record.before]
        seats.claim_restored(ctx, event, sorted(responses.find_by_ids(ctx, ids), key=lambda response: response.id))
    seats.assign_free_seats(ctx, event.id)


def _settings(before: Content | None) -> ResponseSettings:
    if before is None:
        return DEFAULTS
    flags = BY_KIND["settings"].flags
    values: dict[str, Any] = {name: bool(before[name]) if name in flags else before[name] for name in NAMES}
    return ResponseSettings(**values)
