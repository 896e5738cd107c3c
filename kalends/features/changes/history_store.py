"""The SQL of the history: the changes of an event, of one request, and what was deleted."""

from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core.records.change import ChangeRow
from kalends.db import columns
from kalends.features.changes.rules.tables import Table
from kalends.http.context import Context
from kalends.http.paging import Paging


class EventChangeRow(ChangeRow, frozen=True):
    """A change with the name of its actor, and the record as it was before its next change."""

    actor_name: str | None
    next_before: str | None


class DeletedRow(ChangeRow, frozen=True):
    """The last of the events that one request deleted, or a calendar without events of the actor, with the name of its actor and the
    number of these events."""

    actor_name: str | None
    events: int


# The trash is merged from the calendars' lists, which are read from the beginning.
MAX_OFFSET = 10_000
_CHANGE = columns(ChangeRow, "h")
_DELETED_EVENT = "o.kind = 'event' AND o.op = 'delete'"
_ACTOR_NAME = "(SELECT coalesce(u.name, u.user_name) FROM users u WHERE u.id = h.actor_id)"


def find(ctx: Context, change_id: int) -> ChangeRow | None:
    return ctx.tx.one(ChangeRow, f"SELECT {_CHANGE} FROM changes h WHERE h.id = :id", id=change_id)


def find_set(ctx: Context, set_id: int, limit: int) -> list[ChangeRow]:
    """The first changes of one request, in their order."""
    sql = f"SELECT {_CHANGE} FROM changes h WHERE h.set_id = :set_id ORDER BY h.id LIMIT :limit"
    return ctx.tx.all(ChangeRow, sql, set_id=set_id, limit=limit)


