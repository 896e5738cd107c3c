"""Create or change the event with a UID, for programs that copy events from elsewhere."""

from datetime import date, timedelta
from typing import Any

from msgspec import structs

from kalends import policy
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.deliveries.model import Notified
from kalends.features.events import present, store
from kalends.features.events import uid_store as by_uid
from kalends.features.events.input_model import EventChanges, EventInput, EventUpsert
from kalends.features.events.model import EventDetail
from kalends.features.events.series import store as series_store
from kalends.features.events.series.steps import change
from kalends.features.events.steps.create import create_on
from kalends.features.events.steps.notify import notify_of_update
from kalends.http.context import Context
from kalends.http.input.fields import Changes, Params
from kalends.http.input.tags import tagged
from kalends.policy import Right

_NOT_CHANGED = {"uid", "calendar_id"}


def upsert_event(ctx: Context, params: Params[EventUpsert]) -> EventDetail:
    """Change the event or the whole series with the UID on the calendar, or create an event. Nothing is written if nothing differs."""
    calendar = policy.calendar_for_new_event(ctx, params.value.calendar_id)
    by_uid.lock(ctx, calendar.id)
    event_id = by_uid.find(ctx, calendar.id, params.value.uid)
    ctx.require_existence(event_id is not None)
    if event_id is None:
        return create_on(ctx, calendar, _to_input(params.value))
    ctx.status = 200
    store.lock(ctx, [event_id])
    event = policy.event(ctx, event_id, to=Right.EDIT)
    ctx.require_version(event.etag)
    sent = {name: getattr(params.value, name) for name in params.names - _NOT_CHANGED}
    with change.refuse_overflow("start_time"):
        event, sent = _choose_date(ctx, event, sent)
        changes = Changes(EventChanges, sent | {"scope": "all"})
        notified = notify_of_update(ctx, change.change(ctx, event, changes), changes) if change.differs(ctx, event, changes) else Notified()
    return structs.replace(present.load_detail(ctx, event_id), notified=notified)


def _to_input(fields: EventUpsert) -> EventInput:
    """The fields of a new event. Its `tag` is one of its tags."""
    values = structs.asdict(fields)
    tag = values.pop("tag")
    return EventInput(**values | ({"tag_list": tagged(fields.tag_list, tag)} if tag else {}))


def _choose_date(ctx: Context, first: Event, sent: dict[str, Any]) -> tuple[Event, dict[str, Any]]:
    """The date of the series that the times are for, and the times on that date.

    They are for the first event if they are on its day. Otherwise they are for the first date of the rule: programs do not know that
    it was deleted here or moved alone. The first date that was not changed then stands for it."""
    if first.series_id is None or _is_meant(first, sent):
        return first, sent
    rule = series_store.get(ctx, first.series_id).rule
    pattern = next((each for each in store.find_by_series(ctx, [first.series_id]) if each.slot and not each.edited), None)
    if pattern is None or pattern.slot is None:
        return first, sent
    return pattern, _shift(sent, _zone(first, sent), date.fromisoformat(pattern.slot) - rule.first)


def _is_meant(first: Event, sent: dict[str, Any]) -> bool:
    """Whether the start is that of the event or, if it was not changed alone, on the day of the event."""
    zone = _zone(first, sent)
    start = datetimes.parse(sent["start_time"])
    if first.edited:
        return start.to_instant(zone) == first.start_at
    return first.slot is None or start.to_date(zone).isoformat() == first.slot


def _zone(event: Event, sent: dict[str, Any]) -> str:
    return sent.get("time_zone") or datetimes.parse(sent["start_time"]).zone or event.time_zone


def _shift(sent: dict[str, Any], zone: str, by: timedelta) -> dict[str, Any]:
    """The fields with their times this much later on the clocks of the zone."""
    shifted = sent | {"time_zone": zone}
    for name in ("start_time", "end_time"):
        if value := sent.get(name):
            parsed = datetimes.parse(value)
            local = parsed.to_date(zone) if parsed.is_date else datetimes.to_local(parsed.to_instant(zone), zone).replace(tzinfo=None)
            shifted[name] = (local + by).isoformat()
    return shifted
