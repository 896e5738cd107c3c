"""The SQL of what clients write: their files, and the events that these became."""

from collections.abc import Sequence
from typing import Any

from msgspec import json

from kalends.core.records.calendar import Calendar
from kalends.core.records.event import Event
from kalends.http.context import Context


def upsert_row(
    ctx: Context,
    calendar: Calendar,
    name: str,
    uid: str,
    component: str,
    original: bytes,
    *,
    has_events: bool,
    within_day: bool = False,
    by_guest: bool = False,
) -> int:
    """Insert the file under its name, or replace what has this name; returns the id of the row."""
    row_id: int = ctx.tx.value(
        """INSERT INTO dav_resources (
               calendar_id, name, uid, component, version, original, base, state, has_events, within_day, gone, written_at
           )
           VALUES (:calendar, :name, :uid, :component, 1, :original, :base, '', :has_events, :within_day, :gone, :now)
           ON CONFLICT (calendar_id, name) DO UPDATE SET uid = excluded.uid, component = excluded.component,
           version = dav_resources.version + 1, original = excluded.original, has_events = excluded.has_events,
           within_day = excluded.within_day, gone = excluded.gone,
           written_at = excluded.written_at, schedule_version = dav_resources.schedule_version + :changes RETURNING id""",
        calendar=calendar.id,
        name=name,
        uid=uid,
        component=component,
        original=original,
        base=b"",
        has_events=has_events,
        within_day=within_day,
        gone=False,
        now=ctx.now,
        changes=0 if by_guest else 1,
    )
    return row_id


def update_original(ctx: Context, row_id: int, original: bytes) -> None:
    """Replace a file that has just been written."""
    ctx.tx.run("UPDATE dav_resources SET original = :original WHERE id = :id", id=row_id, original=original)


def replace_original(ctx: Context, row_id: int, original: bytes) -> None:
    """Replace a file that clients have read."""
    ctx.tx.run("UPDATE dav_resources SET original = :original, version = version + 1 WHERE id = :id", id=row_id, original=original)


def find_original(ctx: Context, event: Event) -> bytes | None:
    """The file that a client wrote of the event or of its series on the home calendar."""
    select = (
        "SELECT r.original FROM dav_parts d JOIN dav_resources r ON r.id = d.resource_id WHERE d.calendar_id = :calendar AND NOT r.gone"
    )
    rows = ctx.tx.rows(
        f"{select} AND d.event_id = :event_id UNION ALL {select} AND d.series_id = :series_id LIMIT 1",
        calendar=event.calendar_id,
        event_id=event.id,
        series_id=event.series_id,
    )
    return rows[0][0] if rows else None


def update_base(ctx: Context, row_id: int, base: bytes, state: str) -> None:
    """Keep what the service itself writes of the events of a file that has just been written."""
    ctx.tx.run("UPDATE dav_resources SET base = :base, state = :state WHERE id = :id", id=row_id, base=base, state=state)


def update_parts(ctx: Context, calendar: Calendar, row_id: int, event_ids: Sequence[int], series_ids: Sequence[int]) -> None:
    """The file is now these events and series, and no others. Other files of theirs in the calendar are gone."""
    ctx.tx.run("DELETE FROM dav_parts WHERE resource_id = :id", id=row_id)
    in_ids = ctx.db.in_list("ids")
    # A series may have the file of the event that was repeated.
    repeated = f"event_id IN (SELECT e.id FROM events e WHERE e.series_id {in_ids})"
    for condition, ids in ((f"event_id {in_ids}", event_ids), (f"series_id {in_ids}", series_ids), (repeated, series_ids)):
        sql = f"SELECT DISTINCT resource_id FROM dav_parts WHERE calendar_id = :calendar AND {condition}"
        for (other_id,) in ctx.tx.rows(sql, calendar=calendar.id, ids=list(ids)) if ids else []:
            delete_file(ctx, other_id)
    parts: list[dict[str, Any]] = [{"event_id": event_id, "series_id": None} for event_id in event_ids]
    parts += [{"event_id": None, "series_id": series_id} for series_id in series_ids]
    if not parts:
        return
    ctx.tx.run(
        f"""INSERT INTO dav_parts (resource_id, calendar_id, event_id, series_id)
            SELECT CAST(:id AS BIGINT), CAST(:calendar AS BIGINT), made.event_id, made.series_id
            FROM {ctx.db.records("made", {"event_id": "BIGINT", "series_id": "BIGINT"})}""",
        id=row_id,
        calendar=calendar.id,
        made=json.encode(parts).decode(),
    )


def delete_file(ctx: Context, row_id: int) -> None:
    """Mark a file as deleted, but not its events. Its row stays, so that followers learn its name."""
    ctx.tx.run("DELETE FROM dav_parts WHERE resource_id = :id", id=row_id)
    ctx.tx.run("UPDATE dav_resources SET has_events = FALSE, gone = TRUE, version = version + 1 WHERE id = :id", id=row_id)


def delete_file_named(ctx: Context, calendar_id: int, name: str) -> None:
    sql = "SELECT id FROM dav_resources WHERE calendar_id = :calendar AND name = :name"
    for (row_id,) in ctx.tx.rows(sql, calendar=calendar_id, name=name):
        delete_file(ctx, row_id)


def delete_files_of(ctx: Context, removed: Sequence[tuple[int, int]]) -> None:
    """Delete the files of events that were taken off calendars, unless another event of theirs is still there: (calendar, event)."""
    gone = ctx.db.records("gone", {"calendar_id": "BIGINT", "event_id": "BIGINT"})
    part = "d.calendar_id = gone.calendar_id AND d"
    rows = ctx.tx.rows(
        f"""SELECT d.resource_id FROM {gone} JOIN dav_parts d ON {part}.event_id = gone.event_id
            UNION SELECT d.resource_id FROM {gone} JOIN events e ON e.id = gone.event_id
            JOIN dav_parts d ON {part}.series_id = e.series_id""",
        gone=json.encode([{"calendar_id": calendar_id, "event_id": event_id} for calendar_id, event_id in removed]).decode(),
    )
    for (row_id,) in rows:
        if not has_placed_events(ctx, row_id):
            delete_file(ctx, row_id)


def forget_files_of(ctx: Context, placed: Sequence[tuple[int, int]]) -> None:
    """Delete the files of these events, which stay on their calendars: (calendar, event)."""
    for calendar_id, event_id in placed:
        rows = ctx.tx.rows(
            "SELECT DISTINCT resource_id FROM dav_parts WHERE calendar_id = :calendar_id AND event_id = :event_id",
            calendar_id=calendar_id,
            event_id=event_id,
        )
        for (row_id,) in rows:
            delete_file(ctx, row_id)


def has_placed_events(ctx: Context, row_id: int) -> bool:
    """Whether an event of the file is on its calendar. The files of deleted events stay, so that these can be restored."""
    placed = "JOIN placements p ON p.event_id = e.id AND p.calendar_id = d.calendar_id WHERE d.resource_id = :id"
    return bool(
        ctx.tx.rows(
            f"""SELECT 1 FROM dav_parts d JOIN events e ON e.id = d.event_id {placed}
                UNION ALL SELECT 1 FROM dav_parts d JOIN events e ON e.series_id = d.series_id {placed} LIMIT 1""",
            id=row_id,
        )
    )


def has_existed(ctx: Context, kind: str, record_id: int) -> bool:
    """Whether events or series have had ids up to this one."""
    table = "events" if kind == "event" else "series"
    return record_id <= (ctx.tx.value(f"SELECT max(id) FROM {table}") or 0)
