"""Changing and deleting a series: this occurrence, it and the following ones, or all of them."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from msgspec import structs

from kalends import errors, policy
from kalends.context import Context
from kalends.events import span, store
from kalends.events.input import EventFields
from kalends.events.model import Event
from kalends.events.series import store as series
from kalends.values import datetimes

NOTHING = timedelta()


def chosen(ctx: Context, event: Event, scope: str) -> list[Event]:
    """The event and those of its series that the scope takes in."""
    if scope == "this" or event.series_id is None:
        return [event]
    policy.require_whole_series(ctx, event.series_id)
    rows = ctx.tx.rows("SELECT id FROM events WHERE series_id = :id ORDER BY start_at, id", id=event.series_id)
    found = [event if event_id == event.id else store.get(ctx, event_id) for (event_id,) in rows]
    return found if scope == "all" else [each for each in found if _slot(each) >= _slot(event)]


def split(ctx: Context, event: Event, following: list[Event]) -> None:
    """Make the event and the following ones a series of their own; with no occurrence among them, they stand alone."""
    assert event.series_id is not None
    old, slots = series.get(ctx, event.series_id), [each.slot for each in following if each.slot]
    if slots and min(slots) <= old.start_date:
        return
    new_id = series.insert(ctx, structs.replace(old, start_date=min(slots), uid=None)) if slots else None
    ids = [each.id for each in following]
    ctx.tx.run(f"UPDATE events SET series_id = CAST(:new AS BIGINT) WHERE id IN {ctx.db.in_list('ids')}", new=new_id, ids=ids)
    if new_id is not None:
        ctx.tx.run(
            "UPDATE series_exceptions SET series_id = :new WHERE series_id = :old AND slot >= :first",
            new=new_id,
            old=old.id,
            first=min(slots),
        )
        series.end_before(ctx, old.id, min(slots))
    series.delete_if_empty(ctx, old.id)


def move(ctx: Context, before: Event, changed: Event, others: Sequence[tuple[Event, EventFields]], *, has_new_text: bool) -> None:
    """Write the others, moved as the changed one was: by the same difference on the clocks."""
    clock = series.get(ctx, changed.series_id).clock if changed.series_id is not None else 0
    is_moved = (changed.start_at, changed.time_zone) != (before.start_at, before.time_zone)
    by = _local(changed) - _wall(before, clock) if is_moved else NOTHING
    moved = [(event.id, fields, _moved(event, before, changed, _wall(event, clock), by)) for event, fields in others]
    store.update_each(ctx, "scope", moved, has_new_text=has_new_text)
    if by and changed.series_id is not None:
        # The rule goes where an occurrence goes that was not changed alone.
        rule = datetime.combine(series.get(ctx, changed.series_id).rule.start, time()) + timedelta(seconds=clock)
        slots = [each for each in (changed, *(event for event, _ in others)) if each.slot]
        series.shift(ctx, changed.series_id, slots, (rule + by).date() - rule.date(), series.seconds_of_day(rule + by))


def _moved(event: Event, before: Event, changed: Event, wall: datetime, by: timedelta) -> span.Span:
    """The event's moments after it has moved as the changed one; what did not change there stays as it is here."""
    zone = changed.time_zone if changed.time_zone != before.time_zone else event.time_zone
    all_day = changed.all_day if changed.all_day != before.all_day else event.all_day
    if changed.time_zone != before.time_zone and event.time_zone == changed.time_zone:
        by = timedelta(seconds=changed.start_at - before.start_at)
    elif changed.all_day != before.all_day and event.all_day == changed.all_day:
        by = timedelta(days=(_local(changed).date() - _local(before).date()).days)
    stays = not by and (zone, all_day) == (event.time_zone, event.all_day)
    start = wall + by
    end = _moved_end(event, before, changed, start, by)
    if all_day:
        last = max((end or start).date(), start.date())
        until_at = datetimes.end_of_day(last, zone)
        found = span.Span(datetimes.start_of_day(start.date(), zone), until_at if end else None, until_at, True, zone)
    else:
        start_at = event.start_at if stays else _instant(start, zone)
        end_at = _instant(end, zone) if end else None
        if end_at is not None and end_at < start_at:
            like = event if event.end_at is not None else changed
            end_at = start_at + max(0, (like.end_at or 0) - like.start_at)
        found = span.Span(start_at, end_at, start_at if end_at is None else end_at, False, zone)
    if not datetimes.is_in_range(found.start_at, zone) or not datetimes.is_in_range(found.until_at - 1, zone):
        raise errors.invalid("start_time", datetimes.YEARS)
    return found


def _moved_end(event: Event, before: Event, changed: Event, start: datetime, by: timedelta) -> datetime | None:
    own, old, new = _local_end(event), _local_end(before), _local_end(changed)
    if old is None and new is None:
        return own + by if own else None
    if new is None:
        return None
    if old is None:
        return start + (new - _local(changed))
    return own + (new - old) if own else None


def _instant(local: datetime, zone: str) -> int:
    return datetimes.to_instant(local, zone)


def _wall(event: Event, clock: int) -> datetime:
    """What the clocks should show at its start: of an occurrence that was not changed alone, what the rule says."""
    if event.slot is None or event.edited:
        return _local(event)
    return datetime.fromisoformat(event.slot) + timedelta(seconds=clock)


def _local(event: Event) -> datetime:
    """The start on the clocks; of an all-day event its first day, also where that begins after midnight."""
    return _shown(event.start_at, event)


def _local_end(event: Event) -> datetime | None:
    """The end on the clocks; of an all-day event its last day."""
    return None if event.end_at is None else _shown(event.end_at - (1 if event.all_day else 0), event)


def _shown(instant: int, event: Event) -> datetime:
    local = datetimes.to_local(instant, event.time_zone).replace(tzinfo=None)
    return datetime.combine(local.date(), time()) if event.all_day else local


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
