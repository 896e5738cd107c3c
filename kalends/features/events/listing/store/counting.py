"""How many events match a query."""

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Searched
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import conditions, selection
from kalends.features.events.listing.store.conditions import Conditions
from kalends.http.context import Context

# How many candidates a count examines, and how many if their text must be read.
MAX_COUNTED, MAX_SEARCHED = 10_000, 5_000


class Total(Struct, frozen=True):
    """How many events match a query; if not exact, at least this number."""

    number: int
    is_exact: bool


def count(ctx: Context, query: EventQuery, calendars: Searched | None, zone: str) -> Total:
    """How many events match the query, from a bounded number of candidates."""
    where = selection.build_conditions(ctx, query, zone)
    if not where.is_overlap or query.ids is not None:
        return _count_among_candidates(ctx, query, calendars, where)
    *earlier, rest = conditions.split(where, in_public=calendars is None)
    total = _count_among_candidates(ctx, query, calendars, rest)
    return Total(total.number + sum(count_earlier(ctx, calendars, part) for part in earlier), total.is_exact)


def _count_among_candidates(ctx: Context, query: EventQuery, calendars: Searched | None, where: Conditions) -> Total:
    """Count the matches among the first candidates."""
    most = MAX_SEARCHED if where.on_text else MAX_COUNTED
    limit = f" LIMIT {most + 1}"
    if candidates := _candidates(ctx, query, calendars, where, most):
        condition = where.sql("e.start_at", "e.id", selection.scope(ctx, query, calendars, where))
        select = selection.select_by_ids("count(DISTINCT e.id), (SELECT count(*) FROM hits)", candidates + limit, condition)
    else:
        first = f"SELECT e.* FROM events e WHERE {where.bounded('e.start_at', 'e.id', 'e.public')}{selection.ORDER}{limit}"
        select = f"SELECT count(CASE WHEN {where.sql('e.start_at', 'e.id')} THEN 1 END), count(*) FROM ({first}) AS e"
    number, examined = ctx.tx.rows(select, **where.params, me=policy.me(ctx))[0]
    return Total(number, examined <= most)


def _candidates(ctx: Context, query: EventQuery, calendars: Searched | None, where: Conditions, most: int) -> str | None:
    """SQL for the ids of the events that may match, from the most selective index; an id may be repeated. None: all public events."""
    if query.ids is not None:
        return f"SELECT e.id FROM events e WHERE e.id {ctx.db.in_list('ids')}"
    if matches := selection.selective_matches(ctx, query, where, most):
        return selection.add_matches(where, matches)
    if query.series_id is not None:
        return "SELECT e.id FROM events e WHERE e.series_id = :series_id"
    if calendars is None:
        return None
    within = where.bounded("p.start_at", "p.event_id", f"p.calendar_id {selection.in_calendars(ctx, calendars, where)}")
    return f"SELECT p.event_id AS id FROM placements p WHERE {within}"


def count_earlier(ctx: Context, calendars: Searched | None, where: Conditions) -> int:
    """How many events `select_earlier` selects."""
    return int(ctx.tx.value(selection.select_earlier(ctx, "count(*)", calendars, where), **where.params, me=policy.me(ctx)))
