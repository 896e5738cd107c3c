"""The SQL of the entries by which followers learn of changes."""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct

from kalends import policy
from kalends.core import errors
from kalends.db import columns
from kalends.db.text_search import escape_like
from kalends.features.changes.rules.cursor import Position
from kalends.http.context import Context

# How many entries or changes are deleted in one transaction.
BATCH = 1_000
DAY = 86_400
# How many changes are searched at once.
WINDOW = 20_000
# An event of the entry `s` that a calendar has, though that lets nobody see it.
_SEEN_ELSEWHERE = """s.kind = 'event' AND EXISTS (
    SELECT 1 FROM placements p WHERE p.event_id = s.record_id AND p.calendar_id = :own_on AND NOT p.grants)"""

# A change by which the record was deleted together with its event.
_GONE_WITH_EVENT = """changes.op = 'delete' AND EXISTS (SELECT 1 FROM changes d
    WHERE d.event_id = changes.event_id AND d.kind = 'event' AND d.op = 'delete' AND d.set_id = changes.set_id)"""


class Entry(Struct, frozen=True):
    """A record that its followers must read again."""

    tx: int
    id: int
    kind: str
    record_id: int
    # The one user whom it concerns; None if it concerns the members of a calendar.
    user_id: int | None = None

    @property
    def position(self) -> Position:
        return self.tx, self.id


class Journal(Struct, frozen=True):
    """How far the history reaches."""

    # It changes when the database was restored.
    epoch: int
    # No entry up to this position is left.
    pruned: Position
    # No entry can still appear up to this position.
    end: Position
    # No entry has a later position.
    newest: Position


def find_journal(ctx: Context) -> Journal:
    [(epoch, pruned_tx, pruned_id, tx, entry_id, newest_id, next_tx)] = ctx.tx.rows(
        f"""SELECT * FROM (SELECT epoch, pruned_tx, pruned_id FROM journal) AS journal,
            ({ctx.db.last_sync_entry()}) AS final_entry, ({ctx.db.newest_sync_entry()}) AS newest_entry"""
    )
    pruned = pruned_tx, pruned_id
    return Journal(epoch, pruned, max((tx, entry_id), pruned), max((next_tx, newest_id), pruned))


def find_entries(
    ctx: Context, calendar_ids: list[int], after: Position, end: Position, kinds: Sequence[str], limit: int, *, own_on: int | None = None
) -> list[Entry]:
    """The first entries between the positions for the members of these calendars, and those for the actor.

    own_on: of these, only events that are on this calendar, where the actor may see them for the sake of another one."""
    kind_list = ", ".join(f"'{kind}'" for kind in kinds)
    rest = f"AND {ctx.db.is_between_positions} AND s.kind IN ({kind_list}) ORDER BY s.tx, s.id LIMIT :limit"
    of_each = ctx.db.for_each("each", "sync_entries n", f"SELECT s.id FROM sync_entries s WHERE s.calendar_id = each.id {rest}")
    selects = [f"SELECT {columns(Entry, 'n')} FROM {of_each}"]
    params: dict[str, Any] = {"tx": after[0], "id": after[1], "end_tx": end[0], "end_id": end[1], "limit": limit, "each": calendar_ids}
    if ctx.actor:
        opened = policy.and_event_opened(ctx, "s.record_id")
        rest = rest if own_on is None else f"AND {_SEEN_ELSEWHERE} {rest}"
        rest = f"AND s.kind = 'event'{opened} {rest}" if opened else rest
        selects.append(f"SELECT * FROM (SELECT {columns(Entry, 's')} FROM sync_entries s WHERE s.user_id = :me {rest}) AS own")
        params |= {"me": ctx.actor.id} | ({} if own_on is None else {"own_on": own_on})
    entries = ctx.tx.all(Entry, " UNION ALL ".join(selects), **params)
    return sorted(entries, key=lambda entry: entry.position)[:limit]


