"""SQL that selects the events of a query, from the index that finds the fewest."""

from typing import Any

from kalends import policy
from kalends.core.records.calendar import MemberCalendars, Searched
from kalends.features.events import uid_store as by_uid
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import conditions, near
from kalends.features.events.listing.store.conditions import Conditions
from kalends.http.context import Context

ORDER = " ORDER BY e.start_at, e.id"

# SQL for ids, and its parameters.
Matches = tuple[str, dict[str, Any]]


def build_conditions(ctx: Context, query: EventQuery, zone: str) -> Conditions:
    """The conditions of the query, with the distance from a point if it has one."""
    where = conditions.build(ctx, query, zone)
    if query.scope and policy.is_limited(ctx):
        where.on_event += ["e.public", policy.event_visible(ctx)]
    if query.near is not None:
        near.add(where, query.near, query.km)
    return where


def selective_matches(ctx: Context, query: EventQuery, where: Conditions, most: int) -> Matches | None:
    """SQL for the ids of the events that can match, if a UID or the text index finds few of them."""
    if query.ids is not None:
        return None
    if query.uid is not None:
        return by_uid.select_ids(ctx, query.uid)
    if query.near is not None and (matches := near.select_ids_if_few(ctx, query.near, query.km, most)):
        return matches
    if not where.literals:
        return None
    return ctx.tx.ids_if_selective("events", "search", where.literals, most)


def add_matches(where: Conditions, matches: Matches) -> str:
    """The SQL of the ids; adds its parameters."""
    sql, params = matches
    where.params |= params
    return sql


def select_all(
    ctx: Context, selection: str, query: EventQuery, calendars: Searched | None, where: Conditions, matches: Matches | None
) -> str:
    """SQL for all events of the query, from the most selective index."""
    if matches is None and query.ids is None and where.literals and calendars is None:
        matches = ctx.db.ids_containing("events", "search", where.literals)
    hits = add_matches(where, matches) if matches else None
    if matches is None and query.ids is None and calendars is not None:
        within = where.bounded("p.start_at", "p.event_id", f"p.calendar_id {in_calendars(ctx, calendars, where)}")
        hits = f"SELECT DISTINCT p.event_id AS id FROM placements p WHERE {within}"
    condition = where.sql("e.start_at", "e.id", scope(ctx, query, calendars, where))
    return select_by_ids(selection, hits, condition) if hits else f"SELECT {selection} FROM events e WHERE {condition}"


def select_placed(ctx: Context, selection: str, calendar: str, where: Conditions, *, as_member: bool | None) -> str:
    """SQL for the events on a calendar that the actor can see."""
    condition = where.sql(
        "p.start_at",
        "p.event_id",
        f"p.calendar_id = {calendar}",
        "e.id = p.event_id",
        policy.placed_event_visible(ctx, as_member),
    )
    down = " DESC" if where.latest_first else ""
    return f"SELECT {selection} FROM placements p CROSS JOIN events e WHERE {condition} ORDER BY p.start_at{down}, p.event_id{down}"


def select_earlier(ctx: Context, selection: str, calendars: Searched | None, where: Conditions) -> str:
    """SQL for the events that began long before an overlap, on these calendars, or for those of an index of public events: private events
    of other people are not read."""
    if calendars is None:
        index = ctx.db.indexed_by(where.index) if where.index else ""
        return f"SELECT {selection} FROM events e{index} WHERE {where.sql('e.start_at', 'e.id', 'e.public')}"
    within = f"p.lasts AND p.start_at < :recent AND p.calendar_id {in_calendars(ctx, calendars, where)}"
    condition = where.sql("e.start_at", "e.id", policy.event_visible(ctx))
    return select_by_ids(selection, f"SELECT DISTINCT p.event_id AS id FROM placements p WHERE {within}", condition)


def select_by_ids(selection: str, hits: str, condition: str) -> str:
    """SQL that selects the events of these ids that match the condition."""
    return f"WITH hits AS MATERIALIZED ({hits}) SELECT {selection} FROM hits CROSS JOIN events e WHERE e.id = hits.id AND {condition}"


def scope(ctx: Context, query: EventQuery, calendars: Searched | None, where: Conditions) -> str:
    """SQL for the calendars or the visibility that the query asks for, of what the actor sees."""
    visible = policy.event_visible(ctx)
    if calendars is None:
        return visible if query.ids is not None and query.scope is None else "e.public"
    # For few events, two lookups each are faster than the set of all calendars.
    is_own = isinstance(calendars, MemberCalendars)
    on_calendar = policy.is_member("p.calendar_id") if is_own else f"p.calendar_id {in_calendars(ctx, calendars, where)}"
    # A scalar subquery, which no planner makes a join of.
    return f"(SELECT 1 FROM placements p WHERE p.event_id = e.id AND {on_calendar} LIMIT 1) = 1 AND {visible}"


def in_calendars(ctx: Context, calendars: Searched, where: Conditions) -> str:
    """SQL to follow the id of a calendar: whether it is one of these."""
    if isinstance(calendars, MemberCalendars):
        return f"IN {policy.my_calendar_ids(ctx)}"
    where.params["calendars"] = [calendar.id for calendar in calendars]
    return ctx.db.in_list("calendars")
