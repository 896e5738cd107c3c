"""Create an event from the fields that a client sent."""

from kalends import policy
from kalends.core import errors
from kalends.core.records.calendar import TargetCalendar
from kalends.db import UniqueViolation
from kalends.features.events import present, store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.input_model import EventFields, EventInput
from kalends.features.events.model import PARTS, EventDetail
from kalends.features.events.rules import location, span, visibility
from kalends.features.events.rules.status import require_status_for_note
from kalends.http.context import Context


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
