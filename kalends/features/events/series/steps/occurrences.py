"""Create the occurrences of a series after its pattern, and move them with the rule."""

from datetime import date

from msgspec import Struct, structs

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.core.records.event import Event
from kalends.core.values import datetimes
from kalends.features.events import store
from kalends.features.events.cohosts import store as cohosts
from kalends.features.events.placements import store as placements
from kalends.features.events.reminders import store as reminders
from kalends.features.events.rules.span import Span
from kalends.features.events.series import store as series_store
from kalends.features.events.series.model import RepeatPreview, build_repeat
from kalends.features.events.series.rules.occurrence import occurrence_span, seconds_of_day, to_instant
from kalends.features.events.series.rules.request import Request
from kalends.features.events.series.rules.rule import MONTHS_AHEAD, MONTHS_AHEAD_OF_SOURCES, Rule, add_months
from kalends.features.events.series.store import Series, WithoutSlot
from kalends.features.questions import store as questions
from kalends.http.context import Context
from kalends.policy import quotas

# How many coming dates a preview lists.
PREVIEWED = 5


class Change(Struct, frozen=True):
    """What a rule does to a series. `others` are its events by slot, except the one that is repeated. Of those without a slot, some
    take one in the new rule (`joining`), and the rest stay `beside` it. `excepted` are the slots that get no event."""

    until: date
    slots: set[str]
    others: dict[str, int]
    joining: dict[str, int]
    beside: int
    excepted: set[str]

    @property
    def unfit(self) -> list[int]:
        """The events that no longer fit."""
        return [event_id for slot, event_id in self.others.items() if slot not in self.slots]


def plan(ctx: Context, event: Event, request: Request) -> Change:
    """What the rule would do, or an error if it makes too many occurrences."""
    until = horizon(ctx, request.rule)
    slots, excepted = ({day.isoformat() for day in days} for days in (request.find_dates(until), request.excepted))
    _require_room(ctx, event, request, len(slots))
    if event.series_id is None:
        return Change(until, slots - excepted, {}, {}, 0, excepted)
    others = {slot: event_id for slot, event_id in series_store.find_slots(ctx, event.series_id).items() if event_id != event.id}
    deleted = {slot for _, slot in series_store.find_exceptions(ctx, [event.series_id])}
    excepted |= deleted - {day.isoformat() for day in request.also}
    slots -= excepted
    without_slot = [each for each in series_store.find_without_slot(ctx, event.series_id) if each.id != event.id]
    free = slots - others.keys() - {event.slot, _local_date(event)}
    joining = {day: each.id for each in without_slot if (day := _local_date(each)) in free}
    return Change(until, slots, others, joining, len(without_slot) - len(joining), excepted)


def _require_room(ctx: Context, event: Event, request: Request, count: int) -> None:
    """Refuse more occurrences than one request may write, with their text and on all calendars of the event."""
    calendars = placements.count_copied(ctx, event.id)
    if count > (most := store.max_copies(event, 0)):
        message = gettext(
            "would create %(count)s dates, and an event with this much text can have %(max)s. Choose an earlier end, or shorten the text",
            max=most,
            count=count,
        )
        raise errors.invalid(request.end_field, message, "too_many")
    if count > (most := store.max_copies(event, calendars)):
        message = gettext(
            "would create %(count)s dates, and an event on this many calendars can have %(max)s. Choose an "
            "earlier end, or remove the event from some calendars",
            max=most,
            count=count,
        )
        raise errors.invalid(request.end_field, message, "too_many")


def preview(ctx: Context, event: Event, request: Request) -> RepeatPreview:
    """What `repeat` would do."""
    return describe(ctx, event, request, plan(ctx, event, request))


def describe(ctx: Context, event: Event, request: Request, change: Change) -> RepeatPreview:
    """The numbers and dates of the change."""
    stranded = set(store.find_detached(ctx, change.unfit))
    here = _find_slot(event, change)
    beside = change.beside + (here is None)
    kept = len(change.slots & change.others.keys()) + len(change.joining) + change.beside + 1
    return RepeatPreview(
        repeat=build_repeat(request.rule.text, request.rule.start.isoformat(), request.also_text, ",".join(change.excepted)),
        occurrences=len(change.slots) + beside,
        kept=kept,
        created=len(change.slots) + beside - kept,
        removed=len(change.unfit) - len(stranded),
        stranded=sorted(slot for slot, event_id in change.others.items() if event_id in stranded),
        next_dates=_find_next(ctx, event, change.slots if here else change.slots | {_local_date(event)}),
    )


