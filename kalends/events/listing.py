"""Lists of events: read by an index that gives them in order, or found by an index over their text.

A page costs what the page costs, whatever the table holds. So a list of several calendars is merged from the lists of each,
and a search looks first how many events can match: few are looked through, many are met soon enough by reading in order."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.calendars.model import Searched
from kalends.context import Context
from kalends.db import columns
from kalends.events import conditions
from kalends.events.conditions import Conditions
from kalends.events.model import EventRow
from kalends.events.query import EventQuery

FEW = 2_000
DEEP = 10_000
# How many events a count looks at.
MOST_COUNTED = 10_000
BEYOND = (2**63, 0)

_PLACED = "(SELECT coalesce(string_agg(CAST(o.calendar_id AS TEXT), ','), '') FROM placements o WHERE o.event_id = e.id)"
_ROW = columns(EventRow, "e").replace("e.placed", _PLACED)
_ORDER = " ORDER BY e.start_at, e.id"
_LATEST_FIRST = " ORDER BY e.start_at DESC, e.id DESC"

Key = tuple[int, int]


class Total(Struct, frozen=True):
    """How many events a query finds; if not exact, at least so many."""

    number: int
    is_exact: bool


def find(ctx: Context, query: EventQuery, calendars: Searched | None, zone: str) -> list[EventRow]:
    """The page of events that the query asks for, and one more if there are more. Without calendars: all public events."""
    chosen = conditions.of(ctx, query, zone)
    order = _LATEST_FIRST if chosen.latest_first else _ORDER
    skip = query.offset
    if query.after:
        conditions.add_after(chosen, query.after)
        skip = 0
    fetch = query.fetch
    if not fetch:
        return []
    # The list of all public events is read in order at any depth.
    is_deep = skip > DEEP and bool(calendars is not None or chosen.literals)
    few = _few(ctx, query, chosen, FEW)
    if query.ids is not None or is_deep or few:
        return _rows(ctx, _matching(ctx, _ROW, query, calendars, chosen, few) + order, chosen.params, fetch, skip)
    if chosen.reaches_back:
        return _going_on(ctx, query, calendars, chosen, skip)
    return _in_order(ctx, calendars, chosen, fetch, skip)


def count(ctx: Context, query: EventQuery, calendars: Searched | None, zone: str) -> Total:
    """How many events the query finds in all, as far as a bounded number of them tells."""
    chosen = conditions.of(ctx, query, zone)
    if not chosen.reaches_back:
        return _counted(ctx, query, calendars, chosen)
    recent = _counted(ctx, query, calendars, conditions.recent(chosen))
    return Total(recent.number + _number(ctx, query, calendars, conditions.lasting(chosen)), recent.is_exact)


def _counted(ctx: Context, query: EventQuery, calendars: Searched | None, chosen: Conditions) -> Total:
    """Count the matches among the first candidates."""
    candidates = f"{_candidates(ctx, query, calendars, chosen)} LIMIT {MOST_COUNTED + 1}"
    where = chosen.sql("e.start_at", "e.id", _scope(ctx, query, calendars, chosen), policy.event_visible(ctx))
    select = _among("count(DISTINCT e.id), (SELECT count(*) FROM hits)", candidates, where)
    number, examined = ctx.tx.rows(select, **chosen.params, me=policy.me(ctx))[0]
    return Total(number, examined <= MOST_COUNTED)


def _candidates(ctx: Context, query: EventQuery, calendars: Searched | None, chosen: Conditions) -> str:
    """SQL for the ids of the events that may match, by whichever index leads to the fewest; one may come twice."""
    if query.ids is not None:
        return f"SELECT e.id FROM events e WHERE e.id IN {ctx.db.in_list('ids')}"
    if few := _few(ctx, query, chosen, MOST_COUNTED):
        return few
    if query.series_id is not None:
        return "SELECT e.id FROM events e WHERE e.series_id = :series_id"
    if calendars is None:
        return f"SELECT e.id FROM events e WHERE {chosen.bounded('e.start_at', 'e.id', 'e.public')}{_ORDER}"
    within = chosen.bounded("p.start_at", "p.event_id", f"p.calendar_id IN {ctx.db.in_list('calendars')}")
    return f"SELECT p.event_id AS id FROM placements p WHERE {within}"


def _matching(ctx: Context, selected: str, query: EventQuery, calendars: Searched | None, chosen: Conditions, few: str | None) -> str:
    """All events that the query finds, by whichever index leads to the fewest."""
    hits = few
    if few is None and query.ids is None and chosen.literals and calendars is None:
        hits, found = ctx.db.ids_containing("events", "search", chosen.literals)
        chosen.params |= found
    elif few is None and query.ids is None and calendars is not None:
        within = chosen.bounded("p.start_at", "p.event_id", f"p.calendar_id IN {ctx.db.in_list('calendars')}")
        hits = f"SELECT DISTINCT p.event_id AS id FROM placements p WHERE {within}"
    where = chosen.sql("e.start_at", "e.id", _scope(ctx, query, calendars, chosen), policy.event_visible(ctx))
    return _among(selected, hits, where) if hits else f"SELECT {selected} FROM events e WHERE {where}"


def _scope(ctx: Context, query: EventQuery, calendars: Searched | None, chosen: Conditions) -> str:
    """Where the events must be, for those that were found otherwise."""
    if calendars is None:
        return "1 = 1" if query.ids is not None and query.scope is None else "e.public"
    chosen.params["calendars"] = [calendar.id for calendar in calendars]
    return f"e.id IN (SELECT p.event_id FROM placements p WHERE p.event_id = e.id AND p.calendar_id IN {ctx.db.in_list('calendars')})"


def _few(ctx: Context, query: EventQuery, chosen: Conditions, most: int) -> str | None:
    """SQL for the events that can match, if the index over the text finds few of them."""
    if query.ids is not None or not chosen.literals:
        return None
    found = ctx.tx.ids_if_selective("events", "search", chosen.literals, most)
    if found is None:
        return None
    sql, params = found
    chosen.params |= params
    return sql


def _among(selected: str, hits: str, where: str) -> str:
    """Look closer at the events of these ids."""
    return f"WITH hits AS MATERIALIZED ({hits}) SELECT {selected} FROM hits CROSS JOIN events e WHERE e.id = hits.id AND {where}"


def _going_on(ctx: Context, query: EventQuery, calendars: Searched | None, chosen: Conditions, skip: int) -> list[EventRow]:
    """What overlaps a time: first what began long before it, which an index of its own finds, then the rest."""
    lasting = conditions.lasting(chosen)
    first = _rows(ctx, _long(ctx, _ROW, query, calendars, lasting) + _ORDER, lasting.params, query.fetch, skip)
    skip = 0 if first or not skip else skip - _number(ctx, query, calendars, lasting)
    rest = conditions.recent(chosen)
    return first + (_in_order(ctx, calendars, rest, query.fetch - len(first), skip) if len(first) < query.fetch else [])


def _long(ctx: Context, selected: str, query: EventQuery, calendars: Searched | None, lasting: Conditions) -> str:
    """Those that began long before, on these calendars or in public: other people's private events are not read."""
    if calendars is None:
        where = lasting.sql("e.start_at", "e.id", _scope(ctx, query, calendars, lasting), policy.event_visible(ctx))
        return f"SELECT {selected} FROM events e WHERE {where}"
    lasting.params["calendars"] = [calendar.id for calendar in calendars]
    within = f"p.lasts AND p.start_at < :recent AND p.calendar_id IN {ctx.db.in_list('calendars')}"
    where = lasting.sql("e.start_at", "e.id", policy.event_visible(ctx))
    return _among(selected, f"SELECT DISTINCT p.event_id AS id FROM placements p WHERE {within}", where)


