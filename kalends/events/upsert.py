"""Create or change the event with a UID, for programs that copy events from elsewhere."""

from msgspec import structs

from kalends import policy
from kalends.context import Context
from kalends.events import by_uid, present, store
from kalends.events.create import create_on
from kalends.events.input import EventChanges, EventInput, EventUpsert
from kalends.events.model import EventDetail
from kalends.events.series import change
from kalends.http.input.fields import Changes, Params
from kalends.policy import Right

_NOT_CHANGED = {"uid", "calendar_id"}


def upsert_event(ctx: Context, params: Params[EventUpsert]) -> EventDetail:
    """Change the event or the whole series with the UID on the calendar, or create an event. Nothing is written if nothing differs."""
    calendar = policy.calendar_for_new_event(ctx, params.value.calendar_id)
    by_uid.lock(ctx, calendar.id)
    event_id = by_uid.find(ctx, calendar.id, params.value.uid)
    ctx.require_existence(event_id is not None)
    if event_id is None:
        return create_on(ctx, calendar, EventInput(**structs.asdict(params.value)))
    ctx.status = 200
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    ctx.require_version(event.etag)
    sent = {name: getattr(params.value, name) for name in params.names - _NOT_CHANGED}
    changes = Changes(EventChanges, sent | {"scope": "all"})
    with change.refuse_overflow("start_time"):
        if change.differs(event, changes):
            change.change(ctx, event, changes)
    return present.load_detail(ctx, event_id)
