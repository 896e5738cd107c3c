"""The events of some days, with no more of each than a calendar shows."""

from collections.abc import Sequence
from typing import Any

from kalends import policy
from kalends.context import Context
from kalends.events.conditions import LONG_SECONDS
from kalends.records.calendar import Calendar

Row = tuple[Any, ...]

# The first fields of an Entry, of an event `e` whose home calendar is `c`.
_COLUMNS = f"e.start_at, e.id, e.title, e.end_at, e.all_day, e.time_zone, e.location, e.status, {policy.EVENT_EDITABLE}"
_IN_DAYS = "p.start_at >= :recent AND p.start_at < :end AND (e.until_at > :start OR p.start_at >= :start)"
# These have indexes of their own.
_LONG_RUNNING = "p.lasts AND p.start_at < :recent AND e.until_at > :start"
_PUBLIC_IN_DAYS = "e.public AND e.start_at >= :recent AND e.start_at < :end AND (e.until_at > :start OR e.start_at >= :start)"
_PUBLIC_LONG_RUNNING = f"e.public AND e.until_at - e.start_at > {LONG_SECONDS} AND e.start_at < :recent AND e.until_at > :start"


def find_placed(ctx: Context, start: int, end: int, calendars: Sequence[Calendar], limit: int) -> list[Row]:
    """The events on the calendars between two instants, each with the id of the calendar that it is on; in no order."""
    rows: list[Row] = []
    for as_member in (True, False):
        ids = [calendar.id for calendar in calendars if calendar.is_member is as_member]
        if ids:
            from_placements = f"""SELECT {_COLUMNS}, p.calendar_id FROM placements p CROSS JOIN events e CROSS JOIN calendars c
                WHERE p.calendar_id {ctx.db.in_list("ids")} AND e.id = p.event_id AND c.id = e.calendar_id"""
            visible = policy.placed_event_visible(ctx, as_member)
            sql = f"""{from_placements} AND {_IN_DAYS} AND {visible}
                UNION ALL {from_placements} AND {_LONG_RUNNING} AND {visible} LIMIT :limit"""
            rows += ctx.tx.rows(sql, ids=ids, **_params(ctx, start, end), limit=limit)
    return rows


def find_public(ctx: Context, start: int, end: int, limit: int) -> list[Row]:
    """The public events between two instants, in no order."""
    from_events = f"SELECT {_COLUMNS}, NULL FROM events e CROSS JOIN calendars c WHERE c.id = e.calendar_id"
    sql = f"{from_events} AND {_PUBLIC_IN_DAYS} UNION ALL {from_events} AND {_PUBLIC_LONG_RUNNING} LIMIT :limit"
    return ctx.tx.rows(sql, **_params(ctx, start, end), limit=limit)


def find_by_ids(ctx: Context, ids: list[int]) -> list[Row]:
    """These events, which the actor can see."""
    sql = f"SELECT {_COLUMNS}, NULL FROM events e JOIN calendars c ON c.id = e.calendar_id WHERE e.id {ctx.db.in_list('ids')}"
    return ctx.tx.rows(sql, ids=ids, me=policy.me(ctx))


def find_calendars(ctx: Context, event_ids: list[int]) -> list[tuple[Any, ...]]:
    """Event, id, colour and name of each calendar with one of these events that the actor sees, the latest placements first."""
    return ctx.tx.rows(
        f"""SELECT p.event_id, c.id, c.color, c.name FROM placements p JOIN calendars c ON c.id = p.calendar_id
            WHERE p.event_id {ctx.db.in_list("ids")} AND {policy.calendar_visible(ctx)} ORDER BY p.id DESC""",
        ids=event_ids,
        me=policy.me(ctx),
    )


def _params(ctx: Context, start: int, end: int) -> dict[str, int | None]:
    return {"start": start, "end": end, "recent": start - LONG_SECONDS, "me": policy.me(ctx)}
