"""The events of some days, with no more of each than a calendar shows."""

from collections.abc import Sequence
from typing import Any

from kalends import policy
from kalends.core.records.calendar import NamedCalendar
from kalends.core.values.datetimes import DAY_SECONDS
from kalends.features.events.listing.store.conditions import IN_PUBLIC, LASTING, LONG_SECONDS, TAKES_DAYS, TAKING_DAYS
from kalends.http.context import Context

Row = tuple[Any, ...]
# When an event starts, its id, and the calendar that it is on, if that is known.
Start = tuple[int, int, int | None]

# The first fields of an Entry, of an event `e`; whether the actor may edit it is the next one.
_COLUMNS = "e.start_at, e.id, e.title, e.end_at, e.all_day, e.time_zone, e.location, e.status"

# Events that are not all day and last less than a day.
_TIMED = "NOT p.takes_days AND p.start_at >= :yesterday AND p.start_at < :end AND (e.until_at > :start OR p.start_at >= :start)"
_STARTING = "NOT p.takes_days AND p.start_at >= :start AND p.start_at < :end"
# The others. They have indexes of their own, and those that last for more than a month have another one. `lasts` is never NULL: without it
# a planner may prefer the index that has all columns of the condition, and read the timed events, too.
_TAKING_DAYS = (
    "p.takes_days AND p.lasts IS NOT NULL AND p.start_at >= :recent AND p.start_at < :end AND (e.until_at > :start OR p.start_at >= :start)"
)
_LONG_RUNNING = "p.lasts AND p.start_at < :recent AND e.until_at > :start"

# Of the public events, for each kind the index to read and the condition.
_PUBLIC_LONG_RUNNING = (LASTING, f"e.until_at - e.start_at > {LONG_SECONDS} AND e.start_at < :recent AND e.until_at > :start")
_PUBLIC_BEGUN = (TAKING_DAYS, f"{TAKES_DAYS} AND e.start_at >= :recent AND e.start_at < :start AND e.until_at > :start")
_PUBLIC_BEGINNING = (TAKING_DAYS, f"{TAKES_DAYS} AND e.start_at >= :start AND e.start_at < :end")
_PUBLIC_TIMED = (IN_PUBLIC, f"NOT {TAKES_DAYS} AND e.start_at >= :start AND e.start_at < :end")
# How many of the public events of the day before are examined, the latest: a large site has thousands, and few of them go on.
MAX_EXAMINED = 1_000


def find(ctx: Context, start: int, end: int, calendars: Sequence[NamedCalendar], limit: int) -> list[Row]:
    """The events on the calendars between two instants in no order, each with the id of the calendar that it is on."""
    return _find(ctx, start, end, calendars, limit, (_LONG_RUNNING, _TAKING_DAYS, _TIMED))


def find_taking_days(ctx: Context, start: int, end: int, calendars: Sequence[NamedCalendar], limit: int) -> list[Row]:
    """The events on the calendars between two instants that are all-day or last for a day or more."""
    return _find(ctx, start, end, calendars, limit, (_LONG_RUNNING, _TAKING_DAYS))


def find_starts(ctx: Context, start: int, end: int, calendars: Sequence[NamedCalendar], limit: int) -> list[Start]:
    """When the others start that start between the two instants. No event is read: an index has all of it."""
    rows: list[Start] = []
    for as_member, ids in _by_membership(calendars):
        visible = policy.placement_visible(ctx, as_member)
        sql = f"""SELECT p.start_at, p.event_id, p.calendar_id FROM placements p
                  WHERE p.calendar_id {ctx.db.in_list("ids")} AND {_STARTING} AND {visible} LIMIT :limit"""
        rows += ctx.tx.rows(sql, ids=ids, me=policy.me(ctx), start=start, end=end, limit=limit)
    return rows


def find_public_running(ctx: Context, start: int, limit: int) -> list[Row]:
    """The public events that take days and go on at an instant, in the order of their start."""
    rows = _find_public(ctx, _PUBLIC_LONG_RUNNING, limit, start=start, recent=start - LONG_SECONDS)
    if len(rows) < limit:
        rows += _find_public(ctx, _PUBLIC_BEGUN, limit - len(rows), start=start, recent=start - LONG_SECONDS)
    return rows


def find_public_taking_days(ctx: Context, start: int, end: int, limit: int) -> list[Row]:
    """The public events that take days and start between the two instants, in order."""
    return _find_public(ctx, _PUBLIC_BEGINNING, limit, start=start, end=end)


def find_public_timed(ctx: Context, start: int, end: int, limit: int) -> list[Row]:
    """The other public events between the two instants, in the order of their start."""
    begun = _find_public_begun(ctx, start)[:limit]
    return begun + _find_public(ctx, _PUBLIC_TIMED, limit - len(begun), start=start, end=end)


