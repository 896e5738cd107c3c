"""Changing and deleting a series: this occurrence, it and the following ones, or all of them."""

from datetime import datetime, timedelta

from msgspec import structs

from kalends import policy, when
from kalends.context import Context
from kalends.events import series, span, store
from kalends.events.model import Event, EventFields
from kalends.policy import Right


def chosen(ctx: Context, event: Event, scope: str) -> list[Event]:
    """The event and those of its series that the scope takes in."""
    if scope == "this" or event.series_id is None:
        return [event]
    rows = ctx.tx.rows("SELECT id FROM events WHERE series_id = :id ORDER BY start_at, id", id=event.series_id)
    found = [event if event_id == event.id else policy.event(ctx, event_id, to=Right.EDIT) for (event_id,) in rows]
    return found if scope == "all" else [each for each in found if _slot(each) >= _slot(event)]


def split(ctx: Context, event: Event) -> None:
    """Make the event and the following ones a series of their own."""
    assert event.series_id is not None
    old, first = series.get(ctx, event.series_id), _slot(event)
    if first <= old.start_date:
        return
    rest = structs.replace(old, start_date=first)
    new_id = series.insert(ctx, rest)
    following = [each.id for each in chosen(ctx, event, "following")]
    ctx.tx.run(f"UPDATE events SET series_id = :new WHERE id IN {ctx.db.listed('ids')}", new=new_id, ids=following)
    ctx.tx.run(
        "UPDATE series_exceptions SET series_id = :new WHERE series_id = :old AND slot >= :first", new=new_id, old=old.id, first=first
    )
    series.end_before(ctx, old.id, first)


def move(ctx: Context, before: Event, changed: Event, others: list[tuple[Event, EventFields]]) -> None:
    """Write the others, moved as the changed one was: by the same difference on the clocks."""
    by, end_by = _local(changed) - _local(before), _difference(changed, before)
    for event, fields in others:
        written = _moved(event, fields, changed, by, end_by)
        store.update(ctx, event.id, written, span.resolved(written, changed.time_zone))
    days = _local(changed).date() - _local(before).date()
    if days and changed.series_id is not None:
        series.shift(ctx, changed.series_id, [each for each in (changed, *(event for event, _ in others)) if each.slot], days)


def _moved(event: Event, fields: EventFields, changed: Event, by: timedelta, end_by: timedelta | None) -> EventFields:
    start, end = _local(event) + by, _local_end(event)
    length = _local_end(changed)
    if length is None:
        end = None
    elif end_by is None:
        end = start + (length - _local(changed))
    elif end is not None:
        end += end_by
    return structs.replace(
        fields,
        start_time=_written(start, changed),
        end_time=_written(end, changed) if end else None,
        all_day=changed.all_day,
        time_zone=changed.time_zone,
    )


def _written(moment: datetime, like: Event) -> str:
    return moment.date().isoformat() if like.all_day else moment.isoformat()


def _local(event: Event) -> datetime:
    return when.at(event.start_at, event.time_zone).replace(tzinfo=None)


def _local_end(event: Event) -> datetime | None:
    """The end on the clocks; of an all-day event its last day."""
    if event.end_at is None:
        return None
    return when.at(event.end_at - (1 if event.all_day else 0), event.time_zone).replace(tzinfo=None, **_MIDNIGHT if event.all_day else {})


_MIDNIGHT = {"hour": 0, "minute": 0, "second": 0}


def _difference(changed: Event, before: Event) -> timedelta | None:
    """How the end moved, where there was one and is one."""
    new, old = _local_end(changed), _local_end(before)
    return new - old if new is not None and old is not None else None


def destroyed(ctx: Context, event: Event, scope: str) -> None:
    """Keep the rule of the series true after the events were deleted."""
    if event.series_id is None:
        return
    if scope == "this" and event.slot is not None:
        series.except_slot(ctx, event.series_id, event.slot)
    elif scope == "following":
        series.end_before(ctx, event.series_id, _slot(event))
    series.delete_if_empty(ctx, event.series_id)


def _slot(event: Event) -> str:
    """The date that places the event in its series."""
    return event.slot or _local(event).date().isoformat()
