"""What a calendar holds already of what a file brings, by UID."""

import re
from collections.abc import Iterable

from msgspec import Struct, field

from kalends import policy
from kalends.calendars.model import Calendar
from kalends.context import Context
from kalends.events import store
from kalends.events.ical import uid as own_uid
from kalends.events.model import Event
from kalends.events.series import store as series
from kalends.events.series.store import Series

_OWN = re.compile(r"(event|series)-([0-9]{1,18})\.")
_SLOT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{6})?")


class Known(Struct):
    """The events that are there under one UID, by slot; "" is that of an event that does not repeat. `is_own`: it was made here,
    and is called as its id says. `is_elsewhere`: some of its occurrences are not on the calendar. `doubles`: events that stand for
    an occurrence which the series has too."""

    held: dict[str, Event] = field(default_factory=dict)
    series: Series | None = None
    excepted: set[str] = field(default_factory=set)
    is_own: bool = False
    is_elsewhere: bool = False
    doubles: list[Event] = field(default_factory=list)


def find(ctx: Context, calendar: Calendar, uids: Iterable[str], all_uids: set[str]) -> dict[str, Known]:
    """What is on the calendar under these of all the file's UIDs. Nobody else can change it until the transaction ends."""
    wanted = dict.fromkeys(uids)
    named = _named(ctx, calendar, wanted, all_uids)
    own_events, own_series = _own(ctx, calendar, wanted)
    repeated = own_series | {series_id: uid for series_id, uid in _named_series(ctx, calendar) if uid in wanted}
    store.hold(ctx, [*named, *own_events, *_members(ctx, list(repeated))])
    known: dict[str, Known] = {}
    for event in _loaded(ctx, "e.id", list(own_events)):
        known[own_events[event.id]] = Known({"": event}, is_own=True)
    for event in _loaded(ctx, "e.id", list(named)):
        uid, slot = named[event.id]
        known.setdefault(uid, Known()).held[slot] = event
    _add_series(ctx, calendar, known, repeated, own_series)
    return known


def missing(ctx: Context, calendar: Calendar, uids: set[str]) -> set[str]:
    """Those of the UIDs under which nothing is on the calendar."""
    wanted = dict.fromkeys(uids)
    named = {uid for uid, _ in _named(ctx, calendar, wanted, uids).values()} | {uid for _, uid in _named_series(ctx, calendar)}
    own_events, own_series = _own(ctx, calendar, wanted)
    return uids - named - set(own_events.values()) - set(own_series.values())


def _named(ctx: Context, calendar: Calendar, wanted: dict[str, None], all_uids: set[str]) -> dict[int, tuple[str, str]]:
    """The events that came under one of the UIDs, with their slots."""
    found: dict[int, tuple[str, str]] = {}
    for event_id, uid in ctx.tx.rows("SELECT id, uid FROM events WHERE calendar_id = :id AND uid IS NOT NULL", id=calendar.id):
        whole, _, slot = uid.rpartition("/")
        if uid in wanted:
            found[event_id] = uid, ""
        elif uid not in all_uids and whole in wanted and _SLOT.fullmatch(slot):
            found[event_id] = whole, slot
    return found


def _named_series(ctx: Context, calendar: Calendar) -> list[tuple[int, str]]:
    rows = ctx.tx.rows(
        """SELECT DISTINCT r.id, r.uid FROM events e JOIN series r ON r.id = e.series_id
           WHERE e.calendar_id = :id AND r.uid IS NOT NULL""",
        id=calendar.id,
    )
    return [(series_id, uid) for series_id, uid in rows]


def _own(ctx: Context, calendar: Calendar, wanted: dict[str, None]) -> tuple[dict[int, str], dict[int, str]]:
    """The UIDs that were given out here, by the ids of their events and of their series, as far as they are on the calendar."""
    found: dict[str, dict[int, str]] = {"event": {}, "series": {}}
    for uid in wanted:
        match = _OWN.match(uid)
        if match and uid == own_uid(ctx.settings, int(match[2]), match[1]):
            found[match[1]][int(match[2])] = uid
    return _placed(ctx, calendar, "e.id", found["event"]), _placed(ctx, calendar, "e.series_id", found["series"])


def _placed(ctx: Context, calendar: Calendar, column: str, named: dict[int, str]) -> dict[int, str]:
    """Those on the calendar that the actor sees."""
    if not named:
        return {}
    rows = ctx.tx.rows(
        f"""SELECT DISTINCT {column} FROM events e JOIN placements p ON p.event_id = e.id AND p.calendar_id = :calendar_id
            WHERE {column} IN {ctx.db.in_list("ids")} AND {policy.event_visible(ctx)}""",
        ids=list(named),
        calendar_id=calendar.id,
        me=policy.me(ctx),
    )
    return {number: named[number] for (number,) in rows}


def _members(ctx: Context, ids: list[int]) -> list[int]:
    rows = ctx.tx.rows(f"SELECT id FROM events WHERE series_id IN {ctx.db.in_list('ids')}", ids=ids)
    return [event_id for (event_id,) in rows]


def _loaded(ctx: Context, column: str, ids: list[int]) -> list[Event]:
    if not ids:
        return []
    return ctx.tx.all(Event, f"{policy.SELECT_EVENTS} WHERE {column} IN {ctx.db.in_list('ids')}", ids=ids, me=policy.me(ctx))


def _add_series(ctx: Context, calendar: Calendar, known: dict[str, Known], repeated: dict[int, str], own: dict[int, str]) -> None:
    ids = list(repeated)
    if not ids:
        return
    for found in series.of_ids(ctx, ids):
        each = known.setdefault(repeated[found.id], Known())
        each.series, each.is_own = found, found.id in own
    for event in _loaded(ctx, "e.series_id", ids):
        assert event.series_id is not None
        each = known[repeated[event.series_id]]
        if event.slot is not None:
            each.doubles += [each.held[event.slot]] if event.slot in each.held else []
            each.held[event.slot] = event
        if event.id == getattr(each.held.get(""), "id", None):
            del each.held[""]
    rows = ctx.tx.rows(f"SELECT series_id, slot FROM series_exceptions WHERE series_id IN {ctx.db.in_list('ids')}", ids=ids)
    for series_id, slot in rows:
        known[repeated[series_id]].excepted.add(slot)
    for series_id in _elsewhere(ctx, calendar, ids):
        known[repeated[series_id]].is_elsewhere = True


def _elsewhere(ctx: Context, calendar: Calendar, ids: list[int]) -> list[int]:
    rows = ctx.tx.rows(
        f"""SELECT DISTINCT e.series_id FROM events e WHERE e.series_id IN {ctx.db.in_list("ids")}
            AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.event_id = e.id AND p.calendar_id = :calendar_id)""",
        ids=ids,
        calendar_id=calendar.id,
    )
    return [series_id for (series_id,) in rows]