def find_public_starts(ctx: Context, start: int, end: int, limit: int) -> list[Start]:
    """When all public events start that start between the two instants, in order. No event is read: an index has all of it."""
    public = "e.public AND e.start_at >= :start AND e.start_at < :end"
    sql = f"SELECT e.start_at, e.id, NULL FROM events e WHERE {public} ORDER BY e.start_at, e.id LIMIT :limit"
    return ctx.tx.rows(sql, start=start, end=end, limit=limit)


def find_by_ids(ctx: Context, ids: list[int]) -> list[Row]:
    """These events, which the actor can see, without a calendar."""
    sql = f"SELECT {_COLUMNS}, {policy.event_editable(ctx)} FROM events e WHERE e.id {ctx.db.in_list('ids')}"
    return ctx.tx.rows(sql, ids=ids, me=policy.me(ctx))


def find_titles(ctx: Context, ids: list[int]) -> list[Row]:
    """What the month shows of these events: the id, title, status, whether the actor may edit it, and for guests a calendar that
    it is on. An event on several of them is in as many rows, and the last one has its first calendar."""
    columns = f"e.id, e.title, e.status, {policy.event_editable(ctx)}"
    if ctx.actor is None:
        sql = f"""SELECT {columns}, p.calendar_id FROM events e LEFT JOIN placements p ON p.event_id = e.id
                  WHERE e.id {ctx.db.in_list("ids")} ORDER BY p.id DESC"""
        return ctx.tx.rows(sql, ids=ids)
    sql = f"SELECT {columns}, NULL FROM events e WHERE e.id {ctx.db.in_list('ids')}"
    return ctx.tx.rows(sql, ids=ids, me=policy.me(ctx))


def find_calendars(ctx: Context, event_ids: list[int]) -> list[tuple[Any, ...]]:
    """Event, id, colour and name of each calendar with one of these events that the actor sees, the latest placements first."""
    return ctx.tx.rows(
        f"""SELECT p.event_id, c.id, {policy.READER_COLOR}, c.name FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id {ctx.db.in_list("ids")} AND {policy.calendar_visible(ctx)} ORDER BY p.id DESC""",
        ids=event_ids,
        me=policy.me(ctx),
    )


def _find(ctx: Context, start: int, end: int, calendars: Sequence[NamedCalendar], limit: int, conditions: Sequence[str]) -> list[Row]:
    params: dict[str, Any] = {"start": start, "end": end, "yesterday": start - DAY_SECONDS, "recent": start - LONG_SECONDS}
    rows: list[Row] = []
    for as_member, ids in _by_membership(calendars):
        from_placements = f"""SELECT {_COLUMNS}, {policy.EVENT_EDITABLE}, p.calendar_id
            FROM placements p CROSS JOIN events e CROSS JOIN calendars c
            WHERE p.calendar_id {ctx.db.in_list("ids")} AND e.id = p.event_id AND c.id = e.calendar_id
            AND {policy.placed_event_visible(ctx, as_member)}"""
        union = " UNION ALL ".join([f"{from_placements} AND {condition}" for condition in conditions])
        rows += ctx.tx.rows(f"{union} LIMIT :limit", ids=ids, limit=limit, me=policy.me(ctx), **params)
    return rows


def _find_public(ctx: Context, source: tuple[str, str], limit: int, **params: int) -> list[Row]:
    index, condition = source
    sql = f"""SELECT {_COLUMNS}, {policy.event_editable(ctx)}, NULL FROM events e{ctx.db.indexed_by(index)}
        WHERE e.public AND {condition} ORDER BY e.start_at, e.id LIMIT :limit"""
    return ctx.tx.rows(sql, me=policy.me(ctx), limit=limit, **params)


def _find_public_begun(ctx: Context, start: int) -> list[Row]:
    """The public events that last less than a day and go on at an instant, in the order of their start."""
    latest = f"""SELECT e.id FROM events e{ctx.db.indexed_by(IN_PUBLIC)}
        WHERE e.public AND e.start_at >= :yesterday AND e.start_at < :start ORDER BY e.start_at DESC, e.id DESC LIMIT :examined"""
    sql = f"""SELECT {_COLUMNS}, {policy.event_editable(ctx)}, NULL FROM events e
        WHERE e.id IN ({latest}) AND NOT {TAKES_DAYS} AND e.until_at > :start ORDER BY e.start_at, e.id"""
    return ctx.tx.rows(sql, me=policy.me(ctx), start=start, yesterday=start - DAY_SECONDS, examined=MAX_EXAMINED)


def _by_membership(calendars: Sequence[NamedCalendar]) -> list[tuple[bool, list[int]]]:
    """The ids of the calendars of which the actor is a member, and of the others."""
    parts = [(as_member, [calendar.id for calendar in calendars if calendar.is_member is as_member]) for as_member in (True, False)]
    return [(as_member, ids) for as_member, ids in parts if ids]
