"""What a change makes of an event, and of the series that it belongs to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from msgspec import structs

from kalends import errors, quotas
from kalends.context import Context
from kalends.events import location, span, store
from kalends.events.input import EventChanges, EventFields
from kalends.events.model import MAX_LOCATION, PARTS, Event
from kalends.events.series import scope
from kalends.http.input.fields import Changes
from kalends.http.input.tags import tagged
from kalends.values import datetimes

T = TypeVar("T", bound=EventFields)

TIMES = ("start_time", "end_time", "all_day", "time_zone")
# What is neither a time nor text.
OTHER = {"scope", "ids", "public"}


def change(ctx: Context, event: Event, changes: Changes[EventChanges]) -> None:
    """Change the event and, in a wider scope, those of its series."""
    wider = changes.get("scope", "this")
    if event.series_id is None or wider == "this":
        _take_text(ctx, [event], changes)
        _write(ctx, event, _merged(event, changes))
        if set(changes.given) - {"scope", "ids"}:
            store.mark_edited(ctx, event.id)
        return
    chosen = scope.chosen(ctx, event, wider)
    _take_text(ctx, chosen, changes)
    if wider == "following":
        scope.split(ctx, event, chosen)
        event = store.get(ctx, event.id)
    others = [each for each in chosen if each.id != event.id]
    _write(ctx, event, _merged(event, changes))
    content = Changes(EventChanges, {name: value for name, value in changes.given.items() if name not in TIMES})
    written = [(other, _merged(other, content)) for other in others]
    has_new_text = bool(set(content.given) - OTHER)
    if len(content.given) < len(changes.given):
        scope.move(ctx, event, store.get(ctx, event.id), written, has_new_text=has_new_text)
    else:
        _write_each(ctx, "scope", written, has_new_text=has_new_text)


def change_each(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> None:
    """Change several events, each alone."""
    written = [(event, _merged(event, changes)) for event in events]
    _write_each(ctx, "ids", written, has_new_text=bool(set(changes.given) - OTHER - set(TIMES)))
    if set(changes.given) - {"scope", "ids"}:
        for event in events:
            store.mark_edited(ctx, event.id)


def _write_each(ctx: Context, field: str, written: list[tuple[Event, EventChanges]], *, has_new_text: bool) -> None:
    rows = [(event.id, fields, span.resolved(fields, event.time_zone)) for event, fields in written]
    store.update_each(ctx, field, rows, has_new_text=has_new_text)


def one_or_many(ids: list[int] | None, wider: str) -> None:
    if ids and wider != "this":
        raise errors.invalid("scope", "goes with one event alone, not with ids", "conflict")


@contextmanager
def within_the_calendar(field: str) -> Iterator[None]:
    """A series may begin within the calendar and be moved out of it."""
    try:
        yield
    except OverflowError:
        raise errors.invalid(field, "the series would reach beyond the year 9999", "too_large") from None


def _take_text(ctx: Context, events: list[Event], changes: Changes[EventChanges]) -> None:
    """A longer description counts towards the quota of the events' owner. (All other texts are short.)"""
    length = len(changes.get("description") or "")
    grown = sum(max(0, length - len(event.description or "")) for event in events)
    quotas.reserve(ctx, events[0].owner_id, "events", 0, 2 * grown)


def _write(ctx: Context, event: Event, fields: EventFields) -> None:
    store.update(ctx, event.id, fields, span.resolved(fields, event.time_zone))


def _merged(event: Event, changes: Changes[EventChanges]) -> EventChanges:
    """The event's fields with the changes in their place."""
    merged = changes.over(EventChanges(**structs.asdict(store.editable(event))))
    if "start_time" in changes:
        start = datetimes.parse(merged.start_time)
        merged.time_zone = changes.get("time_zone") or start.zone
        if "all_day" not in changes:
            merged.all_day = None
            if "end_time" not in changes and start.is_date != event.all_day:
                merged.end_time = None
    merged.time_zone = merged.time_zone or event.time_zone
    merged.public = event.public if merged.public is None else merged.public
    if merged.tag:
        merged.tag_list = tagged(merged.tag_list, merged.tag)
    return located(merged, set(changes.given))


def located(fields: T, given: set[str]) -> T:
    """Parts follow from a location that comes alone, and a location from parts that come alone."""
    parts = given & set(PARTS)
    if "location" in given and not parts:
        return structs.replace(fields, **location.derived(fields.location))
    if parts and "location" not in given:
        composed = location.composed({name: getattr(fields, name) for name in PARTS})
        if composed and len(composed) > MAX_LOCATION:
            raise errors.invalid("location", f"its parts together must have at most {MAX_LOCATION} characters", "too_long")
        return structs.replace(fields, location=composed)
    return fields