def of_event(ctx: Context, event_id: int, paging: Paging) -> list[EventChangeRow]:
    """The changes of an event and of what belongs to it, newest first. What guests answered is read with their responses alone, who was
    invited with the invitations, and the calendars of those invited not at all."""
    return ctx.tx.all(
        EventChangeRow,
        f"""SELECT {_CHANGE}, {_ACTOR_NAME}, (
                SELECT n.before FROM changes n
                WHERE n.event_id = :event_id AND n.id > h.id AND n.kind = h.kind AND n.record_id = h.record_id ORDER BY n.id LIMIT 1
            ) FROM changes h WHERE {_of_event()}
            ORDER BY h.id DESC LIMIT :limit OFFSET :offset""",
        event_id=event_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


def count_of_event(ctx: Context, event_id: int) -> int:
    return int(ctx.tx.value(f"SELECT count(*) FROM changes h WHERE {_of_event()}", event_id=event_id))


def _of_event() -> str:
    """SQL: whether the change `h` is one of those that the history of the event lists."""
    return f"""h.event_id = :event_id AND h.kind NOT IN ('answer', 'event_invitation')
            AND NOT (h.kind = 'placement' AND coalesce({_had("by_invitation")}, FALSE))"""


class Since(Struct, frozen=True):
    """After which moment changes are looked for: a change by its number, or a time."""

    seq: int = 0
    at: int = 0

    @property
    def sql(self) -> str:
        return "h.at > :at" if self.at else "h.id > :seq"

    @property
    def params(self) -> dict[str, int]:
        return {"at": self.at} if self.at else {"seq": self.seq}


def find_first_id(ctx: Context) -> int | None:
    """The number of the oldest change of the history."""
    first_id: int | None = ctx.tx.value("SELECT min(id) FROM changes")
    return first_id


def find_next(ctx: Context, kind: str, event_id: int, since: Since) -> ChangeRow | None:
    """The first change of the event, or of its one record of this kind, after the moment."""
    sql = f"SELECT {_CHANGE} FROM changes h WHERE h.event_id = :id AND h.kind = :kind AND {since.sql} ORDER BY h.id LIMIT 1"
    return ctx.tx.one(ChangeRow, sql, id=event_id, kind=kind, **since.params)


def find_all_since(ctx: Context, kind: str, event_id: int, since: Since) -> list[ChangeRow]:
    """All changes of the event's records of this kind after the moment."""
    sql = f"SELECT {_CHANGE} FROM changes h WHERE h.event_id = :id AND h.kind = :kind AND {since.sql} ORDER BY h.id"
    return ctx.tx.all(ChangeRow, sql, id=event_id, kind=kind, **since.params)


def find_of_series_since(ctx: Context, kind: str, series_id: int, since: Since) -> list[ChangeRow]:
    """All changes of the series, or of its exceptions, after the moment."""
    sql = f"""SELECT {_CHANGE} FROM changes h
              WHERE h.record_id = :id AND h.kind = :kind AND h.event_id IS NULL AND {since.sql} ORDER BY h.id"""
    return ctx.tx.all(ChangeRow, sql, id=series_id, kind=kind, **since.params)


def find_once_visible(ctx: Context, event_ids: list[int]) -> set[int]:
    """The given events that are public or were before one of their changes, or that the actor could see: their own, and those on
    calendars of which they are a member."""
    if not event_ids:
        return set()
    visible, params = f"h.kind = 'event' AND {_had('public')}", {}
    if ctx.actor:
        visible += f" OR h.kind = 'event' AND h.owner_id = :me OR {policy.is_member('h.calendar_id')}"
        params["me"] = ctx.actor.id
    in_ids = ctx.db.in_list("ids")
    sql = f"""SELECT h.event_id FROM changes h WHERE h.event_id {in_ids} AND ({visible})
              UNION SELECT id FROM events WHERE id {in_ids} AND public"""
    return {event_id for (event_id,) in ctx.tx.rows(sql, ids=event_ids, **params)}


def find_series(ctx: Context, event_ids: list[int]) -> dict[int, set[int | None]]:
    """The series in which each of the events is or was before one of its changes; None for none."""
    if not event_ids:
        return {}
    series: dict[int, set[int | None]] = {}
    in_ids = ctx.db.in_list("ids")
    for event_id, series_id in ctx.tx.rows(f"SELECT id, series_id FROM events WHERE id {in_ids}", ids=event_ids):
        series.setdefault(event_id, set()).add(series_id)
    sql = f"SELECT {_CHANGE} FROM changes h WHERE h.event_id {in_ids} AND h.kind = 'event' AND h.op <> 'create'"
    for row in ctx.tx.all(ChangeRow, sql, ids=event_ids):
        series.setdefault(row.record_id, set()).add(row.content.get("series_id"))
    return series


def find_once_approved(ctx: Context, event_ids: list[int]) -> set[int]:
    """The comments on these events that were approved before one of their changes."""
    sql = f"""SELECT DISTINCT h.record_id FROM changes h
              WHERE h.event_id {ctx.db.in_list("ids")} AND h.kind = 'comment' AND {_had("approved")}"""
    return {comment_id for (comment_id,) in ctx.tx.rows(sql, ids=event_ids)} if event_ids else set()


def _had(flag: str) -> str:
    """SQL: whether the flag was set. Each database writes JSON in its own way; in texts, quotation marks are escaped."""
    return f"""(h.before LIKE '%"{flag}":1,%' OR h.before LIKE '%"{flag}" : true,%')"""


def find_row(ctx: Context, table: Table, record_id: int) -> dict[str, Any] | None:
    """What the history tells of the row with this id, as it is now."""
    rows = ctx.tx.rows(f"SELECT {', '.join(table.shown_columns)} FROM {table.name} WHERE {table.key[0]} = :id", id=record_id)
    return dict(zip(table.shown_columns, rows[0], strict=True)) if rows else None


def find_later(ctx: Context, rows: list[ChangeRow]) -> list[ChangeRow]:
    """Later changes of the events and other records that these changes of one request concern, by other requests. A new owner of a
    calendar and its events is none: an undo does not touch the owner."""
    first = min(row.id for row in rows)
    params = {"first": first, "set_id": rows[0].set_id}
    event_ids = sorted({row.event_id for row in rows if row.event_id is not None})
    record_ids = sorted({row.record_id for row in rows if row.event_id is None})
    by_others = "h.id > :first AND h.set_id <> :set_id AND NOT (h.via = 'transfer' AND h.op = 'update')"
    later = []
    if event_ids:
        sql = f"SELECT {_CHANGE} FROM changes h WHERE h.event_id {ctx.db.in_list('ids')} AND {by_others}"
        later += ctx.tx.all(ChangeRow, sql, ids=event_ids, **params)
    if record_ids:
        sql = f"""SELECT {_CHANGE} FROM changes h
                  WHERE h.record_id {ctx.db.in_list("ids")} AND h.event_id IS NULL AND {by_others}"""
        later += ctx.tx.all(ChangeRow, sql, ids=record_ids, **params)
    return later


def deleted_events(ctx: Context, paging: Paging) -> list[DeletedRow]:
    """What the actor may restore: for each request that deleted events, the last of these, or else the calendar; newest first."""
    me = policy.user(ctx).id
    if paging.offset > MAX_OFFSET:
        return []
    limit = paging.fetch + paging.offset
    last = _find_last_deletions(ctx, me, limit)
    page = [last[set_id] for set_id in sorted(last, reverse=True)[paging.offset : limit]]
    counts = [
        f"(SELECT count(*) FROM changes o WHERE o.{column} = h.{column} AND {_DELETED_EVENT} AND o.set_id = h.set_id)"
        for column in ("owner_id", "calendar_id")
    ]
    sql = f"""SELECT {_CHANGE}, {_ACTOR_NAME}, CASE WHEN h.owner_id = :me THEN {counts[0]} ELSE {counts[1]} END
              FROM changes h WHERE h.id {ctx.db.in_list("ids")} ORDER BY h.set_id DESC"""
    return ctx.tx.all(DeletedRow, sql, ids=page, me=me) if page else []


def count_deleted_events(ctx: Context) -> int:
    """How many entries the trash has; at most as many as its pages can show."""
    return len(_find_last_deletions(ctx, policy.user(ctx).id, MAX_OFFSET))


def _find_last_deletions(ctx: Context, me: int, limit: int) -> dict[int, int]:
    """The last deletion of each of the newest requests that deleted events which the actor may restore, by the number of the request."""
    calendar_ids = [calendar.id for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)]
    requests = _find_requests(ctx, "calendar_id", calendar_ids, limit)
    if policy.is_limited(ctx):
        return dict(sorted(requests))
    requests = _find_requests(ctx, "owner_id", [me], limit) + requests
    return dict(_find_calendars(ctx, me, limit)) | dict(sorted(requests))


