"""The SQL of the history: the changes of an event, of one request, and what was deleted."""

from typing import Any

from msgspec import Struct, json

from kalends import policy
from kalends.changes.tables import Table
from kalends.context import Context
from kalends.db import columns
from kalends.http.paging import Paging


class ChangeRow(Struct, frozen=True):
    """A row of the journal."""

    id: int
    set_id: int
    at: int
    actor_id: int | None
    via: str
    kind: str
    record_id: int
    event_id: int | None
    owner_id: int | None
    calendar_id: int | None
    op: str
    before: str | None

    @property
    def content(self) -> dict[str, Any]:
        """The row as it was."""
        content: dict[str, Any] = json.decode(self.before or "{}")
        return content


class EventChangeRow(ChangeRow, frozen=True):
    """The same, with the name of its actor, and the record as it was before its next change."""

    actor_name: str | None
    next_before: str | None


class DeletedRow(ChangeRow, frozen=True):
    """The last of the events that one request deleted, with the name of its actor and the number of these events."""

    actor_name: str | None
    events: int


# The trash is merged from the calendars' lists, which are read from the beginning.
MAX_OFFSET = 10_000
_CHANGE = columns(ChangeRow, "h")
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
            ) FROM changes h WHERE h.event_id = :event_id AND h.kind NOT IN ('answer', 'event_invitation')
            AND NOT (h.kind = 'placement' AND coalesce({_had("by_invitation")}, FALSE))
            ORDER BY h.id DESC LIMIT :limit OFFSET :offset""",
        event_id=event_id,
        limit=paging.fetch,
        offset=paging.offset,
    )


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
    """Those of the events that are public or were before one of their changes, or that the actor could see: their own, and those on
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
    rows = ctx.tx.rows(f"SELECT {', '.join(table.told)} FROM {table.name} WHERE {table.key[0]} = :id", id=record_id)
    return dict(zip(table.told, rows[0], strict=True)) if rows else None


def find_later(ctx: Context, rows: list[ChangeRow]) -> list[ChangeRow]:
    """Changes by other requests of the events and other records that these changes concern."""
    first, set_id = rows[0].id, rows[0].set_id
    event_ids = sorted({row.event_id for row in rows if row.event_id is not None})
    record_ids = sorted({row.record_id for row in rows if row.event_id is None})
    later = []
    if event_ids:
        sql = f"SELECT {_CHANGE} FROM changes h WHERE h.event_id {ctx.db.in_list('ids')} AND h.id > :first AND h.set_id <> :set_id"
        later += ctx.tx.all(ChangeRow, sql, ids=event_ids, first=first, set_id=set_id)
    if record_ids:
        sql = f"""SELECT {_CHANGE} FROM changes h
                  WHERE h.record_id {ctx.db.in_list("ids")} AND h.event_id IS NULL AND h.id > :first AND h.set_id <> :set_id"""
        later += ctx.tx.all(ChangeRow, sql, ids=record_ids, first=first, set_id=set_id)
    return later


def deleted_events(ctx: Context, paging: Paging) -> list[DeletedRow]:
    """What the actor may restore: for each request that deleted events, the last of these, newest first."""
    me = policy.user(ctx).id
    # The index of sets finds them; an expression is not tempted by the indexes of deletions.
    same_request = "FROM changes o WHERE o.set_id = h.set_id AND o.kind = 'event' AND o.op || '' = 'delete'"
    columns_of_row = f"{_CHANGE}, {_ACTOR_NAME}, (SELECT count(*) {same_request})"
    last = f"""h.op = 'delete' AND h.kind = 'event' AND NOT EXISTS (SELECT 1 {same_request} AND o.id > h.id)
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = h.record_id)"""
    if paging.offset > MAX_OFFSET:
        return []
    limit = paging.fetch + paging.offset
    rows = ctx.tx.all(
        DeletedRow,
        f"SELECT {columns_of_row} FROM changes h WHERE h.owner_id = :me AND {last} ORDER BY h.id DESC LIMIT :limit",
        me=me,
        limit=limit,
    )
    calendar_ids = [calendar.id for calendar in policy.member_calendars(ctx) if policy.can_edit(calendar)]
    of_each = f"SELECT h.id FROM changes h WHERE h.calendar_id = each.id AND {last} ORDER BY h.id DESC LIMIT :limit"
    rows += ctx.tx.all(
        DeletedRow, f"SELECT {columns_of_row} FROM {ctx.db.for_each('each', 'changes h', of_each)}", each=calendar_ids, limit=limit
    )
    by_id = {row.id: row for row in rows}
    return sorted(by_id.values(), key=lambda row: -row.id)[paging.offset : limit]
