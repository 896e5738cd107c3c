"""Writes what a calendar file brings: what is new, what has changed, and nothing else."""

from datetime import date
from typing import Any

from msgspec import Struct, structs

from kalends import policy
from kalends.calendars.model import Calendar
from kalends.context import Context
from kalends.events import store
from kalends.events.imports.existing import Known
from kalends.events.imports.incoming import Arrival, Wanted
from kalends.events.model import PARTS, Event, ImportedEvent
from kalends.events.series import store as series
from kalends.events.series.store import Series
from kalends.events.span import Span
from kalends.values import datetimes

_CONTENT = ("title", "description", "location", "image_url", "tags")


class Form(Struct, frozen=True):
    """How an event belongs to what it came with: by its own UID, or by its slot in a series."""

    uid: str | None
    series_id: int | None
    slot: str | None
    edited: bool


class Writing:
    """Collects what is to be written in one transaction."""

    def __init__(self, ctx: Context, calendar: Calendar, public: bool | None):
        self._ctx = ctx
        self._calendar = calendar
        self._public = public
        self._changes = 0
        self._inserts: list[dict[str, Any]] = []
        self._updates: list[dict[str, Any]] = []
        self._excepted: list[tuple[int, str]] = []
        self._gone: list[int] = []
        self._left: list[int] = []
        self._ids: dict[str, int] = {}
        self._series: dict[str, int] = {}

    def add(self, arrival: Arrival, there: Known) -> str:
        """Note what the arrival changes, and say what becomes of it."""
        before, is_new = self._changes, not there.held
        _adopt(arrival, there)
        series_id = self._rule(arrival, there) if arrival.rule else None
        if series_id is not None:
            self._series[arrival.uid] = series_id
        elif there.series:
            self._left.append(there.series.id)
        for slot in sorted(arrival.wanted):
            self._event(arrival, there, slot, series_id)
        stale = [event.id for slot, event in there.held.items() if slot not in arrival.wanted and slot >= arrival.since]
        stale += [event.id for event in there.doubles]
        self._gone += stale
        self._changes += len(stale)
        if is_new:
            return "imported"
        return "updated" if self._changes > before else "unchanged"

    def _rule(self, arrival: Arrival, there: Known) -> int:
        """The series of the arrival, with its rule and its exceptions as the file has them."""
        rule = arrival.rule
        assert rule is not None
        start, end = rule.start.isoformat(), rule.end.isoformat() if rule.end else None
        new = Series(0, rule.frequency, rule.interval, start, end, arrival.clock, arrival.made_until, arrival.uid)
        old = there.series
        if old is None:
            series_id = series.insert(self._ctx, new)
            self._changes += 1
        elif _is_same_rule(arrival, new, old):
            series_id = old.id
            arrival.made_until = old.made_until
            arrival.since = max(arrival.since, old.start_date) if arrival.since else ""
        else:
            series_id = old.id
            series.update(self._ctx, structs.replace(new, id=series_id))
            self._changes += 1
        fresh = [(series_id, slot) for slot in sorted(arrival.excepted - there.excepted)]
        self._excepted += fresh
        self._changes += len(fresh)
        return series_id

    def _event(self, arrival: Arrival, there: Known, slot: str, series_id: int | None) -> None:
        event, wanted, uid = there.held.get(slot), arrival.wanted[slot], _uid(arrival, slot)
        if series_id is None:
            form = Form(uid, None, None, False)
        elif _is_wanted(arrival, there, slot, event):
            form = Form(None, series_id, slot, wanted.edited)
        else:
            return
        if event is None:
            self._insert(wanted, form, next(iter(there.held.values()), None))
            return
        self._ids[uid] = event.id
        if not slot and there.series is None and (there.is_own or event.series_id is not None):
            # It was made here, or repeats here, whatever the file says.
            edited = event.edited or (event.slot is not None and self._differs(event, wanted))
            form = Form(event.uid, event.series_id, event.slot, edited)
        self._update(event, wanted, form)

    def _insert(self, wanted: Wanted, form: Form, like: Event | None) -> None:
        public = self._calendar.public and not wanted.content.is_private if self._public is None else self._public
        home = {
            "owner_id": like.owner_id if like else policy.user(self._ctx).id,
            "calendar_id": like.calendar_id if like else self._calendar.id,
            "public": public,
        }
        self._inserts.append(wanted.content.columns | store.moments(wanted.span) | structs.asdict(form) | {"party_max": None} | home)
        self._changes += 1

    def _update(self, event: Event, wanted: Wanted, form: Form) -> None:
        """Change the event if it differs from what is wanted."""
        if not self._differs(event, wanted) and form == Form(event.uid, event.series_id, event.slot, event.edited):
            return
        public = event.public if self._public is None else self._public
        moments = store.moments(wanted.span if _has_moved(event, wanted) else _span(event))
        row = _columns(event, wanted) | moments | structs.asdict(form) | {"id": event.id, "public": public, "party_max": event.party_max}
        self._updates.append(row)
        self._changes += 1

    def _differs(self, event: Event, wanted: Wanted) -> bool:
        is_shown = self._public is None or self._public == event.public
        return not is_shown or _has_moved(event, wanted) or any(getattr(event, n) != wanted.content.columns[n] for n in _CONTENT)

    def write(self) -> None:
        store.let_go(self._ctx, self._gone)
        store.update_all(self._ctx, self._updates)
        self._ids |= store.insert_all(self._ctx, self._inserts)
        series.except_slots(self._ctx, self._excepted)
        for series_id in self._left:
            series.delete_if_empty(self._ctx, series_id)

    def listed(self, arrivals: list[Arrival]) -> list[ImportedEvent]:
        """The first event of each arrival."""
        firsts = store.firsts(self._ctx, [self._series[arrival.uid] for arrival in arrivals if arrival.uid in self._series])
        found = []
        for arrival in arrivals:
            slot = min(arrival.wanted)
            in_series = firsts.get(self._series.get(arrival.uid, 0))
            event_id = in_series or self._ids.get(_uid(arrival, slot))
            if event_id:
                wanted = arrival.wanted[slot]
                found.append(ImportedEvent(event_id, wanted.content.columns["title"], _start_time(wanted.span), arrival.uid))
        return found