def _find_calendars(ctx: Context, me: int, limit: int) -> list[tuple[int, int]]:
    """The newest requests by which calendars of the user were deleted with no event of theirs, and the change: a list of tasks has none."""
    sql = f"""SELECT h.set_id, h.id FROM changes h WHERE h.owner_id = :me AND h.kind = 'calendar' AND h.op = 'delete'
              AND NOT EXISTS (SELECT 1 FROM calendars c WHERE c.id = h.record_id)
              AND NOT EXISTS (SELECT 1 FROM changes o WHERE o.owner_id = :me AND {_DELETED_EVENT} AND o.set_id = h.set_id)
              ORDER BY h.set_id DESC, h.id DESC LIMIT :limit"""
    return [(set_id, change_id) for set_id, change_id in ctx.tx.rows(sql, me=me, limit=limit)]


def _find_requests(ctx: Context, column: str, ids: list[int], limit: int) -> list[tuple[int, int]]:
    """For each owner or calendar, the newest requests that deleted events of theirs which are not restored: the number of the request,
    and the last of its deletions. For an owner, those alone that were on calendars which the owner has deleted, too.

    From each request the index leads to the one before it, so that it does not matter how many events a request deleted."""
    newest = (
        f"SELECT o.id FROM changes o WHERE o.{column} = {{id}} AND {_DELETED_EVENT} {{before}} ORDER BY o.set_id DESC, o.id DESC LIMIT 1"
    )
    earlier = newest.format(id="requests.list_id", before="AND o.set_id < (SELECT p.set_id FROM changes p WHERE p.id = requests.id)")
    is_left_out = "EXISTS (SELECT 1 FROM changes p JOIN events e ON e.id = p.record_id WHERE p.id = requests.id)"
    if column == "owner_id":
        is_left_out = f"""({is_left_out} OR NOT EXISTS (
            SELECT 1 FROM changes p JOIN changes k ON k.record_id = p.calendar_id
            WHERE p.id = requests.id AND k.owner_id = requests.list_id AND k.kind = 'calendar' AND k.op = 'delete'))"""
    sql = f"""WITH RECURSIVE requests (list_id, id, listed) AS (
                  SELECT c.id, ({newest.format(id="c.id", before="")}), 0
                  FROM {"users" if column == "owner_id" else "calendars"} c WHERE c.id {ctx.db.in_list("ids")}
                  UNION ALL
                  SELECT requests.list_id, ({earlier}), requests.listed + CASE WHEN {is_left_out} THEN 0 ELSE 1 END
                  FROM requests WHERE requests.id IS NOT NULL AND requests.listed < :limit)
              SELECT h.set_id, h.id FROM requests JOIN changes h ON h.id = requests.id WHERE NOT {is_left_out}"""
    return [(set_id, change_id) for set_id, change_id in ctx.tx.rows(sql, ids=ids, limit=limit)] if ids else []
