"""The SQL of imports: which events and series a calendar has by UID."""

from collections.abc import Iterable

from msgspec import json

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.http.context import Context


def find_event_uids(ctx: Context, calendar: Calendar, among: Iterable[str] | None = None) -> list[tuple[int, str]]:
    """The ids and UIDs of the events that were imported into the calendar; of those with one of these UIDs alone, if some are given."""
    if among is None:
        rows = ctx.tx.rows("SELECT id, uid FROM events WHERE calendar_id = :id AND uid IS NOT NULL", id=calendar.id)
    else:
        sql = f"""SELECT e.id, e.uid FROM {ctx.db.records("wanted", {"uid": "TEXT"})} CROSS JOIN events e
                  WHERE e.calendar_id = :id AND e.uid = wanted.uid AND e.uid IS NOT NULL"""
        rows = ctx.tx.rows(sql, id=calendar.id, wanted=_encode(among))
    return [(event_id, uid) for event_id, uid in rows]


def find_series_uids(ctx: Context, calendar: Calendar, among: Iterable[str] | None = None) -> list[tuple[int, str]]:
    """The ids and UIDs of the series that were imported into the calendar; or of those with one of these UIDs alone."""
    if among is None:
        sql = """SELECT DISTINCT r.id, r.uid FROM events e JOIN series r ON r.id = e.series_id
                 WHERE e.calendar_id = :id AND r.uid IS NOT NULL"""
        rows = ctx.tx.rows(sql, id=calendar.id)
    else:
        sql = f"""SELECT r.id, r.uid FROM {ctx.db.records("wanted", {"uid": "TEXT"})} CROSS JOIN series r
                  WHERE r.uid = wanted.uid AND r.uid IS NOT NULL AND :id = (
                      SELECT e.calendar_id FROM events e WHERE e.series_id = r.id ORDER BY e.start_at, e.id LIMIT 1)"""
        rows = ctx.tx.rows(sql, id=calendar.id, wanted=_encode(among))
    return [(series_id, uid) for series_id, uid in rows]


def _encode(uids: Iterable[str]) -> str:
    return json.encode([{"uid": uid} for uid in uids]).decode()


def find_visible_events(ctx: Context, calendar: Calendar, ids: list[int]) -> list[int]:
    """The given events that are on the calendar and visible to the actor."""
    return _find_visible(ctx, calendar, "e.id", ids)


def find_visible_series(ctx: Context, calendar: Calendar, ids: list[int]) -> list[int]:
    """The given series with events that are on the calendar and visible to the actor."""
    return _find_visible(ctx, calendar, "e.series_id", ids)


def _find_visible(ctx: Context, calendar: Calendar, column: str, ids: list[int]) -> list[int]:
    if not ids:
        return []
    rows = ctx.tx.rows(
        # CROSS JOIN: the events are found first, and not all of the calendar.
        f"""SELECT DISTINCT {column} FROM events e CROSS JOIN placements p WHERE {column} {ctx.db.in_list("ids")}
            AND p.event_id = e.id AND p.calendar_id = :calendar_id AND {policy.event_visible(ctx)}""",
        ids=ids,
        calendar_id=calendar.id,
        me=policy.me(ctx),
    )
    return [record_id for (record_id,) in rows]


def find_event_ids_of_series(ctx: Context, series_ids: list[int]) -> list[int]:
    sql = f"SELECT id FROM events WHERE series_id {ctx.db.in_list('ids')}"
    return [event_id for (event_id,) in ctx.tx.rows(sql, ids=series_ids)] if series_ids else []


def find_series_with_events_elsewhere(ctx: Context, calendar: Calendar, series_ids: list[int]) -> list[int]:
    """The given series with events that are not on the calendar."""
    rows = ctx.tx.rows(
        f"""SELECT DISTINCT e.series_id FROM events e WHERE e.series_id {ctx.db.in_list("ids")}
            AND NOT EXISTS (SELECT 1 FROM placements p WHERE p.event_id = e.id AND p.calendar_id = :calendar_id)""",
        ids=series_ids,
        calendar_id=calendar.id,
    )
    return [series_id for (series_id,) in rows]
