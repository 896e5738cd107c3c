"""Create the occurrences of a series after its pattern, and move them with the rule."""

from datetime import date, datetime, timedelta
from typing import Any

from msgspec import structs

from kalends import errors, quotas
from kalends.context import Context
from kalends.events import store
from kalends.events.input import RepeatInput
from kalends.events.series import store as series_store
from kalends.events.series.rule import Rule, add_months
from kalends.events.series.store import LAST_DAY, MAX_OCCURRENCES, MONTHS_AHEAD, Series
from kalends.events.span import Span
from kalends.records.event import Event
from kalends.values import datetimes


def parse_rule(ctx: Context, params: RepeatInput, event: Event) -> Rule:
    """The rule of the parameters, or an error if it makes too many occurrences."""
    zone = event.time_zone
    start = datetimes.parse(params.start_date).to_date(zone) if params.start_date else datetimes.to_local(event.start_at, zone).date()
    end = datetimes.parse(params.end_date).to_date(zone) if params.end_date else None
    if end and end < start:
        raise errors.invalid("end_date", f"must not be before the start of the repetition, {start}", "conflict")
    rule = Rule(params.frequency, params.interval, start, end)
    count = sum(1 for _ in rule.dates(_horizon(ctx, rule)))
    if count > MAX_OCCURRENCES:
        message = f"a series has at most {MAX_OCCURRENCES:,} occurrences, and this would be {count:,}; choose an earlier one"
        raise errors.invalid("end_date", message, "too_many")
    max_copies = store.max_copies(event)
    if count > max_copies:
        message = f"of an event with this much text {max_copies:,} occurrences fit, and this would be {count:,}; shorten the text"
        raise errors.invalid("end_date", message, "too_many")
    return rule


def repeat(ctx: Context, event: Event, rule: Rule) -> int:
    """Make the event the pattern of a series with this rule; events of its earlier series stay if they fit. Returns the series' id."""
    until = _horizon(ctx, rule)
    slots = {day.isoformat() for day in rule.dates(until)}
    series_id = _save(ctx, event, rule, until)
    others = {slot: event_id for slot, event_id in series_store.find_slots(ctx, series_id).items() if event_id != event.id}
    store.delete_or_detach(ctx, [event_id for slot, event_id in others.items() if slot not in slots])
    date_of_start = datetimes.to_local(event.start_at, event.time_zone).date().isoformat()
    slot = event.slot if event.slot in slots else date_of_start
    series_store.add_event(ctx, event.id, series_id, slot if slot in slots and slot not in others else None)
    _create_missing(ctx, event, series_store.get(ctx, series_id), slots)
    return series_id


def extend(ctx: Context, series_id: int) -> None:
    """Create the occurrences of an endless series up to 24 months ahead, after its latest event."""
    if not series_store.lock(ctx, series_id):
        return
    series = series_store.get(ctx, series_id)
    until = _horizon(ctx, series.rule)
    latest_id = series_store.find_latest_event(ctx, series_id)
    if latest_id is not None:
        slots = {day.isoformat() for day in series.rule.dates(until) if day.isoformat() > series.made_until}
        _create_missing(ctx, store.get(ctx, latest_id), series, slots)
    series_store.set_made_until(ctx, series_id, until)


def shift(ctx: Context, series_id: int, events: list[Event], by: timedelta, clock: int) -> None:
    """Move the rule, its exceptions and the slots of the events by whole days, and to another time of day."""

    def shift_day(day: str) -> str:
        return (date.fromisoformat(day) + by).isoformat()

    def shift_end(day: str) -> str:
        return LAST_DAY if by > date.max - date.fromisoformat(day) else shift_day(day)

    old = series_store.get(ctx, series_id)
    end = shift_end(old.end_date) if old.end_date else None
    new = structs.replace(old, start_date=shift_day(old.start_date), end_date=end, clock=clock, made_until=shift_end(old.made_until))
    series_store.update(ctx, new)
    if not by:
        return
    exceptions = [shift_day(slot) for _, slot in series_store.find_exceptions(ctx, [series_id])]
    slots = [shift_day(event.slot or "") for event in events]
    if new.frequency in ("MONTHLY", "YEARLY"):
        dates = {day.isoformat() for day in new.rule.dates(date.fromisoformat(new.made_until))}
        if dates != {*exceptions, *slots}:
            message = "moves a monthly or yearly series off its days; repeat it with another start_date instead"
            raise errors.invalid("start_time", message, "conflict")
    series_store.shift_slots(ctx, events, slots)
    series_store.delete_exceptions(ctx, series_id)
    series_store.insert_exceptions(ctx, [(series_id, slot) for slot in exceptions])


