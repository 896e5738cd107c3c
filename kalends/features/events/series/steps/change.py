"""Change an event, several events, or an event with others of its series."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.records.response_settings import NAMES as SETTINGS
from kalends.core.values import datetimes
from kalends.features.events import present, store
from kalends.features.events.input_model import EventChanges, EventFields
from kalends.features.events.model import COORDINATES, PARTS
from kalends.features.events.rules import location, span, visibility
from kalends.features.events.rules.visibility import require_status_for_note
from kalends.features.events.series.steps import scope
from kalends.features.events.steps import response_settings
from kalends.http.context import Context
from kalends.http.input.fields import Changes
from kalends.http.input.tags import tagged
from kalends.policy import quotas

TIMES = ("start_time", "end_time", "all_day", "time_zone")
SELECTION = {"scope", "ids", "notify", "message", "calendar_id"}
# What events of a source have from there.
SOURCE_CONTENT = {*TIMES, "title", "description", "location", *PARTS, "status", "status_note"}
# Parameters that change neither times nor text.
NOT_TEXT = SELECTION | {"public", "visibility", "status", "status_note", "party_max", *SETTINGS}
NOT_TEXT |= {"online_url", "online_for", "price", "ticket_url", *COORDINATES}


def change(ctx: Context, event: Event, changes: Changes[EventChanges]) -> list[Event]:
    """Change the event and, with a wider scope, others of its series; return them as they were."""
    _require_own_content(ctx, [event], changes)
    which = changes.get("scope", "this")
    if event.series_id is None or which == "this":
        _take_quota(ctx, [event], changes)
        merged = _merge(event, changes)
        _update(ctx, event, merged)
        response_settings.save(ctx, event, merged)
        if set(changes.values) - SELECTION:
            store.mark_edited(ctx, [event.id])
        return [event]
    events = scope.find_events(ctx, event, which)
    _take_quota(ctx, events, changes)
    if which == "following":
        scope.split(ctx, event, events)
        event = store.get(ctx, event.id)
    merged = _merge(event, changes)
    _update(ctx, event, merged)
    content = Changes(EventChanges, {name: value for name, value in changes.values.items() if name not in TIMES})
    others = [(other, _merge(other, content)) for other in events if other.id != event.id]
    if _has_new_date(event, merged):
        _plan_postponed(others)
    has_new_text = bool(set(content.values) - NOT_TEXT)
    if len(content.values) < len(changes.values):
        scope.move(ctx, event, store.get(ctx, event.id), others, has_new_text=has_new_text)
    else:
        _update_each(ctx, "scope", others, has_new_text=has_new_text)
    for each, fields in [(event, merged), *others]:
        response_settings.save(ctx, each, fields)
    return events


def change_each(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> None:
    """Change several events, each alone."""
    _require_own_content(ctx, events, changes)
    merged = [(event, _merge(event, changes)) for event in events]
    _update_each(ctx, "ids", merged, has_new_text=bool(set(changes.values) - NOT_TEXT - set(TIMES)))
    for event, fields in merged:
        response_settings.save(ctx, event, fields)
    if set(changes.values) - SELECTION:
        store.mark_edited(ctx, [event.id for event in events])


def differs(ctx: Context, event: Event, changes: Changes[EventChanges]) -> bool:
    """Whether the changes would change the event."""
    merged = _merge(event, changes)
    return store.differs(ctx, event, merged, span.resolve(merged, event.time_zone))


def require_one_event_for_scope(ids: list[int] | None, which: str) -> None:
    """Refuse a wider scope together with `ids`."""
    if ids and which != "this":
        raise errors.invalid("scope", gettext("works with a single event only, not with ids"), "conflict")


@contextmanager
def refuse_overflow(field: str) -> Iterator[None]:
    """Turn the overflow of a series that would reach beyond the year 9999 into an error of the field."""
    try:
        yield
    except OverflowError:
        raise errors.invalid(field, gettext("would take the series beyond the year 9999. Choose an earlier date"), "too_large") from None


def _require_own_content(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> None:
    """Refuse to change what a source says of the events. A form sends all fields: those that stay as they are may be sent."""
    sent = SOURCE_CONTENT & set(changes.values)
    if not sent and changes.get("scope", "this") != "following":
        return
    content = Changes(EventChanges, {name: value for name, value in changes.values.items() if name in sent})
    changed = [each for each in events if changes.get("scope", "this") == "following" or differs(ctx, each, content)]
    policy.require_own_content(ctx, changed)


def _take_quota(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> None:
    """Count a longer description towards the quota of the events' owner. (All other texts are short.)"""
    length = len(changes.get("description") or "")
    growth = sum(max(0, length - len(event.description or "")) for event in events)
    quotas.reserve(ctx, events[0].owner_id, "events", 0, 2 * growth)


def _update(ctx: Context, event: Event, fields: EventFields) -> None:
    store.update(ctx, event.id, fields, span.resolve(fields, event.time_zone))


def _update_each(ctx: Context, param: str, merged: list[tuple[Event, EventChanges]], *, has_new_text: bool) -> None:
    rows = [(event.id, fields, span.resolve(fields, event.time_zone)) for event, fields in merged]
    store.update_each(ctx, param, rows, has_new_text=has_new_text)


def _has_new_date(event: Event, fields: EventFields) -> bool:
    """Whether a postponed event is planned again with a new start."""
    return event.status == "postponed" and fields.status == "planned" and _moves(event, fields)


def _plan_postponed(others: list[tuple[Event, EventChanges]]) -> None:
    """Plan the postponed dates that move with a postponed one."""
    for other, fields in others:
        if other.status == "postponed":
            fields.status, fields.status_note = "planned", None


def _moves(event: Event, fields: EventFields) -> bool:
    return span.resolve(fields, event.time_zone).start_at != event.start_at


def _merge(event: Event, changes: Changes[EventChanges]) -> EventChanges:
    """The event's editable fields with the changes applied."""
    stored = present.editable(event.whole)
    merged = changes.over(EventChanges(**structs.asdict(stored)))
    if "start_time" in changes:
        start = datetimes.parse(merged.start_time)
        merged.time_zone = changes.get("time_zone") or start.zone
        if "all_day" not in changes:
            merged.all_day = None
            if "end_time" not in changes and start.is_date != event.all_day:
                merged.end_time = None
    merged.time_zone = merged.time_zone or event.time_zone
    visibility.change(event, merged, changes)
    _complete_status(event, merged, changes)
    if merged.tag:
        merged.tag_list = tagged(merged.tag_list, merged.tag)
    merged = location.complete(merged, set(changes.values))
    if merged.location != stored.location and changes.values.keys().isdisjoint(COORDINATES):
        # They were those of another place.
        merged.latitude = merged.longitude = None
    return merged


def _complete_status(event: Event, merged: EventChanges, changes: Changes[EventChanges]) -> None:
    """Plan a postponed event that gets a new start, and remove the note of a planned one."""
    keeps_status = event.status != "postponed" or "status" in changes or "start_time" not in changes
    if not keeps_status and _moves(event, merged):
        merged.status = "planned"
    if merged.status == "planned":
        require_status_for_note(merged.status, changes.get("status_note"))
        merged.status_note = None
