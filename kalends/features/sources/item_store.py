"""The SQL of what sources have on their calendars."""

from collections.abc import Iterable

from msgspec import json

from kalends.core.records.source import SourceItem
from kalends.db import columns
from kalends.features.sources.rules.compare import Here
from kalends.http.context import Context

_ITEM = columns(SourceItem)
_HAS_RESPONSE = "EXISTS (SELECT 1 FROM responses r WHERE r.event_id = e.id)"
_COMING = "e.start_at > :now AND e.status <> 'cancelled'"


def find_here(ctx: Context, source_id: int) -> dict[str, Here]:
    """What is here of the source, by UID."""
    singles = ctx.tx.rows(
        f"""SELECT i.uid, i.digest, CASE WHEN {_COMING} THEN 1 ELSE 0 END, CASE WHEN {_COMING} AND {_HAS_RESPONSE} THEN 1 ELSE 0 END
            FROM source_items i LEFT JOIN events e ON e.id = i.event_id WHERE i.source_id = :id""",
        id=source_id,
        now=ctx.now,
    )
    here = {uid: Here(digest, coming, guests) for uid, digest, coming, guests in singles}
    series = ctx.tx.rows(
        f"""SELECT i.uid, count(*), sum(CASE WHEN {_HAS_RESPONSE} THEN 1 ELSE 0 END)
            FROM source_items i JOIN events e ON e.series_id = i.series_id WHERE i.source_id = :id AND {_COMING} GROUP BY i.uid""",
        id=source_id,
        now=ctx.now,
    )
    return here | {uid: Here(here[uid].digest, int(coming), int(guests)) for uid, coming, guests in series}


def find(ctx: Context, source_id: int, uids: Iterable[str]) -> dict[str, SourceItem]:
    """The items with these UIDs."""
    names = f"(SELECT wanted.uid FROM {ctx.db.records('wanted', {'uid': 'TEXT'})})"
    rows = ctx.tx.all(
        SourceItem,
        f"SELECT {_ITEM} FROM source_items WHERE source_id = :id AND uid IN {names}",
        id=source_id,
        wanted=json.encode([{"uid": uid} for uid in uids]).decode(),
    )
    return {item.uid: item for item in rows}


def save(ctx: Context, items: list[SourceItem]) -> None:
    ctx.tx.many(
        """INSERT INTO source_items (source_id, uid, digest, event_id, series_id, page_url)
           VALUES (:source_id, :uid, :digest, :event_id, :series_id, :page_url)
           ON CONFLICT (source_id, uid) DO UPDATE SET digest = excluded.digest, event_id = excluded.event_id,
               series_id = excluded.series_id, page_url = excluded.page_url""",
        [{name: getattr(item, name) for name in SourceItem.__struct_fields__} for item in items],
    )


def delete(ctx: Context, source_id: int, uids: list[str]) -> None:
    ctx.tx.many("DELETE FROM source_items WHERE source_id = :id AND uid = :uid", [{"id": source_id, "uid": uid} for uid in uids])


def detach(ctx: Context, source_id: int, event_id: int, series_id: int | None) -> int:
    """Let an event, or its whole series, no longer be of the source; returns how many items there were."""
    which = "event_id = :event_id" if series_id is None else "(event_id = :event_id OR series_id = :series_id)"
    params = {"event_id": event_id} | ({} if series_id is None else {"series_id": series_id})
    sql = f"UPDATE source_items SET event_id = NULL, series_id = NULL WHERE source_id = :id AND {which}"
    detached = ctx.tx.run(sql, id=source_id, **params)
    if detached:
        # It may be in public feeds from now on, which are known by its version.
        own = "id = :event_id" if series_id is None else "(id = :event_id OR series_id = :series_id)"
        ctx.tx.run(f"UPDATE events SET version = version + 1, updated_at = :now WHERE {own}", now=ctx.now, **params)
    return detached


def touch_calendars(ctx: Context, source_id: int) -> None:
    """Give the calendars that show events of the source new versions: other events than before are in their public feeds."""
    shown = """SELECT p.calendar_id FROM source_items i JOIN placements p ON p.event_id = i.event_id WHERE i.source_id = :id
        UNION SELECT p.calendar_id FROM source_items i JOIN events e ON e.series_id = i.series_id
            JOIN placements p ON p.event_id = e.id WHERE i.source_id = :id"""
    ctx.tx.run(
        f"""UPDATE calendars SET revision = revision + 1, changed_at = :now, public_revision = revision + 1, public_changed_at = :now
            WHERE id IN ({shown})""",
        id=source_id,
        now=ctx.now,
    )
    ctx.tx.run("UPDATE sources SET updated_at = :now WHERE id = :id", id=source_id, now=ctx.now)


def find_some(ctx: Context, source_id: int, limit: int) -> list[SourceItem]:
    """Some items of the source, of those that are left."""
    sql = f"SELECT {_ITEM} FROM source_items WHERE source_id = :id ORDER BY uid LIMIT :limit"
    return ctx.tx.all(SourceItem, sql, id=source_id, limit=limit)


def find_with_responses(ctx: Context, event_ids: list[int]) -> set[int]:
    """The given events to which somebody has responded."""
    rows = ctx.tx.rows(f"SELECT e.id FROM events e WHERE e.id {ctx.db.in_list('ids')} AND {_HAS_RESPONSE}", ids=event_ids)
    return {event_id for (event_id,) in rows}


def cancel(ctx: Context, event_ids: list[int], note: str) -> None:
    """Cancel these events; a date of a series alone."""
    ctx.tx.run(
        f"""UPDATE events SET status = 'cancelled', status_note = :note, edited = (series_id IS NOT NULL), version = version + 1,
            updated_at = :now WHERE id {ctx.db.in_list("ids")}""",
        ids=event_ids,
        note=note,
        now=ctx.now,
    )


def count_events(ctx: Context, user_id: int) -> int:
    """How many events the account has from its sources."""
    return int(
        ctx.tx.value(
            """SELECT (SELECT count(*) FROM sources s JOIN source_items i ON i.source_id = s.id JOIN events e ON e.id = i.event_id
                       WHERE s.user_id = :id)
                    + (SELECT count(*) FROM sources s JOIN source_items i ON i.source_id = s.id JOIN events e ON e.series_id = i.series_id
                       WHERE s.user_id = :id)""",
            id=user_id,
        )
    )


def count_by_source(ctx: Context, source_ids: list[int]) -> dict[int, int]:
    """How many events each of these sources has, dates of series included."""
    rows = ctx.tx.rows(
        f"""SELECT s.id, (SELECT count(*) FROM source_items i JOIN events e ON e.id = i.event_id WHERE i.source_id = s.id)
                + (SELECT count(*) FROM source_items i JOIN events e ON e.series_id = i.series_id WHERE i.source_id = s.id)
            FROM sources s WHERE s.id {ctx.db.in_list("ids")}""",
        ids=source_ids,
    )
    return {source_id: int(count) for source_id, count in rows}


def count_events_of(ctx: Context, source_id: int, uids: list[str]) -> int:
    """How many events the source has of these UIDs."""
    items = find(ctx, source_id, uids)
    single = sum(item.event_id is not None for item in items.values())
    series_ids = [item.series_id for item in items.values() if item.series_id is not None]
    if not series_ids:
        return single
    return single + int(ctx.tx.value(f"SELECT count(*) FROM events WHERE series_id {ctx.db.in_list('ids')}", ids=series_ids))