def occurrence_span(pattern: Event | Span, day: date, clock: int) -> dict[str, Any]:
    """The start and end of an occurrence after the pattern.

    It has the same length in local time; if a DST change would put its end before its start, the same length in seconds."""
    zone = pattern.time_zone
    start_at = _to_instant(day, clock, zone)
    if not datetimes.is_in_range(start_at, zone):
        raise errors.invalid("end_date", datetimes.YEARS)
    if pattern.end_at is None:
        return {"start_at": start_at, "end_at": None, "until_at": datetimes.end_of_day(day, zone) if pattern.all_day else start_at}
    first, last = datetimes.to_local(pattern.start_at, zone), datetimes.to_local(pattern.end_at - pattern.all_day, zone)
    if pattern.all_day:
        until_at = datetimes.end_of_day(day + (last.date() - first.date()), zone)
        return {"start_at": start_at, "end_at": until_at, "until_at": until_at}
    length = seconds_of_day(last) - seconds_of_day(first)
    end_at = _to_instant(day, clock + length, zone, (last.date() - first.date()).days)
    if end_at < start_at:
        end_at = start_at + pattern.end_at - pattern.start_at
    return {"start_at": start_at, "end_at": end_at, "until_at": end_at}


def slot_instant(series: Series, pattern: Event, slot: str) -> int:
    """The instant at which the rule has the occurrence of the slot begin."""
    return _to_instant(date.fromisoformat(slot), 0 if pattern.all_day else series.clock, pattern.time_zone)


def seconds_of_day(local: datetime) -> int:
    return local.hour * 3600 + local.minute * 60 + local.second


def _horizon(ctx: Context, rule: Rule) -> date:
    """The last day for which occurrences are created now."""
    return rule.end or add_months(max(rule.start, datetimes.to_local(ctx.now, "UTC").date()), MONTHS_AHEAD)


def _save(ctx: Context, event: Event, rule: Rule, until: date) -> int:
    """Insert the series of the event, or update its rule."""
    end = rule.end.isoformat() if rule.end else None
    clock = _clock(ctx, event)
    series = Series(event.series_id or 0, rule.frequency, rule.interval, rule.start.isoformat(), end, clock, until.isoformat())
    if event.series_id is None:
        return series_store.insert(ctx, series)
    series_store.update(ctx, series)
    return event.series_id


def _clock(ctx: Context, event: Event) -> int:
    """The series' time of day: that of the event, unless a DST gap alone moved the event away from the series' own."""
    if event.series_id is not None and event.slot is not None:
        clock = series_store.get(ctx, event.series_id).clock
        if _to_instant(date.fromisoformat(event.slot), clock, event.time_zone) == event.start_at:
            return clock
    return 0 if event.all_day else seconds_of_day(datetimes.to_local(event.start_at, event.time_zone))


def _create_missing(ctx: Context, pattern: Event, series: Series, slots: set[str]) -> None:
    """Create the occurrences of the slots that have no event and were not deleted."""
    taken = {*series_store.find_slots(ctx, series.id), *(slot for _, slot in series_store.find_exceptions(ctx, [series.id]))}
    days = [date.fromisoformat(slot) for slot in sorted(slots - taken)]
    if ctx.actor:
        # Occurrences that the worker creates were accepted when the endless series was created.
        quotas.reserve(ctx, pattern.owner_id, "events", len(days), len(days) * store.text_size(pattern))
    rows = [occurrence_span(pattern, day, series.clock) | {"slot": day.isoformat()} for day in days]
    store.insert_occurrences(ctx, pattern, series.id, rows)


def _to_instant(day: date, clock: int, zone: str, days: int = 0) -> int:
    """The instant of the local time on the day, or some days later."""
    return datetimes.to_instant(datetime(day.year, day.month, day.day) + timedelta(days=days, seconds=clock), zone)
