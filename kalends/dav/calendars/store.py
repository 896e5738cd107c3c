"""The SQL of resources: which events and series a calendar has for CalDAV, and what clients wrote of them."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, json, structs

from kalends import policy
from kalends.core.records.calendar import Calendar
from kalends.db import columns
from kalends.features.events.listing.store.conditions import LONG_SECONDS
from kalends.http.context import Context


class Item(Struct, frozen=True, array_like=True, gc=False):
    """A single event or a series on the calendar, with its version, and the resource that a client wrote for it.

    The version of a series is negative if the actor does not see all its dates on the calendar: they have another file than others."""

    id: int
    version: int
    updated_at: int
    resource_id: int | None


class Busy(Struct, frozen=True, array_like=True, gc=False):
    """When an event takes place, its date in a series, and the resource that a client wrote for it."""

    start_at: int
    end_at: int
    slot: str | None
    resource_id: int | None


class Row(Struct, frozen=True, array_like=True, gc=False):
    """What a client wrote, without the files."""

    id: int
    name: str
    uid: str
    component: str
    version: int
    state: str
    has_events: bool
    gone: bool
    written_at: int
    schedule_version: int
    # Its times are found in the file: the rule of its events has times of its own.
    within_day: bool


class Tagged(Struct, frozen=True, gc=False):
    """An event on the calendar by the name of its resource, with the ETag of this, if that is known without its other events."""

    name: str
    etag: str
    updated_at: int
    resource_id: int | None
    series_id: int | None
    content_type: str = "text/calendar; charset=utf-8; component=VEVENT"


class Files(Struct, frozen=True):
    """The file that a client wrote, and what the service itself wrote of its events then; both compressed."""

    id: int
    original: bytes
    base: bytes


_ROW = columns(Row)
_ALONE = policy.placed_alone("p", "e")
# A date of a series is an event of its own where its guest is invited to it alone.
_IS_SINGLE = f"(e.series_id IS NULL OR {_ALONE})"
_SERIES_ID = f"CASE WHEN NOT {_ALONE} THEN e.series_id END"
_EVENTS = f"""
SELECT e.id, e.version, e.updated_at, d.resource_id
FROM {{tables}} LEFT JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = e.id
WHERE p.calendar_id = :calendar AND e.id = p.event_id AND {_IS_SINGLE} AND {{visible}} AND {{condition}}
"""
# The database writes names and ETags for long lists, which takes half as long as here. They are those of resources.py.
_TAGGED_EVENTS = f"""
SELECT 'event-' || e.id || '.ics',
       CASE WHEN {_IS_SINGLE} THEN '"' || e.id || '-' || e.version || '-' || e.updated_at || '"' ELSE '' END,
       e.updated_at, NULL, {_SERIES_ID}
FROM placements p CROSS JOIN events e
WHERE p.calendar_id = :calendar AND e.id = p.event_id AND {{visible}}
AND NOT EXISTS (SELECT 1 FROM dav_parts d WHERE d.calendar_id = p.calendar_id AND d.event_id = p.event_id)
"""
_TAGGED_FILES = f"""
SELECT r.name,
       CASE WHEN r.state = e.id || '-' || e.version || '-' || e.updated_at THEN '"r' || r.id || '-' || r.version || '"' ELSE '' END,
       CASE WHEN e.updated_at > r.written_at THEN e.updated_at ELSE r.written_at END, r.id, {_SERIES_ID}