def prune(ctx: Context) -> bool:
    """Delete a batch of what is older than the history; returns whether there may be more.

    Ids grow with time, so the first rows are the oldest: no other row is looked at.
    """
    old = ctx.now - ctx.settings.history_days * DAY
    entries = _first_older(ctx, "sync_entries", "tx", old)
    if entries:
        tx, entry_id = max((tx, entry_id) for entry_id, tx in entries)
        ctx.tx.run(
            """UPDATE journal SET pruned_tx = :tx, pruned_id = :id
               WHERE pruned_tx < :tx OR (pruned_tx = :tx AND pruned_id < :id)""",
            tx=tx,
            id=entry_id,
        )
        ctx.tx.run(f"DELETE FROM sync_entries WHERE id {ctx.db.in_list('ids')}", ids=[row_id for row_id, _ in entries])
    changes = _first_older(ctx, "changes", "set_id", old)
    delete_changes(ctx, [row_id for row_id, _ in changes])
    return len(entries) == BATCH or len(changes) == BATCH


def _first_older(ctx: Context, table: str, column: str, old: int) -> list[tuple[int, int]]:
    """The ids and another column of the first rows, as long as they are older."""
    rows = ctx.tx.rows(f"SELECT id, {column}, at FROM {table} ORDER BY id LIMIT :limit", limit=BATCH)
    return [(row_id, value) for row_id, value, at in takewhile(lambda row: row[2] < old, rows)]


def erase_answers_of_events(ctx: Context, event_ids: list[int]) -> None:
    """Delete the history of what guests answered."""
    ctx.tx.run(f"DELETE FROM changes WHERE event_id {ctx.db.in_list('ids')} AND kind = 'answer'", ids=event_ids)


def erase_owner_in_batches(ctx: Context, user_id: int, kept_sets: Collection[int]) -> None:
    """Delete most of the history of the events and contacts of an account that have been deleted, but for the kept sets, in transactions
    that let others write in between."""
    kept = f"AND NOT set_id {ctx.db.in_list('kept')}"
    for kind, column in (("event", "event_id"), ("contact", "record_id")):
        only = "" if kind == "event" else "AND kind = 'contact' AND event_id IS NULL"
        while True:
            with ctx.read():
                sql = f"SELECT record_id FROM changes WHERE owner_id = :id AND kind = :kind AND op = 'delete' {kept} LIMIT :limit"
                rows = ctx.tx.rows(sql, id=user_id, kind=kind, limit=BATCH, kept=list(kept_sets))
            if len(rows) < BATCH:
                break
            with ctx.write(alone=True, is_last=False):
                sql = f"DELETE FROM changes WHERE {column} {ctx.db.in_list('ids')} {only} {kept}"
                ctx.tx.run(sql, ids=[record_id for (record_id,) in rows], kept=list(kept_sets))
            ctx.db.yield_to_other_writers()


def erase_owner(ctx: Context, user_id: int, kept_sets: Collection[int] = ()) -> None:
    """Delete the history of the records of an account, all of which have been deleted, but for the kept sets."""
    kept, sets = f"AND NOT set_id {ctx.db.in_list('kept')}", list(kept_sets)
    ctx.tx.run(f"DELETE FROM changes WHERE owner_id = :id AND op = 'delete' AND kind = 'answer' {kept}", id=user_id, kept=sets)
    rows = ctx.tx.rows("SELECT kind, record_id, set_id FROM changes WHERE owner_id = :id AND op = 'delete'", id=user_id)
    event_ids = [record_id for kind, record_id, _ in rows if kind == "event"]
    ctx.tx.run(f"DELETE FROM changes WHERE event_id {ctx.db.in_list('ids')} {kept}", ids=event_ids, kept=sets)
    calendar_ids = [record_id for kind, record_id, _ in rows if kind == "calendar"]
    shared = f"SELECT kind, record_id, set_id FROM changes WHERE calendar_id {ctx.db.in_list('ids')} AND op = 'delete' AND event_id IS NULL"
    deleted = rows + ctx.tx.rows(shared, ids=calendar_ids)
    for kind in ("contact", "calendar", "share", "invitation", "question", "reminder", "event_invitation"):
        ids = [record_id for each, record_id, _ in deleted if each == kind]
        of_kind = f"record_id {ctx.db.in_list('ids')} AND kind = '{kind}' AND event_id IS NULL {kept}"
        ctx.tx.run(f"DELETE FROM changes WHERE {of_kind}", ids=ids, kept=sets)
    _forget_files(ctx, [record_id for kind, record_id, set_id in rows if kind == "calendar" and set_id not in kept_sets])


