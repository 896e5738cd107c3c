"""After an undo: the settings for responses of the events that it concerned, and the seats that are free for what it restored."""

from collections import defaultdict
from typing import Any

from kalends.changes.record import Content, Record, Records
from kalends.changes.tables import BY_KIND
from kalends.context import Context
from kalends.events import response_settings
from kalends.events import store as events
from kalends.records.event import Event
from kalends.records.response_settings import DEFAULTS, NAMES, ResponseSettings
from kalends.responses import seats
from kalends.responses import store as responses

# What a response held is given to others when it is deleted or changed, so an undo does not restore it by itself.
_SEATS: Content = {"held": 0, "offered": 0, "offer_until": None, "queued_at": None, "queued_for": 0}


def is_restored_here(record: Record, records: Records) -> bool:
    """Whether these are settings of an event that stayed: they are replaced with all that follows from them."""
    return record.kind == "settings" and ("event", record.first.event_id) not in records.deleted


def without_seats(record: Record, content: Content, records: Records) -> Content:
    """The row of a response without its seats, unless they are restored together with the event."""
    if record.kind != "response" or ("event", record.first.event_id) in records.deleted:
        return content
    if not record.is_there:
        return content | _SEATS
    return {name: value for name, value in content.items() if name not in _SEATS and name != "accepted_for"}


def settle(ctx: Context, records: Records) -> None:
    """Restore the settings, then let the restored responses ask for seats, and give those that are free to the queue."""
    by_event: dict[int, list[Record]] = defaultdict(list)
    for record in records.all:
        if record.kind in ("event", "settings", "response") and record.first.event_id is not None:
            by_event[record.first.event_id].append(record)
    for event in events.find_by_ids(ctx, sorted(by_event)):
        settings = [record for record in by_event[event.id] if is_restored_here(record, records)]
        for record in settings:
            response_settings.apply(ctx, event, _settings(record.before))
            response_settings.mark_changed(ctx, event.id)
        _claim(ctx, events.get(ctx, event.id) if settings else event, by_event[event.id], records)


def _claim(ctx: Context, event: Event, of_event: list[Record], records: Records) -> None:
    if event.settings.capacity is None:
        return
    if ("event", event.id) not in records.deleted:
        ids = [record.key[0] for record in of_event if record.kind == "response" and record.before]
        seats.claim_restored(ctx, event, sorted(responses.find_by_ids(ctx, ids), key=lambda response: response.id))
    seats.settle(ctx, event.id)


def _settings(before: Content | None) -> ResponseSettings:
    if before is None:
        return DEFAULTS
    flags = BY_KIND["settings"].flags
    values: dict[str, Any] = {name: bool(before[name]) if name in flags else before[name] for name in NAMES}
    return ResponseSettings(**values)