def _number(ctx: Context, query: EventQuery, calendars: Searched | None, lasting: Conditions) -> int:
    return int(ctx.tx.value(_long(ctx, "count(*)", query, calendars, lasting), **lasting.params, me=policy.me(ctx)))


def _in_order(ctx: Context, calendars: Searched | None, chosen: Conditions, limit: int, skip: int) -> list[EventRow]:
    """Read by the index that gives them in order."""
    if calendars is None:
        where = chosen.sql("e.start_at", "e.id", "e.public")
        order = _LATEST_FIRST if chosen.latest_first else _ORDER
        return _rows(ctx, f"SELECT {_ROW} FROM events e WHERE {where}" + order, chosen.params, limit, skip)
    if len(calendars) == 1:
        one = _placed(ctx, _ROW, ":calendar", chosen, as_member=calendars[0].is_member)
        return _rows(ctx, one, chosen.params | {"calendar": calendars[0].id}, limit, skip)
    keys = _merged(ctx, calendars, chosen, limit + skip)[skip:]
    return _load(ctx, [event_id for _, event_id in keys], latest_first=chosen.latest_first)


def _rows(ctx: Context, select: str, params: dict[str, Any], limit: int, offset: int) -> list[EventRow]:
    return ctx.tx.all(
        EventRow,
        f"{select} LIMIT :limit OFFSET :offset",
        **params,
        me=policy.me(ctx),
        limit=limit,
        offset=offset,
    )