def erase_response(ctx: Context, event_id: int, response_id: int) -> None:
    """Delete the history of a response and of its answers, which refer to it. Each database writes JSON with spaces of its own; in
    texts, quotation marks are escaped."""
    ctx.tx.run(
        """DELETE FROM changes WHERE event_id = :event_id AND (kind = 'response' AND record_id = :id
           OR kind = 'answer' AND (before LIKE :close OR before LIKE :wide))""",
        event_id=event_id,
        id=response_id,
        close=f'%"response_id":{response_id},%',
        wide=f'%"response_id" : {response_id},%',
    )


def erase_calendar(ctx: Context, calendar_id: int) -> None:
    """Delete the history of a calendar, though not of what is on it."""
    ctx.tx.run("DELETE FROM changes WHERE record_id = :id AND kind = 'calendar' AND event_id IS NULL", id=calendar_id)


def erase_comment(ctx: Context, event_id: int, comment_id: int) -> None:
    """Delete the history of a comment."""
    sql = "DELETE FROM changes WHERE event_id = :event_id AND kind = 'comment' AND record_id = :id"
    ctx.tx.run(sql, event_id=event_id, id=comment_id)


def erase_own(ctx: Context, user_id: int, *, with_deleted_events: bool) -> None:
    """Delete the history of the responses and comments of an account, also of those that lost their link to it just now.

    with_deleted_events: also of those that come back if an event in the trash is restored."""
    kept = "" if with_deleted_events else f"AND NOT ({_GONE_WITH_EVENT})"
    ctx.tx.run(f"DELETE FROM changes WHERE owner_id = :id AND kind IN ('response', 'comment') {kept}", id=user_id)


def find_with_text(ctx: Context, text: str, after: int, *, with_deleted_events: bool) -> tuple[list[int], int | None]:
    """The ids of the next changes whose content has the text, and where to go on; None at the end."""
    end = after + WINDOW
    kept = "" if with_deleted_events else f"AND NOT (kind IN ('response', 'comment') AND {_GONE_WITH_EVENT})"
    sql = f"SELECT id FROM changes WHERE id > :after AND id <= :end AND lower(before) LIKE :text ESCAPE '\\' {kept}"
    rows = ctx.tx.rows(sql, after=after, end=end, text=f"%{escape_like(text)}%")
    last = int(ctx.tx.value("SELECT coalesce(max(id), 0) FROM changes"))
    return [change_id for (change_id,) in rows], end if end < last else None


def delete_changes(ctx: Context, ids: list[int]) -> None:
    """Delete the changes, and what is kept for as long as they can be undone."""
    sql = f"DELETE FROM changes WHERE id {ctx.db.in_list('ids')} RETURNING kind, op, record_id"
    rows = ctx.tx.rows(sql, ids=ids) if ids else []
    _forget_files(ctx, [record_id for kind, op, record_id in rows if (kind, op) == ("calendar", "delete")])


def _forget_files(ctx: Context, calendar_ids: list[int]) -> None:
    """Delete what CalDAV clients wrote of those of the calendars that are deleted, since they cannot be restored any more."""
    for calendar_id in sorted(set(calendar_ids)):
        for table in ("dav_resources", "dav_properties", "dav_calendars"):
            sql = f"DELETE FROM {table} WHERE calendar_id = :id AND NOT EXISTS (SELECT 1 FROM calendars c WHERE c.id = :id)"
            ctx.tx.run(sql, id=calendar_id)


def require_valid(journal: Journal, epoch: int, position: Position) -> None:
    """Raise an error if entries after the position may have been deleted, or are numbered differently since a restore."""
    if epoch != journal.epoch or not journal.pruned <= position <= journal.newest:
        raise errors.CursorExpired(
            "The cursor is older than the history, or the database was restored since. Get a new one with GET /api/changes without a "
            "cursor, list what you follow again, and go on from there."
        )
