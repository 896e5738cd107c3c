"""Changing and deleting a series: this occurrence, it and the following ones, or all of them."""

from datetime import datetime

from msgspec import structs

from kalends import policy, when
from kalends.context import Context
from kalends.events import series, span, store
from kalends.events.model import Event, EventFields


def chosen(ctx: Context, event: Event, scope: str) -> list[Event]:
    """The event and those of its series that the scope takes in."""
    if scope == "this" or event.series_id is None:
        return [event]
    policy.whole_series(ctx, event.series_id)
    rows = ctx.tx.rows("SELECT id FROM events WHERE series_id = :id ORDER BY start_at, id", id=event.series_id)
    found = [event if event_id == event.id else store.get(ctx, event_id) for (event_id,) in rows]
    return found if scope == "all" else [each for each in found if _slot(each) >= _slot(event)]


def split(ctx: Context, event: Event) -> None:
    """Make the event and the following ones a series of their own."""
    assert event.series_id is not None
    following = chosen(ctx, event, "following")
    old, first = series.get(ctx, event.series_id), min((each.slot for each in following if each.slot), default=_slot(event))
    if first <= old.start_date:
        return
    new_id = series.insert(ctx, structs.replace(old, start_date=first))
    ids = [each.id for each in following]
    ctx.tx.run(f"UPDATE events SET series_id = :new WHERE id IN {ctx.db.listed('ids')}", new=new_id, ids=ids)
    ctx.tx.run(
        "UPDATE series_exceptions SET series_id = :new WHERE series_id = :old AND slot >= :first", new=new_id, old=old.id, first=first
    )
    series.end_before(ctx, old.id, first)


def move(ctx: Context, before: Event, changed: Event, others: list[tuple[Event, EventFields]]) -> None:
    """Write the others, moved as the changed one was: by the same difference on the clocks."""
    by = _local(changed) - _local(before)
    for event, fields in others:
        store.update(ctx, event.id, fields, _moved(event, before, changed))
    if by and changed.series_id is not None:
        # An occurrence that was not changed alone tells where the rule goes.
        pattern = next((event for event, _ in others if event.slot and not event.edited), before)
        moved = _local(pattern) + by
        slots = [each for each in (changed, *(event for event, _ in others)) if each.slot]
        series.shift(ctx, changed.series_id, slots, moved.date() - _local(pattern).date(), series.seconds_of_day(moved))


def _moved(event: Event, before: Event, changed: Event) -> span.Span:
    """The event's moments after it has moved as the changed one; what did not change there stays as it is here."""
    zone = changed.time_zone if changed.time_zone != before.time_zone else event.time_zone
    all_day = changed.all_day if changed.all_day != before.all_day else event.all_day
    start = _local(event) + (_local(changed) - _local(before))
    end = _moved_end(event, before, changed, start)
    if all_day:
        last = (end or start).date()
        return span.Span(when.midnight(start.date(), zone), when.day_end(last, zone) if end else None, when.day_end(last, zone), True, zone)
    start_at = when.When(start, None, None, is_date=False).instant(zone)
    end_at = when.When(end, None, None, is_date=False).instant(zone) if end else None
    if end_at is not None and event.end_at is not None and end_at < start_at:
        end_at = start_at + max(0, event.end_at - event.start_at)
    return span.Span(start_at, end_at, start_at if end_at is None else end_at, False, zone)


def _moved_end(event: Event, before: Event, changed: Event, start: datetime) -> datetime | None:
    own, old, new = _local_end(event), _local_end(before), _local_end(changed)
    if old is None and new is None:
        return own + (start - _local(event)) if own else None
    if new is None:
        return None
    if own is None or old is None:
        return start + (new - _local(changed)) if old is None else None
    return own + (new - old)


def _local(event: Event) -> datetime:
    return when.at(event.start_at, event.time_zone).replace(tzinfo=None)


def _local_end(event: Event) -> datetime | None:
    """The end on the clocks; of an all-day event its last day."""
    if event.end_at is None:
        return None
    return when.at(event.end_at - (1 if event.all_day else 0), event.time_zone).replace(tzinfo=None, **_MIDNIGHT if event.all_day else {})


_MIDNIGHT = {"hour": 0, "minute": 0, "second": 0}


def destroyed(ctx: Context, events: list[Event], scope: str) -> None:
    """Keep the rules of the series true after their events were deleted."""
    for event in events:
        if event.series_id is not None and scope == "this" and event.slot is not None:
            series.except_slot(ctx, event.series_id, event.slot)
        elif event.series_id is not None and scope == "following":
            series.end_before(ctx, event.series_id, _slot(event))
    for series_id in {event.series_id for event in events if event.series_id is not None}:
        series.delete_if_empty(ctx, series_id)


def _slot(event: Event) -> str:
    """The date that places the event in its series."""
    return event.slot or _local(event).date().isoformat()