def preview_new(ctx: Context, span: Span, request: Request) -> RepeatPreview:
    """Preview how an event that does not exist yet would repeat."""
    days = {day.isoformat() for day in request.find_dates(horizon(ctx, request.rule))} | {_local_date(span)}
    return RepeatPreview(
        repeat=build_repeat(request.rule.text, request.rule.start.isoformat(), request.also_text),
        occurrences=len(days),
        kept=0,
        created=len(days),
        removed=0,
        stranded=[],
        next_dates=_find_next(ctx, span, days),
    )


def find_removed(ctx: Context, change: Change) -> list[int]:
    """The events that the change deletes."""
    stranded = store.find_detached(ctx, change.unfit)
    return [event_id for event_id in change.unfit if event_id not in stranded]


def _find_next(ctx: Context, event: Event | Span, days: set[str]) -> list[str]:
    """The next of the days."""
    today = datetimes.to_local(ctx.now, event.time_zone).date().isoformat()
    return sorted(day for day in days if day >= today)[:PREVIEWED]


def _local_date(event: Event | Span | WithoutSlot) -> str:
    return datetimes.to_local(event.start_at, event.time_zone).date().isoformat()


def repeat(ctx: Context, event: Event, request: Request, change: Change) -> int:
    """Make the event the pattern of a series with this rule; events of its earlier series stay if they fit. Returns the series' id."""
    series_id = _save(ctx, event, request.rule, change.until)
    store.delete_or_detach(ctx, change.unfit)
    series_store.delete_exceptions(ctx, series_id, [day.isoformat() for day in request.also])
    series_store.insert_exceptions(ctx, [(series_id, day.isoformat()) for day in request.excepted])
    for slot, event_id in [*change.joining.items(), (_find_slot(event, change), event.id)]:
        series_store.add_event(ctx, event_id, series_id, slot)
    _create_missing(ctx, event, series_store.get(ctx, series_id), change.slots)
    return series_id


def _find_slot(event: Event, change: Change) -> str | None:
    """The slot of the event itself: that which it has, or its date, if the rule has it and no other event takes it."""
    slot = event.slot if event.slot in change.slots else _local_date(event)
    return slot if slot in change.slots and slot not in change.others else None


def extend(ctx: Context, series_id: int) -> None:
    """Create the occurrences of an endless series up to 24 months ahead, or 12 if it comes from a source, after its latest event; of a
    hidden one when it is shown."""
    if not series_store.lock(ctx, series_id):
        return
    series = series_store.get(ctx, series_id)
    until = horizon(ctx, series.rule, MONTHS_AHEAD_OF_SOURCES if series_store.is_followed(ctx, series_id) else MONTHS_AHEAD)
    latest_id = series_store.find_latest_event(ctx, series_id)
    if latest_id is not None and not series_store.is_hidden(ctx, latest_id):
        slots = {day.isoformat() for day in series.rule.dates(until) if day.isoformat() > series.made_until}
        _create_missing(ctx, store.get(ctx, latest_id), series, slots)
    series_store.set_made_until(ctx, series_id, until)


def slot_instant(series: Series, pattern: Event, slot: str) -> int:
    """The instant at which the rule has the occurrence of the slot begin."""
    return to_instant(date.fromisoformat(slot), 0 if pattern.all_day else series.clock, pattern.time_zone)


def horizon(ctx: Context, rule: Rule, months: int = MONTHS_AHEAD) -> date:
    """The last day for which occurrences are created now."""
    return rule.find_last() or add_months(max(rule.start, datetimes.to_local(ctx.now, "UTC").date()), months)


def _save(ctx: Context, event: Event, rule: Rule, until: date) -> int:
    """Insert the series of the event, which has the event's UID, or update its rule."""
    series = series_store.new_series(rule, _clock(ctx, event), until.isoformat(), event.uid)
    if event.series_id is None:
        return series_store.insert(ctx, series)
    series_store.update(ctx, structs.replace(series, id=event.series_id))
    return event.series_id


def _clock(ctx: Context, event: Event) -> int:
    """The series' time of day: that of the event, unless a DST gap alone moved the event away from the series' own."""
    if event.series_id is not None and event.slot is not None:
        clock = series_store.get(ctx, event.series_id).clock
        if to_instant(date.fromisoformat(event.slot), clock, event.time_zone) == event.start_at:
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
    question_ids, reminder_ids = questions.ids_of_event(ctx, pattern.id), reminders.ids_of_event(ctx, pattern.id)
    has_cohosts = bool(cohosts.of_event(ctx, pattern.id))
    if question_ids or reminder_ids or has_cohosts:
        by_slot = series_store.find_slots(ctx, series.id)
        event_ids = [by_slot[day.isoformat()] for day in days]
        questions.insert_copies(ctx, question_ids, event_ids)
        reminders.insert_copies(ctx, reminder_ids, event_ids)
        cohosts.copy_to_events(ctx, pattern.id, event_ids)
