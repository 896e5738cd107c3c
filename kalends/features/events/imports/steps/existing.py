"""Find the events and series that a calendar already has of a file, by UID."""

import re
from collections.abc import Iterable
from datetime import date, timedelta

from msgspec import Struct, field

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.features.events import store as event_store
from kalends.features.events.imports import store
from kalends.features.events.imports.rules.incoming import IncomingSeries
from kalends.features.events.rules.uid import parse_own
from kalends.features.events.series import store as series_store
from kalends.features.events.series.store import Series
from kalends.http.context import Context

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SLOT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{6})?")


class Existing(Struct):
    """The events of one UID by slot; the slot of a single event is "".

    is_own: the record was created here, and its UID was derived from its id. has_events_elsewhere: some of the series' events are
    not on the calendar. duplicates: single events for an occurrence that the series has too. parts: the ids of series into which an
    earlier file split this one. pattern: the imported event that was repeated here."""

    events: dict[str, Event] = field(default_factory=dict)
    series: Series | None = None
    exceptions: set[str] = field(default_factory=set)
    is_own: bool = False
    has_events_elsewhere: bool = False
    duplicates: list[Event] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    pattern: Event | None = None

    def for_file(self, series: IncomingSeries) -> "Existing":
        """What is compared with the file: of an event that was repeated here and does not repeat in the file, the event alone."""
        return Existing({"": self.pattern}) if self.pattern and series.rule is None else self


def find(ctx: Context, calendar: Calendar, uids: Iterable[str], all_uids: set[str], among: set[str] | None = None) -> dict[str, Existing]:
    """The records on the calendar with one of the UIDs, locked until the transaction ends. `all_uids` are those of the whole file.

    among: all UIDs that the records may have, if they are known: then no others are read."""
    batch = set(uids)
    imported = _find_imported(ctx, calendar, batch, all_uids, among)
    own_events, own_series = _find_own(ctx, calendar, batch)
    series_uids = own_series | _find_imported_series(ctx, calendar, batch, all_uids, among)
    event_store.lock(ctx, [*imported, *own_events, *store.find_event_ids_of_series(ctx, list(series_uids))])
    existing: dict[str, Existing] = {}
    for event in event_store.find_by_ids(ctx, list(own_events)):
        existing[own_events[event.id]] = Existing({"": event}, is_own=True)
    for event in event_store.find_by_ids(ctx, list(imported)):
        uid, slot = imported[event.id]
        existing.setdefault(uid, Existing()).events[slot] = event
    if series_uids:
        _add_series(ctx, calendar, existing, series_uids, own_series)
    return existing


def hand_over(existing: dict[str, Existing], batch: Iterable[IncomingSeries]) -> None:
    """Give a series that the file splits off the events that the undivided series has for it, so that they keep their ids."""
    for series in batch:
        split = series.split
        if split is None or series.uid in existing or split.uid not in existing:
            continue
        events = existing[split.uid].events
        slots = [slot for slot in events if slot >= split.slot]
        existing[series.uid] = Existing({_move(slot, split.by): events.pop(slot) for slot in slots})


def _move(slot: str, by: timedelta) -> str:
    return (date.fromisoformat(slot) + by).isoformat()


def find_missing(ctx: Context, calendar: Calendar, uids: set[str]) -> set[str]:
    """The given UIDs that the calendar does not have."""
    imported = {uid for uid, _ in _find_imported(ctx, calendar, uids, uids).values()}
    series_uids = {uid for _, uid in store.find_series_uids(ctx, calendar)}
    own_events, own_series = _find_own(ctx, calendar, uids)
    return uids - imported - series_uids - set(own_events.values()) - set(own_series.values())


def _find_imported(
    ctx: Context, calendar: Calendar, uids: set[str], all_uids: set[str], among: set[str] | None = None
) -> dict[int, tuple[str, str]]:
    """The UIDs and slots of the events that were imported with one of the UIDs, by the events' ids."""
    imported: dict[int, tuple[str, str]] = {}
    for event_id, uid in store.find_event_uids(ctx, calendar, among):
        series_uid, _, slot = uid.rpartition("/")
        if uid in uids:
            imported[event_id] = uid, ""
        elif uid not in all_uids and series_uid in uids and _SLOT.fullmatch(slot):
            imported[event_id] = series_uid, slot
    return imported


def _find_imported_series(
    ctx: Context, calendar: Calendar, uids: set[str], all_uids: set[str], among: set[str] | None = None
) -> dict[int, str]:
    """The UIDs of the series that were imported with one of the UIDs, and of those that were split from one, by the series' ids."""
    imported: dict[int, str] = {}
    for series_id, uid in store.find_series_uids(ctx, calendar, among):
        while uid not in all_uids and (part := _parse_part(uid)):
            uid = part[0]
        if uid in uids:
            imported[series_id] = uid
    return imported


def _parse_part(uid: str) -> tuple[str, date] | None:
    """The UID of the series from which the series with this UID was split, and the day; None if it was not."""
    whole, _, slot = uid.rpartition("/")
    try:
        return (whole, date.fromisoformat(slot)) if _DAY.fullmatch(slot) else None
    except ValueError:
        return None


def _find_own(ctx: Context, calendar: Calendar, uids: set[str]) -> tuple[dict[int, str], dict[int, str]]:
    """The UIDs of events and of series that were created here and are on the calendar, by their ids."""
    own: dict[str, dict[int, str]] = {"event": {}, "series": {}}
    for uid in uids:
        if record := parse_own(ctx.settings, uid):
            own[record.kind][record.id] = uid
    events, series = own["event"], own["series"]
    return (
        {event_id: events[event_id] for event_id in store.find_visible_events(ctx, calendar, list(events))},
        {series_id: series[series_id] for series_id in store.find_visible_series(ctx, calendar, list(series))},
    )


def _add_series(ctx: Context, calendar: Calendar, existing: dict[str, Existing], uids: dict[int, str], own: dict[int, str]) -> None:
    """Add the series with their events and exceptions; `uids` has the UID of each series."""
    ids = list(uids)
    parts: dict[str, Series] = {}
    for series in series_store.find_by_ids(ctx, ids):
        record = existing.setdefault(uids[series.id], Existing())
        if series.id in own or series.uid == uids[series.id]:
            record.series, record.is_own = series, series.id in own
        elif series.uid:
            record.parts.append(series.id)
            parts[series.uid] = series
    moved = {series.id: _distance(uid, parts) for uid, series in parts.items()}
    for event in event_store.find_by_series(ctx, ids):
        assert event.series_id is not None
        _add_event_of_series(existing[uids[event.series_id]], event, moved.get(event.series_id, timedelta()))
    for series_id, slot in series_store.find_exceptions(ctx, ids):
        existing[uids[series_id]].exceptions.add(slot)
    for series_id in store.find_series_with_events_elsewhere(ctx, calendar, ids):
        existing[uids[series_id]].has_events_elsewhere = True


def _distance(uid: str, parts: dict[str, Series]) -> timedelta:
    """How many days later the series that was split into this part has its dates."""
    if uid not in parts or not (part := _parse_part(uid)):
        return timedelta()
    return part[1] - parts[uid].rule.first + _distance(part[0], parts)


def _add_event_of_series(record: Existing, event: Event, by: timedelta) -> None:
    if event.slot is not None:
        slot = _move(event.slot, by) if by else event.slot
        if slot in record.events:
            record.duplicates.append(record.events[slot])
        record.events[slot] = event
    single = record.events.get("")
    if single and single.id == event.id:
        record.pattern = record.events.pop("")
