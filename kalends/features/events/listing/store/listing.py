"""Lists of events, read in order from an index or found by the text index.

The cost of a page must not grow with the table. A list of several calendars is therefore merged from the lists of each. A search
first asks the text index how many events can match: a selective one loads and sorts its matches, any other filters the events in
order, which soon fills a page."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.records.calendar import Calendars, MemberCalendars, Searched
from kalends.core.records.event import EventRow
from kalends.core.values import datetimes
from kalends.db import columns
from kalends.features.events.listing.query_model import EventQuery
from kalends.features.events.listing.store import conditions, counting, selection
from kalends.features.events.listing.store.conditions import Conditions
from kalends.http.context import Context
from kalends.http.rate_limit import search_counters

# A search that can match at most this many events is selective.
SELECTIVE = 2_000
DEEP_OFFSET = 10_000
# How many public events a search looks at in order, if no index finds few that can match.
MAX_EXAMINED = 5_000
# Sorts after every event.
AFTER_ALL = (2**63, 0)

_LATEST_FIRST = " ORDER BY e.start_at DESC, e.id DESC"
# Where an event is in the list.
_position = attrgetter("start_at", "id")
_SENT_UID = "CASE WHEN e.series_id IS NULL THEN e.uid ELSE (SELECT r.uid FROM series r WHERE r.id = e.series_id) END"

Key = tuple[int, int]


class Examined(Struct, frozen=True):
    """What a search in all public events looks at: the matches of the text index, if they are few, or else the events up to `last`."""

    matches: selection.Matches | None = None
    last: Key | None = None


def examine(ctx: Context, query: EventQuery, calendars: Searched | None, zone: str) -> Examined | None:
    """What a search in all public events looks at; None for any other query.

    This is the first step of each list that takes words, so guests' searches are counted here.
    """
    if ctx.actor is not None and calendars is not None:
        return None
    where = selection.build_conditions(ctx, query, zone)
    if where.on_text:
        search_counters.count(ctx)
    if calendars is not None or query.ids is not None or query.uid is not None or not where.on_text:
        return None
    matches = selection.selective_matches(ctx, query, where, SELECTIVE)
    # An offset counts from the first match, wherever that is.
    if matches or (where.literals and query.offset and not query.after):
        return Examined(matches)
    return Examined(last=_find_last_examined(ctx, query, where))


def _find_last_examined(ctx: Context, query: EventQuery, where: Conditions) -> Key | None:
    """The last event that the search looks at; None if there are no more."""
    if query.after:
        conditions.add_cursor(where, query.after)
    parts = conditions.split(where, in_public=True) if where.is_overlap else [where]
    order = _LATEST_FIRST if where.latest_first else selection.ORDER
    for part in parts:
        index = ctx.db.indexed_by(part.index) if part.index else ""
        select = f"SELECT e.start_at, e.id FROM events e{index} WHERE {part.bounded('e.start_at', 'e.id', 'e.public')}{order}"
        for start_at, event_id in ctx.tx.rows(f"{select} LIMIT 1 OFFSET :examined", **part.params, examined=MAX_EXAMINED - 1):
            return start_at, event_id
    return None


def find(ctx: Context, query: EventQuery, calendars: Searched | None, zone: str, *, examined: Examined | None = None) -> list[EventRow]:
    """The page of the query, and one more event if there is a next page. Without calendars: all public events.

    examined: no other events.
    """
    where = selection.build_conditions(ctx, query, zone)
    if examined and examined.last:
        where = conditions.up_to(where, examined.last)
    order = _LATEST_FIRST if where.latest_first else selection.ORDER
    skip = query.offset
    if query.after:
        conditions.add_cursor(where, query.after)
        skip = 0
    fetch = query.fetch
    if not fetch:
        return []
    # The list of all public events is read in order at any offset.
    is_deep = skip > DEEP_OFFSET and bool(calendars is not None or where.literals)
    matches = examined.matches if examined else selection.selective_matches(ctx, query, where, SELECTIVE)
    if query.ids is not None or is_deep or matches:
        select = selection.select_all(ctx, _row(ctx), query, calendars, where, matches) + order
        return _rows(ctx, select, where.params, fetch, skip)
    if where.is_overlap:
        return _find_overlapping(ctx, query, calendars, where, skip)
    return _find_in_order(ctx, calendars, where, fetch, skip)


def find_on_calendar(ctx: Context, query: EventQuery, calendar_id: int) -> list[EventRow] | None:
    """The events of one calendar, in the statement that checks whether the actor may see it; None if the query needs more statements."""
    if query.text or query.overlaps or query.ids is not None or query.uid is not None:
        return None
    if query.count or query.offset or not query.fetch:
        return None
    if not (query.time_zone or all(_has_zone(time) for time in (query.start_time, query.end_time) if time)):
        return None
    where = selection.build_conditions(ctx, query, "UTC")
    if where.literals or query.near is not None:
        return None
    if query.after:
        conditions.add_cursor(where, query.after)
    where.on_event.append(policy.calendar_visible_by_id(ctx, ":calendar"))
    select = selection.select_placed(ctx, _columns_on_calendar(policy.calendar_visible(ctx)), ":calendar", where, as_member=None)
    return _rows(ctx, select, where.params | {"calendar": calendar_id}, query.fetch, 0)


def _has_zone(time: str) -> bool:
    parsed = datetimes.parse(time)
    return parsed.zone is not None or (parsed.offset is not None and not parsed.is_date)


def _find_overlapping(ctx: Context, query: EventQuery, calendars: Searched | None, where: Conditions, skip: int) -> list[EventRow]:
    """The events that overlap a time: first those that began before it, which have indexes of their own, then the others."""
    *earlier, rest = conditions.split(where, in_public=calendars is None)
    rows: list[EventRow] = []
    for part in earlier:
        found = _find_earlier(ctx, calendars, part, query.fetch - len(rows), skip) if len(rows) < query.fetch else []
        skip = 0 if rows or found or not skip else skip - counting.count_earlier(ctx, calendars, part)
        rows += found
    return rows + (_find_in_order(ctx, calendars, rest, query.fetch - len(rows), skip) if len(rows) < query.fetch else [])


def _find_earlier(ctx: Context, calendars: Searched | None, part: Conditions, limit: int, skip: int) -> list[EventRow]:
    return _find_page(ctx, lambda selected: selection.select_earlier(ctx, selected, calendars, part) + selection.ORDER, part, limit, skip)


def _find_in_order(ctx: Context, calendars: Searched | None, where: Conditions, limit: int, skip: int) -> list[EventRow]:
    """Read the events from the index that has them in order."""
    if calendars is None:
        condition = where.sql("e.start_at", "e.id", "e.public") + (_LATEST_FIRST if where.latest_first else selection.ORDER)
        return _find_page(ctx, lambda selected: f"SELECT {selected} FROM events e WHERE {condition}", where, limit, skip)
    members = policy.member_calendar_ids(ctx) if isinstance(calendars, MemberCalendars) else calendars
    if len(members) == 1:
        [calendar] = members
        where.params["calendar"] = calendar.id
        return _find_page(
            ctx,
            lambda selected: selection.select_placed(ctx, selected, ":calendar", where, as_member=calendar.is_member),
            where,
            limit,
            skip,
        )
    keys = _merge(ctx, members, where, limit + skip)[skip:]
    return load(ctx, [event_id for _, event_id in keys], latest_first=where.latest_first)


def _find_page(ctx: Context, select: Callable[[str], str], where: Conditions, limit: int, skip: int) -> list[EventRow]:
    """A page of the list that `select` gives the SQL of. The calendars of events before it are not looked up."""
    if not skip:
        return _rows(ctx, select(_row(ctx)), where.params, limit, skip)
    sql = f"{select('e.id')} LIMIT :limit OFFSET :offset"
    ids = [event_id for (event_id,) in ctx.tx.rows(sql, **where.params, me=policy.me(ctx), limit=limit, offset=skip)]
    return load(ctx, ids, latest_first=where.latest_first)


def _row(ctx: Context) -> str:
    """The columns of an EventRow."""
    return _columns(policy.calendar_visible(ctx))


@cache
def _columns(calendar_visible: str) -> str:
    calendar_ids = f"""(SELECT coalesce(string_agg(CAST(c.id AS TEXT), ','), '') FROM placements o JOIN calendars c ON c.id = o.calendar_id
        WHERE o.event_id = e.id AND {calendar_visible})"""
    return columns(EventRow, "e", sent_uid=_SENT_UID, calendar_ids=calendar_ids)


@cache
def _columns_on_calendar(calendar_visible: str) -> str:
    """The columns of an EventRow where `p` places all events on `:calendar`, which the actor sees. Few are on a second one."""
    others = f"""SELECT string_agg(',' || CAST(c.id AS TEXT), '') FROM placements o JOIN calendars c ON c.id = o.calendar_id
        WHERE o.event_id = e.id AND o.calendar_id <> :calendar AND {calendar_visible}"""
    # The cast of a parameter can be evaluated once, that of a column only for each row.
    own = "CAST(CAST(:calendar AS BIGINT) AS TEXT)"
    calendar_ids = f"CASE WHEN p.has_others THEN {own} || coalesce(({others}), '') ELSE {own} END"
    return columns(EventRow, "e", sent_uid=_SENT_UID, calendar_ids=calendar_ids)


def _rows(ctx: Context, select: str, params: dict[str, Any], limit: int, offset: int) -> list[EventRow]:
    rows = ctx.tx.all(
        EventRow,
        f"{select} LIMIT :limit OFFSET :offset",
        **params,
        me=policy.me(ctx),
        limit=limit,
        offset=offset,
    )
    return policy.reveal_all(ctx, rows)


def _merge(ctx: Context, calendars: Calendars, where: Conditions, limit: int) -> list[Key]:
    """Merge the lists of the calendars: the first events of each, then more of those whose events are all on the page.

    To find one more that has the words, many may be read, so that a search begins with fewer of each.
    """
    share = limit // max(1, len(calendars))
    size = share + 1 if where.on_text else max(8, 2 * share)
    heads: dict[int, list[Key]] = {}
    pending = list(calendars)
    merged: list[Key] = []
    # Negated keys sort the latest events first.
    sign = -1 if where.latest_first else 1
    while pending:
        heads |= _first_of_each(ctx, pending, where, size, sign)
        merged = sorted({key for keys in heads.values() for key in keys})[:limit]
        last = merged[-1] if len(merged) == limit else AFTER_ALL
        pending = [c for c in pending if len(heads[c.id]) == size and heads[c.id][-1] < last]
        size *= 4
        if len(merged) == limit:
            where = conditions.up_to(where, (sign * last[0], sign * last[1]))
    return [(sign * start_at, sign * event_id) for start_at, event_id in merged]


def _first_of_each(ctx: Context, calendars: Calendars, where: Conditions, size: int, sign: int) -> dict[int, list[Key]]:
    """The keys of the first events of each calendar."""
    heads: dict[int, list[Key]] = {calendar.id: [] for calendar in calendars}
    for as_member in (True, False):
        ids = [calendar.id for calendar in calendars if calendar.is_member is as_member]
        if ids:
            first = f"{selection.select_placed(ctx, 'p.id', 'each.id', where, as_member=as_member)} LIMIT :size"
            select = f"SELECT h.calendar_id, h.start_at, h.event_id FROM {ctx.db.for_each('each', 'placements h', first)}"
            for calendar_id, start_at, event_id in ctx.tx.rows(select, **where.params, each=ids, me=policy.me(ctx), size=size):
                heads[calendar_id].append((sign * start_at, sign * event_id))
    return {calendar_id: sorted(keys) for calendar_id, keys in heads.items()}


def load(ctx: Context, ids: list[int], *, latest_first: bool = False) -> list[EventRow]:
    """These events, without a permission check."""
    rows = ctx.tx.all(EventRow, f"SELECT {_row(ctx)} FROM events e WHERE e.id {ctx.db.in_list('ids')}", ids=ids, me=policy.me(ctx))
    return sorted(policy.reveal_all(ctx, rows), key=_position, reverse=latest_first)
