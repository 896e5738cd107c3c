"""Lists of events: read by an index that gives them in order, or found by an index over their text.

A page costs what the page costs, whatever the table holds. So a list of several calendars is merged from the lists of each,
and a search looks first how many events can match: few are looked through, many are met soon enough by reading in order."""

from collections.abc import Sequence
from typing import Any

from kalends import policy
from kalends.calendars.model import Calendar
from kalends.context import Context
from kalends.db import columns
from kalends.events import conditions
from kalends.events.conditions import Conditions
from kalends.events.model import EventQuery, EventRow

FEW = 2_000
CHUNK = 100
BEYOND = (2**63, 0)

_ROW = columns(EventRow, "e")

Key = tuple[int, int]


def find(ctx: Context, query: EventQuery, calendars: Sequence[Calendar] | None, zone: str) -> list[EventRow]:
    """The page of events that the query asks for, and one more if there are more. Without calendars: all public events."""
    chosen = conditions.of(ctx, query, zone)
    skip = query.offset
    if query.after:
        conditions.add_after(chosen, query.after)
        skip = 0
    if not query.fetch:
        return []
    if query.ids is not None or _are_few(ctx, chosen):
        return _among(ctx, chosen, _scope(ctx, query, calendars, chosen), query.fetch, skip)
    if calendars is None:
        where = chosen.sql("e.start_at", "e.id", "e.public")
        return _rows(ctx, f"SELECT {_ROW} FROM events e WHERE {where} ORDER BY e.start_at, e.id", chosen.params, query.fetch, skip)
    if len(calendars) == 1:
        return _rows(ctx, _placed(ctx, _ROW, calendars[0], ":c0", chosen), chosen.params | {"c0": calendars[0].id}, query.fetch, skip)
    keys = _merged(ctx, calendars, chosen, query.fetch + skip)[skip:]
    return _load(ctx, [event_id for _, event_id in keys])


def count(ctx: Context, query: EventQuery, calendars: Sequence[Calendar] | None, zone: str) -> int:
    """How many events the query finds in all."""
    chosen = conditions.of(ctx, query, zone)
    where = chosen.sql("e.start_at", "e.id", _scope(ctx, query, calendars, chosen), policy.sees(ctx))
    return int(ctx.tx.value(f"SELECT count(*) FROM events e WHERE {where}", **chosen.params, me=policy.me(ctx)))


def _scope(ctx: Context, query: EventQuery, calendars: Sequence[Calendar] | None, chosen: Conditions) -> str:
    """Where the events must be, for those that were found otherwise."""
    if calendars is None:
        return "1 = 1" if query.ids is not None else "e.public"
    chosen.params["calendars"] = [calendar.id for calendar in calendars]
    return f"e.id IN (SELECT p.event_id FROM placements p WHERE p.event_id = e.id AND p.calendar_id IN {ctx.db.listed('calendars')})"


def _are_few(ctx: Context, chosen: Conditions) -> bool:
    """Whether the index over the text finds few events that can match."""
    if not chosen.literals:
        return False
    sql, params = ctx.db.containing("events", "search", chosen.literals)
    return bool(ctx.tx.value(f"SELECT count(*) FROM ({sql} LIMIT {FEW + 1}) AS hits", **params) <= FEW)


def _among(ctx: Context, chosen: Conditions, scope: str, limit: int, offset: int) -> list[EventRow]:
    """Look through the few."""
    where, params = chosen.sql("e.start_at", "e.id", scope, policy.sees(ctx)), chosen.params
    if not chosen.literals:
        return _rows(ctx, f"SELECT {_ROW} FROM events e WHERE {where} ORDER BY e.start_at, e.id", params, limit, offset)
    sql, found = ctx.db.containing("events", "search", chosen.literals)
    select = f"SELECT {_ROW} FROM hits CROSS JOIN events e WHERE e.id = hits.id AND {where} ORDER BY e.start_at, e.id"
    return _rows(ctx, f"WITH hits AS MATERIALIZED ({sql}) {select}", params | found, limit, offset)


def _rows(ctx: Context, select: str, params: dict[str, Any], limit: int, offset: int) -> list[EventRow]:
    return ctx.tx.all(
        EventRow,
        f"{select} LIMIT :limit OFFSET :offset",
        **params,
        me=policy.me(ctx),
        limit=limit,
        offset=offset,
    )


def _placed(ctx: Context, selected: str, calendar: Calendar, parameter: str, chosen: Conditions) -> str:
    """The events that are placed on one calendar, as far as the actor sees them."""
    where = chosen.sql("p.start_at", "p.event_id", f"p.calendar_id = {parameter}", "e.id = p.event_id", policy.sees_placed(ctx, calendar))
    return f"SELECT {selected} FROM placements p CROSS JOIN events e WHERE {where} ORDER BY p.start_at, p.event_id"


def _merged(ctx: Context, calendars: Sequence[Calendar], chosen: Conditions, wanted: int) -> list[Key]:
    """Merge the calendars' own lists: a little of each, then more of those that the page used up."""
    size = max(8, 2 * wanted // len(calendars)) if calendars else wanted
    heads: dict[int, list[Key]] = {}
    pending = list(calendars)
    merged: list[Key] = []
    while pending:
        heads |= _heads(ctx, pending, chosen, size)
        merged = sorted({key for keys in heads.values() for key in keys})[:wanted]
        last = merged[-1] if len(merged) == wanted else BEYOND
        pending = [c for c in pending if len(heads[c.id]) == size and heads[c.id][-1] < last]
        size *= 4
    return merged


def _heads(ctx: Context, calendars: Sequence[Calendar], chosen: Conditions, size: int) -> dict[int, list[Key]]:
    """The first events of each calendar."""
    heads: dict[int, list[Key]] = {calendar.id: [] for calendar in calendars}
    selected = "p.calendar_id, p.start_at, p.event_id"
    for some in (calendars[i : i + CHUNK] for i in range(0, len(calendars), CHUNK)):
        lists = [f"SELECT * FROM ({_placed(ctx, selected, c, f':c{i}', chosen)} LIMIT :size) AS head{i}" for i, c in enumerate(some)]
        ids = {f"c{i}": calendar.id for i, calendar in enumerate(some)}
        for calendar_id, *key in ctx.tx.rows(" UNION ALL ".join(lists), **chosen.params, **ids, me=policy.me(ctx), size=size):
            heads[calendar_id].append((key[0], key[1]))
    return heads


def _load(ctx: Context, ids: list[int]) -> list[EventRow]:
    rows = ctx.tx.all(EventRow, f"SELECT {_ROW} FROM events e WHERE e.id IN {ctx.db.listed('ids')}", ids=ids)
    return sorted(rows, key=lambda row: (row.start_at, row.id))
