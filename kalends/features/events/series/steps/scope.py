"""Change and delete a series: this occurrence, this and the following ones, or all of them."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from msgspec import Struct, structs

from kalends import policy
from kalends.core import errors
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events import store
from kalends.features.events.input_model import EventFields
from kalends.features.events.rules.span import Span, all_day_span, timed_span
from kalends.features.events.series import store as series_store
from kalends.features.events.series.rules.occurrence import seconds_of_day
from kalends.features.events.series.steps import shift
from kalends.features.events.series.steps.shift import Shift
from kalends.http.context import Context

NO_DIFFERENCE = timedelta()


def find_events(ctx: Context, event: Event, scope: str) -> list[Event]:
    """The events of the scope in the order of their start: the event alone, or those of its series too."""
    if scope == "this" or event.series_id is None:
        return [event]
    policy.require_whole_series(ctx, event.series_id)
    events = store.find_by_series(ctx, [event.series_id])
    return events if scope == "all" else [each for each in events if slot_of(each) >= slot_of(event)]


def split(ctx: Context, event: Event, following: list[Event]) -> None:
    """Move the event and the following ones to a new series, or out of any series if none of them has a slot."""
    assert event.series_id is not None
    old, slots = series_store.get(ctx, event.series_id), [each.slot for each in following if each.slot]
    if slots and min(slots) <= old.rule.first.isoformat():
        return
    new_id = None
    if slots:
        new = old.with_rule(old.rule.begin_at(date.fromisoformat(min(slots))))
        new_id = series_store.insert(ctx, structs.replace(new, uid=None, made_until=new.end_date or old.made_until))
    series_store.move_events(ctx, [each.id for each in following], new_id)
    if new_id is not None:
        series_store.move_exceptions(ctx, old.id, new_id, min(slots))
        series_store.copy_responses(ctx, old.id, new_id)
        series_store.copy_invitations(ctx, old.id, new_id)
        series_store.end_before(ctx, old.id, min(slots))
    series_store.delete_if_empty(ctx, old.id)


def update_rules_after_delete(ctx: Context, events: list[Event], scope: str) -> None:
    """Keep the rules of the series in line with their events after these were deleted."""
    for event in events:
        if event.series_id is not None and scope == "this" and event.slot is not None:
            series_store.insert_exceptions(ctx, [(event.series_id, event.slot)])
        elif event.series_id is not None and scope == "following":
            series_store.end_before(ctx, event.series_id, slot_of(event))
    for series_id in {event.series_id for event in events if event.series_id is not None}:
        series_store.delete_if_empty(ctx, series_id)


def slot_of(event: Event) -> str:
    """The date that gives the event its place in the series."""
    return event.slot or _local_start(event).date().isoformat()


class Move(Struct, frozen=True):
    """A change of the times of one event, which the other events of its series repeat.

    clock: the series' time of day. difference: how far the start moved, in local time. shift: where the rule moved, if it did."""

    before: Event
    after: Event
    clock: int
    difference: timedelta
    shift: Shift | None

    @property
    def changes_zone(self) -> bool:
        return self.after.time_zone != self.before.time_zone

    @property
    def changes_all_day(self) -> bool:
        return self.after.all_day != self.before.all_day

    def apply(self, event: Event) -> Span:
        """The span of another event after the same move. Whatever the move does not change, the event keeps."""
        zone = self.after.time_zone if self.changes_zone else event.time_zone
        is_all_day = self.after.all_day if self.changes_all_day else event.all_day
        by = self._difference_for(event) + self._correction_for(event)
        start = _rule_start(event, self.clock) + by
        end = self._end(event, start, by)
        if is_all_day:
            span = all_day_span(start.date(), max(end.date(), start.date()) if end else None, zone)
        else:
            is_same_start = not by and (zone, is_all_day) == (event.time_zone, event.all_day)
            start_at = event.start_at if is_same_start else datetimes.to_instant(start, zone)
            span = timed_span(start_at, self._end_at(event, start_at, end, zone), zone)
        if not datetimes.is_in_range(span.start_at, zone) or not datetimes.is_in_range(span.until_at - 1, zone):
            raise errors.invalid("start_time", datetimes.YEARS)
        return span

    def _correction_for(self, event: Event) -> timedelta:
        """How many more days than the moved event this one moves, to be on the day that the moved rule has in its month."""
        return self.shift.correction(event) if self.shift else NO_DIFFERENCE

    def _difference_for(self, event: Event) -> timedelta:
        """How far the event moves: by less than the local difference if it has the new zone or the new all_day already."""
        if self.changes_zone and event.time_zone == self.after.time_zone:
            return timedelta(seconds=self.after.start_at - self.before.start_at)
        if self.changes_all_day and event.all_day == self.after.all_day:
            return timedelta(days=(_local_start(self.after).date() - _local_start(self.before).date()).days)
        return self.difference

    def _end(self, event: Event, start: datetime, by: timedelta) -> datetime | None:
        """The local end: added, removed or moved as the move did; an event without an end gets one only if the move added it."""
        end, before, after = _local_end(event), _local_end(self.before), _local_end(self.after)
        if before is None and after is not None:
            return start + (after - _local_start(self.after))
        if before is not None and after is None:
            return None
        if end is None:
            return None
        return end + (by if before is None or after is None else after - before + self._correction_for(event))

    def _end_at(self, event: Event, start_at: int, end: datetime | None, zone: str) -> int | None:
        """The instant of the end; if a DST change would put it before the start, the event keeps its length in seconds."""
        if end is None:
            return None
        end_at = datetimes.to_instant(end, zone)
        if end_at >= start_at:
            return end_at
        pattern = event if event.end_at is not None else self.after
        return start_at + max(0, (pattern.end_at or 0) - pattern.start_at)