FROM dav_parts d CROSS JOIN dav_resources r CROSS JOIN events e CROSS JOIN placements p
WHERE d.calendar_id = :calendar AND d.event_id IS NOT NULL AND r.id = d.resource_id AND e.id = d.event_id
AND p.event_id = d.event_id AND p.calendar_id = d.calendar_id AND {{visible}}
"""
# A series has the name of the event that was repeated, if a client wrote that.
_SERIES = f"""
SELECT e.series_id, max(v.version), max(e.updated_at), max(coalesce(s.resource_id, d.resource_id))
FROM {{tables}} JOIN series_versions v ON v.series_id = e.series_id
LEFT JOIN dav_parts s ON s.calendar_id = p.calendar_id AND s.series_id = e.series_id
LEFT JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = e.id
WHERE p.calendar_id = :calendar AND e.id = p.event_id AND e.series_id IS NOT NULL AND NOT {_ALONE} AND {{visible}} AND {{condition}}
GROUP BY e.series_id
"""
# No client wrote the event, or anything else under its name.
_UNWRITTEN = """
d.resource_id IS NULL
AND NOT EXISTS (SELECT 1 FROM dav_resources r WHERE r.calendar_id = p.calendar_id AND r.name = 'event-' || e.id || '.ics')
"""
# From this number on, reading the events of each series takes longer than reading the calendar.
MANY_SERIES = 20
_OVERLAPS = "p.start_at >= :recent AND p.start_at < :end AND (e.until_at > :start OR e.start_at >= :start)"
_LONG = "p.lasts AND p.start_at < :recent AND e.until_at > :start"


def find_events(ctx: Context, calendar: Calendar, ids: list[int] | None = None) -> list[Item]:
    """The single events on the calendar that the actor sees: all, or those of `ids`."""
    return _find(ctx, _EVENTS, calendar, "e.id", ids)


def find_unwritten_events(ctx: Context, calendar: Calendar, ids: list[int]) -> list[Item]:
    """The given single events that are on the calendar under names of the service."""
    return _find(ctx, f"{_EVENTS} AND {_UNWRITTEN}", calendar, "e.id", ids)


def find_unwritten_event(ctx: Context, calendar_id: int, event_id: int) -> Item | None:
    """The single event, if it is on the calendar under a name of the service and the actor is a member of the calendar."""
    sql = _EVENTS.format(tables="events e CROSS JOIN placements p", visible=policy.HOME_EVENT_VISIBLE, condition="e.id = :id")
    return ctx.tx.one(Item, f"{sql} AND {_UNWRITTEN}", calendar=calendar_id, id=event_id, me=policy.user(ctx).id)


def find_series(ctx: Context, calendar: Calendar, ids: list[int] | None = None) -> list[Item]:
    """The series with events on the calendar that the actor sees: all, or those of `ids`."""
    series = _find(ctx, _SERIES, calendar, "e.series_id", ids)
    partial = _find_partial(ctx, calendar, [each.id for each in series]) if series and not policy.can_edit(calendar) else set()
    return [structs.replace(each, version=-each.version) if each.id in partial else each for each in series]


def _find_partial(ctx: Context, calendar: Calendar, series_ids: list[int]) -> set[int]:
    """The given series with dates on the calendar that the actor does not see, since they are private."""
    sql = f"""SELECT DISTINCT e.series_id FROM events e CROSS JOIN placements p
        WHERE e.series_id {ctx.db.in_list("ids")} AND p.event_id = e.id AND p.calendar_id = :calendar AND NOT p.grants
        AND NOT {policy.placed_event_visible(ctx, calendar.is_member)}"""
    return {series_id for (series_id,) in ctx.tx.rows(sql, calendar=calendar.id, ids=series_ids, me=policy.me(ctx))}


def _find(ctx: Context, sql: str, calendar: Calendar, column: str, ids: list[int] | None) -> list[Item]:
    if ids is not None and not ids:
        return []
    visible = policy.placed_event_visible(ctx, calendar.is_member)
    # Few events are found first: a planner without statistics would rather read the whole calendar.
    tables = "placements p CROSS JOIN events e" if ids is None else "events e CROSS JOIN placements p"
    condition = "1 = 1" if ids is None else f"{column} {ctx.db.in_list('ids')}"
    params: dict[str, Any] = {} if ids is None else {"ids": ids}
    sql = sql.format(tables=tables, visible=visible, condition=condition)
    return ctx.tx.all(Item, sql, calendar=calendar.id, me=policy.me(ctx), **params)


def find_tagged(ctx: Context, calendar: Calendar) -> list[Tagged]:
    """All events on the calendar that the actor sees."""
    visible = policy.placed_event_visible(ctx, calendar.is_member)
    params = {"calendar": calendar.id, "me": policy.me(ctx)}
    statements = (each.format(visible=visible) for each in (_TAGGED_EVENTS, _TAGGED_FILES))
    return [event for sql in statements for event in ctx.tx.all(Tagged, sql, **params)]


def find_overlapping(ctx: Context, calendar: Calendar, start: int, end: int) -> tuple[list[int], list[int]]:
    """The ids of the single events and of the series on the calendar that take place between the instants."""
    select = f"""SELECT e.id, {_SERIES_ID} FROM placements p CROSS JOIN events e
        WHERE p.calendar_id = :calendar AND e.id = p.event_id AND {policy.placed_event_visible(ctx, calendar.is_member)} AND """
    params = {"calendar": calendar.id, "me": policy.me(ctx), "start": start, "recent": start - LONG_SECONDS}
    rows = ctx.tx.rows(select + _OVERLAPS, **params, end=end) + ctx.tx.rows(select + _LONG, **params)
    series_ids = {series_id for _, series_id in rows if series_id is not None}
    return [event_id for event_id, series_id in rows if series_id is None], sorted(series_ids)


def find_busy(ctx: Context, calendar: Calendar, start: int, end: int) -> list[Busy]:
    """The times of the events on the calendar between the instants that are not cancelled."""
    select = f"""SELECT e.start_at, e.until_at, e.slot, coalesce(s.resource_id, d.resource_id) FROM placements p CROSS JOIN events e
        LEFT JOIN dav_parts s ON s.calendar_id = p.calendar_id AND s.series_id = e.series_id
        LEFT JOIN dav_parts d ON d.calendar_id = p.calendar_id AND d.event_id = e.id
        WHERE p.calendar_id = :calendar AND e.id = p.event_id AND {policy.placed_event_busy(ctx, calendar.is_member)}
        AND e.status <> 'cancelled' AND """
    params = {"calendar": calendar.id, "me": policy.me(ctx), "start": start, "recent": start - LONG_SECONDS}
    return ctx.tx.all(Busy, select + _OVERLAPS, **params, end=end) + ctx.tx.all(Busy, select + _LONG, **params)


def find_endless_series(ctx: Context, calendar: Calendar, day: str) -> list[int]:
    """The endless series on the calendar whose events have not been created up to this day."""
    sql = "SELECT id FROM series WHERE end_date IS NULL AND made_until < :day ORDER BY made_until LIMIT :limit"
    late = [series_id for (series_id,) in ctx.tx.rows(sql, day=day, limit=MANY_SERIES)]
    # Mostly there is none on the whole server: the worker creates events for two years, and clients ask for less.
    if len(late) < MANY_SERIES:
        return [series.id for series in find_series(ctx, calendar, late)]
    rows = ctx.tx.rows(
        f"""SELECT DISTINCT r.id FROM placements p CROSS JOIN events e JOIN series r ON r.id = e.series_id
            WHERE p.calendar_id = :calendar AND e.id = p.event_id AND e.series_id IS NOT NULL AND r.end_date IS NULL AND NOT {_ALONE}
            AND r.made_until < :day AND {policy.placed_event_visible(ctx, calendar.is_member)}""",
        calendar=calendar.id,
        me=policy.me(ctx),
        day=day,
    )
    return [series_id for (series_id,) in rows]


def find_visible(ctx: Context, calendar: Calendar, event_ids: list[int]) -> list[int]:
    """The given events that are on the calendar and that the actor sees."""
    sql = f"""SELECT e.id FROM events e CROSS JOIN placements p WHERE e.id {ctx.db.in_list("ids")} AND p.event_id = e.id
              AND p.calendar_id = :calendar AND {policy.placed_event_visible(ctx, calendar.is_member)}"""
    rows = ctx.tx.rows(sql, ids=event_ids, calendar=calendar.id, me=policy.me(ctx)) if event_ids else []
    return [event_id for (event_id,) in rows]


def find_series_of(ctx: Context, event_ids: list[int]) -> dict[int, int]:
    """The series of those of the events that are in one."""
    sql = f"SELECT id, series_id FROM events WHERE id {ctx.db.in_list('ids')} AND series_id IS NOT NULL"
    return dict(ctx.tx.rows(sql, ids=event_ids)) if event_ids else {}


def find_rows(ctx: Context, ids: Iterable[int]) -> list[Row]:
    unique = sorted(set(ids))
    return ctx.tx.all(Row, f"SELECT {_ROW} FROM dav_resources WHERE id {ctx.db.in_list('ids')}", ids=unique) if unique else []


def find_all_rows(ctx: Context, calendar: Calendar) -> list[Row]:
    return ctx.tx.all(Row, f"SELECT {_ROW} FROM dav_resources WHERE calendar_id = :id", id=calendar.id)


def find_rows_alone(ctx: Context, calendar: Calendar) -> list[Row]:
    """The files without events that were not deleted."""
    sql = f"SELECT {_ROW} FROM dav_resources WHERE calendar_id = :id AND NOT has_events AND NOT gone"
    return ctx.tx.all(Row, sql, id=calendar.id)


def find_rows_within_day(ctx: Context, calendar: Calendar) -> list[Row]:
    """The files whose rules have times of their own."""
    return ctx.tx.all(Row, f"SELECT {_ROW} FROM dav_resources WHERE calendar_id = :id AND within_day AND NOT gone", id=calendar.id)


def find_row(ctx: Context, calendar: Calendar, name: str) -> Row | None:
    return ctx.tx.one(Row, f"SELECT {_ROW} FROM dav_resources WHERE calendar_id = :id AND name = :name", id=calendar.id, name=name)


def find_rows_by_names(ctx: Context, calendar: Calendar, names: list[str]) -> list[Row]:
    if len(names) == 1:
        row = find_row(ctx, calendar, names[0])
        return [row] if row else []
    records = ctx.db.records("named", {"name": "TEXT"})
    sql = f"SELECT {columns(Row, 'r')} FROM {records} CROSS JOIN dav_resources r WHERE r.calendar_id = :id AND r.name = named.name"
    return ctx.tx.all(Row, sql, id=calendar.id, named=json.encode([{"name": name} for name in dict.fromkeys(names)]).decode())


def find_rows_by_uid(ctx: Context, calendar: Calendar, uid: str) -> list[Row]:
    return ctx.tx.all(Row, f"SELECT {_ROW} FROM dav_resources WHERE calendar_id = :id AND uid = :uid", id=calendar.id, uid=uid)


def find_files(ctx: Context, ids: list[int]) -> dict[int, Files]:
    sql = f"SELECT id, original, base FROM dav_resources WHERE id {ctx.db.in_list('ids')}"
    return {files.id: files for files in ctx.tx.all(Files, sql, ids=ids)} if ids else {}


def find_parts(ctx: Context, row_ids: list[int]) -> tuple[list[int], list[int]]:
    """The ids of the events and of the series that resources became, whether or not they are still there. An event that was repeated
    since is one of a series, too."""
    if not row_ids:
        return [], []
    sql = f"""SELECT d.event_id, coalesce(d.series_id, e.series_id) FROM dav_parts d LEFT JOIN events e ON e.id = d.event_id
              WHERE d.resource_id {ctx.db.in_list("ids")}"""
    rows = ctx.tx.rows(sql, ids=row_ids)
    series_ids = {series_id for _, series_id in rows if series_id is not None}
    return [event_id for event_id, _ in rows if event_id is not None], sorted(series_ids)


def find_names_of_events(ctx: Context, calendar: Calendar, event_ids: list[int]) -> dict[int, str]:
    """The names under which clients wrote these events, which may have been deleted."""
    return _find_names(ctx, calendar, "event_id", event_ids)


def find_names_of_series(ctx: Context, calendar: Calendar, series_ids: list[int]) -> dict[int, str]:
    return _find_names(ctx, calendar, "series_id", series_ids)


def _find_names(ctx: Context, calendar: Calendar, column: str, ids: list[int]) -> dict[int, str]:
    if not ids:
        return {}
    sql = f"""SELECT d.{column}, r.name FROM dav_parts d JOIN dav_resources r ON r.id = d.resource_id
              WHERE d.calendar_id = :calendar AND d.{column} {ctx.db.in_list("ids")}"""
    return dict(ctx.tx.rows(sql, calendar=calendar.id, ids=ids))


def find_replies_to_events(ctx: Context, event_ids: list[int]) -> list[tuple[int, str, str]]:
    """The responses of those who are invited to the events: event, key of the address, response."""
    sql = f"""SELECT r.event_id, r.email_key, r.response FROM responses r
              JOIN invitations i ON i.event_id = r.event_id AND i.email_key = r.email_key WHERE r.event_id {ctx.db.in_list("ids")}"""
    return [(event_id, key, response) for event_id, key, response in ctx.tx.rows(sql, ids=event_ids)] if event_ids else []


def find_replies_to_series(ctx: Context, series_ids: list[int]) -> list[tuple[int, str, str, str]]:
    """The responses of those who are invited to the series or to one of its dates: series, date, key of the address, response. Those
    to the whole have no date."""
    sql = f"""SELECT s.series_id, '' AS slot, s.email_key, s.response FROM series_responses s
              JOIN invitations i ON i.series_id = s.series_id AND i.email_key = s.email_key WHERE s.series_id {ctx.db.in_list("ids")}
              UNION ALL SELECT e.series_id, e.slot, r.email_key, r.response FROM events e JOIN responses r ON r.event_id = e.id
              JOIN invitations i ON i.series_id = e.series_id AND i.email_key = r.email_key
              WHERE e.series_id {ctx.db.in_list("ids")} AND e.slot IS NOT NULL AND NOT r.by_series
              UNION ALL SELECT e.series_id, e.slot, r.email_key, r.response FROM events e JOIN responses r ON r.event_id = e.id
              JOIN invitations i ON i.event_id = e.id AND i.email_key = r.email_key
              WHERE e.series_id {ctx.db.in_list("ids")} AND e.slot IS NOT NULL"""
    return [(row[0], row[1], row[2], row[3]) for row in ctx.tx.rows(sql, ids=series_ids)] if series_ids else []


def find_bounced(ctx: Context, event_ids: list[int], series_ids: list[int]) -> list[tuple[str, int, str]]:
    """Whose mail cannot be delivered of those who are invited to the events and series: kind, id, key of the address."""
    rows: list[tuple[str, int, str]] = []
    for kind, ids in (("event", event_ids), ("series", series_ids)):
        sql = f"SELECT {kind}_id, email_key FROM invitations WHERE {kind}_id {ctx.db.in_list('ids')} AND state = 'bounced'"
        rows += [(kind, record_id, key) for record_id, key in ctx.tx.rows(sql, ids=ids)] if ids else []
    sql = f"""SELECT e.series_id, i.email_key FROM events e JOIN invitations i ON i.event_id = e.id
              WHERE e.series_id {ctx.db.in_list("ids")} AND i.state = 'bounced'"""
    return rows + [("series", series_id, key) for series_id, key in ctx.tx.rows(sql, ids=series_ids)] if series_ids else rows


# Whether the event was in no series before the change. Each database writes JSON with spaces of its own.
_WAS_SINGLE = """(h.before LIKE '%"series_id":null,%' OR h.before LIKE '%"series_id" : null,%')"""


def find_before(ctx: Context, event_ids: list[int], *, only_deleted: bool) -> list[tuple[int, str]]:
    """What the journal has of these events as they were before a change, if they may have been in a series then."""
    # An expression is not tempted by the indexes of deletions.
    ops = "h.op || '' = 'delete'" if only_deleted else "h.op <> 'create'"
    sql = f"""SELECT h.event_id, h.before FROM changes h
              WHERE h.event_id {ctx.db.in_list("ids")} AND h.kind = 'event' AND {ops} AND NOT {_WAS_SINGLE}"""
    return [(event_id, before) for event_id, before in ctx.tx.rows(sql, ids=event_ids)] if event_ids else []


def find_formerly_single(ctx: Context, event_ids: list[int]) -> set[int]:
    """The given events that the journal has as single ones."""
    sql = f"""SELECT h.event_id FROM changes h
              WHERE h.event_id {ctx.db.in_list("ids")} AND h.kind = 'event' AND h.op <> 'create' AND {_WAS_SINGLE}"""
    return {event_id for (event_id,) in ctx.tx.rows(sql, ids=event_ids)} if event_ids else set()