def _uid(arrival: Arrival, slot: str) -> str:
    """What an event of the arrival is called, if it stands by itself."""
    return f"{arrival.uid}/{slot}" if slot else arrival.uid


def _adopt(arrival: Arrival, there: Known) -> None:
    """Let an event that begins to repeat, or ceases to, be one of those that are wanted."""
    alone = there.held.get("")
    if alone and "" not in arrival.wanted:
        local = datetimes.to_local(alone.start_at, alone.time_zone).date().isoformat()
        free = [slot for slot in (local, *sorted(arrival.wanted)) if slot in arrival.wanted and slot not in there.held]
        if free:
            there.held[free[0]] = there.held.pop("")
    elif "" in arrival.wanted and not alone and there.held:
        span = arrival.wanted[""].span
        local = datetimes.to_local(span.start_at, span.time_zone).date().isoformat()
        there.held[""] = there.held.pop(local if local in there.held else min(there.held))


def _is_same_rule(arrival: Arrival, new: Series, old: Series) -> bool:
    """Whether both make the same dates. Where the file's were too many, those that are there may have begun at another one."""
    if (new.frequency, new.step, new.clock) != (old.frequency, old.step, old.clock) or (new.end_date is None) != (old.end_date is None):
        return False
    if new.start_date != old.start_date and not (arrival.since and old.rule.has(max(new.rule.start, old.rule.start))):
        return False
    if old.end_date is None:
        return True
    *_, last = [None, *old.rule.dates(date.fromisoformat(old.end_date))]
    return last is not None and new.end_date == last.isoformat()


def _is_wanted(arrival: Arrival, there: Known, slot: str, event: Event | None) -> bool:
    """Whether the occurrence is to be as the file has it: not if it was destroyed here, or changed alone here and not there."""
    if slot in there.excepted:
        return False
    return arrival.wanted[slot].edited or (arrival.since <= slot <= arrival.made_until and not (event and event.edited))


def _has_moved(event: Event, wanted: Wanted) -> bool:
    """Whether the times differ. An event keeps its zone where the file names none."""
    meant, now = wanted.span, _span(event)
    if meant.all_day and now.all_day:
        return _days(meant) != _days(now)
    if (meant.start_at, meant.until_at, meant.all_day) != (now.start_at, now.until_at, now.all_day):
        return True
    return wanted.is_named and meant.time_zone != now.time_zone


def _days(span: Span) -> tuple[date, date]:
    return datetimes.to_local(span.start_at, span.time_zone).date(), datetimes.to_local(span.until_at - 1, span.time_zone).date()


def _span(event: Event) -> Span:
    until_at = event.end_at
    if until_at is None:
        first = datetimes.to_local(event.start_at, event.time_zone).date()
        until_at = datetimes.end_of_day(first, event.time_zone) if event.all_day else event.start_at
    return Span(event.start_at, event.end_at, until_at, event.all_day, event.time_zone)


def _columns(event: Event, wanted: Wanted) -> dict[str, Any]:
    """What the file says of the event. The parts of a location that stays are kept: a file has none."""
    columns = wanted.content.columns
    if event.location != columns["location"] or all(getattr(event, part) == columns[part] for part in PARTS):
        return columns
    said = {name: columns[name] for name in ("title", "description", "image_url")}
    return store.content(structs.replace(store.editable(event), **said, tag_list=columns["tags"]))


def _start_time(span: Span) -> str:
    if span.all_day:
        return datetimes.to_local(span.start_at, span.time_zone).date().isoformat()
    return datetimes.format_instant(span.start_at, span.time_zone)