def move(ctx: Context, before: Event, after: Event, others: Sequence[tuple[Event, EventFields]], *, has_new_text: bool) -> None:
    """Update the other events of the scope, moved by the same difference in local time as this one, and the rule with them."""
    series = series_store.get(ctx, after.series_id) if after.series_id is not None else None
    clock = series.clock if series else 0
    has_moved = (after.start_at, after.time_zone) != (before.start_at, before.time_zone)
    difference = _local_start(after) - _rule_start(before, clock) if has_moved else NO_DIFFERENCE
    slotted = [each for each in (after, *(event for event, _ in others)) if each.slot]
    plan = None
    if difference and series:
        # The rule moves like an occurrence that was not changed alone.
        old = datetime.combine(series.rule.start, time()) + timedelta(seconds=clock)
        new = old + difference
        plan = shift.plan(ctx, series, before, slotted, new.date() - old.date(), seconds_of_day(new))
    change = Move(before, after, clock, difference, plan)
    store.update_each(ctx, "scope", [(event.id, fields, change.apply(event)) for event, fields in others], has_new_text=has_new_text)
    if plan:
        shift.apply(ctx, plan, slotted)


def _rule_start(event: Event, clock: int) -> datetime:
    """The local start that the rule says; of events that were changed alone or have no slot, their own."""
    if event.slot is None or event.edited:
        return _local_start(event)
    return datetime.fromisoformat(event.slot) + timedelta(seconds=clock)


def _local_start(event: Event) -> datetime:
    """The local start; of an all-day event, midnight of its first day, even if DST skips that midnight."""
    return _to_local(event.start_at, event)


def _local_end(event: Event) -> datetime | None:
    """The local end; of an all-day event, midnight of its last day."""
    return None if event.end_at is None else _to_local(event.end_at - (1 if event.all_day else 0), event)


def _to_local(instant: int, event: Event) -> datetime:
    local = datetimes.to_local(instant, event.time_zone).replace(tzinfo=None)
    return datetime.combine(local.date(), time()) if event.all_day else local
