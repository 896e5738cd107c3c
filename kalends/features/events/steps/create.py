"""Create an event, or many, from the fields that a client sent."""

from msgspec import structs

from kalends import policy
from kalends.core import errors
from kalends.core.records.calendar import TargetCalendar
from kalends.db import UniqueViolation
from kalends.features.events import present, store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.input_model import EventFields, EventInput
from kalends.features.events.model import PARTS, EventDetail
from kalends.features.events.rules import location, span, visibility
from kalends.features.events.rules.visibility import require_status_for_note
from kalends.features.events.store import NewEvent
from kalends.http.context import Context
from kalends.http.input.batch import name_field


def create_event(ctx: Context, params: EventInput) -> EventDetail:
    """Create the event on the calendar `calendar_id`, or on the actor's primary calendar."""
    calendar = policy.calendar_for_new_event(ctx, params.calendar_id)
    if params.uid is not None:
        by_uid.require_free(ctx, calendar.id, params.uid)
    return create_on(ctx, calendar, params)


def create_on(ctx: Context, calendar: TargetCalendar, params: EventInput) -> EventDetail:
    """Create the event on this calendar, which has no event with its UID."""
    try:
        return insert_event(ctx, complete(params), calendar, uid=params.uid)
    except UniqueViolation:
        # An event with this UID has just got the calendar as its new home.
        raise errors.UidTaken from None


def complete(params: EventInput) -> EventFields:
    """The fields of a new event, with those that follow from others."""
    require_status_for_note(params.status, params.status_note)
    sent = {name for name in ("location", *PARTS) if getattr(params, name)}
    return location.complete(params, sent)


def insert_event(ctx: Context, fields: EventFields, calendar: TargetCalendar, *, uid: str | None = None) -> EventDetail:
    """Insert the event with the actor as its owner; by default, it is as visible as its calendar."""
    fields = visibility.complete(fields, calendar)
    event = store.insert(ctx, fields, span.resolve(fields, calendar.time_zone), calendar, uid=uid)
    ctx.tag(event.etag, with_body_hash=True)
    return present.new_detail(ctx, event, calendar)


def create_events(ctx: Context, params: list[EventInput]) -> list[EventDetail]:
    """Create the events, each on its calendar."""
    calendars = _find_calendars(ctx, params)
    _require_free(ctx, params, calendars)
    new_events, broken = [], []
    for number, each in enumerate(params):
        try:
            new_events.append(_prepare(each, calendars[each.calendar_id]))
        except errors.Invalid as invalid:
            broken += [structs.replace(error, field=name_field(number, error.field)) for error in invalid.errors]
    if broken:
        raise errors.Invalid(broken)
    try:
        events = store.insert_batch(ctx, new_events)
    except UniqueViolation:
        raise errors.UidTaken from None
    return [present.new_detail(ctx, event, new.calendar) for event, new in zip(events, new_events, strict=True)]


def _find_calendars(ctx: Context, batch: list[EventInput]) -> dict[int | None, TargetCalendar]:
    calendars: dict[int | None, TargetCalendar] = {}
    for number, params in enumerate(batch):
        if params.calendar_id not in calendars:
            field = name_field(number, "calendar_id")
            calendars[params.calendar_id] = policy.calendar_for_new_event(ctx, params.calendar_id, field=field)
    return calendars


def _require_free(ctx: Context, batch: list[EventInput], calendars: dict[int | None, TargetCalendar]) -> None:
    """Raise an error if a UID is taken, or comes twice for the same calendar."""
    positions: dict[tuple[int, str], int] = {}
    named = [(number, params.uid, calendars[params.calendar_id]) for number, params in enumerate(batch) if params.uid is not None]
    for calendar_id in sorted({calendar.id for _, _, calendar in named}):
        by_uid.lock(ctx, calendar_id)
    for number, uid, calendar in named:
        first = positions.setdefault((calendar.id, uid), number)
        if first != number:
            raise errors.invalid(name_field(number, "uid"), f"is that of the event {first} of the list, too", "taken")
        by_uid.require_free(ctx, calendar.id, uid, name_field(number, "uid"))


def _prepare(params: EventInput, calendar: TargetCalendar) -> NewEvent:
    fields = visibility.complete(complete(params), calendar)
    return NewEvent(fields, span.resolve(fields, calendar.time_zone), calendar, params.uid)