def _placed(ctx: Context, selected: str, calendar: str, chosen: Conditions, *, as_member: bool) -> str:
    """The events that are placed on a calendar, as far as the actor sees them."""
    where = chosen.sql(
        "p.start_at", "p.event_id", f"p.calendar_id = {calendar}", "e.id = p.event_id", policy.placed_event_visible(ctx, as_member)
    )
    down = " DESC" if chosen.latest_first else ""
    return f"SELECT {selected} FROM placements p CROSS JOIN events e WHERE {where} ORDER BY p.start_at{down}, p.event_id{down}"


def _merged(ctx: Context, calendars: Searched, chosen: Conditions, wanted: int) -> list[Key]:
    """Merge the calendars' own lists: a little of each, then more of those that the page used up."""
    size = max(8, 2 * wanted // max(1, len(calendars)))
    heads: dict[int, list[Key]] = {}
    pending = list(calendars)
    merged: list[Key] = []
    # In the order of the page, whatever it is.
    sign = -1 if chosen.latest_first else 1
    while pending:
        heads |= _heads(ctx, pending, chosen, size, sign)
        merged = sorted({key for keys in heads.values() for key in keys})[:wanted]
        last = merged[-1] if len(merged) == wanted else BEYOND
        pending = [c for c in pending if len(heads[c.id]) == size and heads[c.id][-1] < last]
        size *= 4
    return [(sign * start_at, sign * event_id) for start_at, event_id in merged]


def _heads(ctx: Context, calendars: Searched, chosen: Conditions, size: int, sign: int) -> dict[int, list[Key]]:
    """The first events of each calendar."""
    heads: dict[int, list[Key]] = {calendar.id: [] for calendar in calendars}
    for as_member in (True, False):
        ids = [calendar.id for calendar in calendars if calendar.is_member is as_member]
        if ids:
            first = f"{_placed(ctx, 'p.id', 'each.id', chosen, as_member=as_member)} LIMIT :size"
            found = f"SELECT h.calendar_id, h.start_at, h.event_id FROM {ctx.db.for_each('each', 'placements h', first)}"
            for calendar_id, start_at, event_id in ctx.tx.rows(found, **chosen.params, each=ids, me=policy.me(ctx), size=size):
                heads[calendar_id].append((sign * start_at, sign * event_id))
    return {calendar_id: sorted(keys) for calendar_id, keys in heads.items()}


def _load(ctx: Context, ids: list[int], *, latest_first: bool) -> list[EventRow]:
    rows = ctx.tx.all(EventRow, f"SELECT {_ROW} FROM events e WHERE e.id IN {ctx.db.in_list('ids')}", ids=ids)
    return sorted(rows, key=lambda row: (row.start_at, row.id), reverse=latest_first)
