"""The SQL of the entries by which followers learn of changes."""

from collections.abc import Sequence

from msgspec import Struct

from kalends import errors
from kalends.changes.cursor import Position
from kalends.context import Context
from kalends.db import columns

# How many entries or changes are deleted in one transaction.
BATCH = 1_000
DAY = 86_400

_BETWEEN = "(s.tx, s.id) > (:tx, :id) AND (s.tx, s.id) <= (:end_tx, :end_id)"


class Entry(Struct, frozen=True):
    """A record that its followers must read again."""

    tx: int
    id: int
    kind: str
    record_id: int

    @property
    def position(self) -> Position:
        return self.tx, self.id


class Journal(Struct, frozen=True):
    """The epoch of the database, the position at which its history begins, that up to which its entries are final, and one after which
    there is no entry yet."""

    epoch: int
    pruned: Position
    end: Position
    newest: Position


def find_journal(ctx: Context) -> Journal:
    [(epoch, pruned_tx, pruned_id)] = ctx.tx.rows("SELECT epoch, pruned_tx, pruned_id FROM journal")
    [(tx, entry_id)] = ctx.tx.rows(ctx.db.last_sync_entry())
    [(newest_id, next_tx)] = ctx.tx.rows(ctx.db.newest_sync_entry())
    pruned = pruned_tx, pruned_id
    return Journal(epoch, pruned, max((tx, entry_id), pruned), max((next_tx, newest_id), pruned))


def find_entries(ctx: Context, calendar_ids: list[int], after: Position, end: Position, kinds: Sequence[str], limit: int) -> list[Entry]:
    """The first entries between the positions for the members of these calendars, and for the actor."""
    kind_list = ", ".join(f"'{kind}'" for kind in kinds)
    rest = f"AND {_BETWEEN} AND s.kind IN ({kind_list}) ORDER BY s.tx, s.id LIMIT :limit"
    params = {"tx": after[0], "id": after[1], "end_tx": end[0], "end_id": end[1], "limit": limit}
    entries = []
    if calendar_ids:
        of_each = ctx.db.for_each("each", "sync_entries n", f"SELECT s.id FROM sync_entries s WHERE s.calendar_id = each.id {rest}")
        entries += ctx.tx.all(Entry, f"SELECT {columns(Entry, 'n')} FROM {of_each}", **params, each=calendar_ids)
    if ctx.actor:
        own = f"SELECT {columns(Entry, 's')} FROM sync_entries s WHERE s.user_id = :me {rest}"
        entries += ctx.tx.all(Entry, own, **params, me=ctx.actor.id)
    return sorted(entries, key=lambda entry: entry.position)[:limit]


def prune(ctx: Context) -> bool:
    """Delete a batch of what is older than the history; returns whether there is more."""
    old = ctx.now - ctx.settings.history_days * DAY
    entries = ctx.tx.rows("SELECT id, tx FROM sync_entries WHERE at < :old ORDER BY id LIMIT :limit", old=old, limit=BATCH)
    if entries:
        ctx.tx.run("DELETE FROM sync_entries WHERE id <= :last AND at < :old", last=entries[-1][0], old=old)
        tx, entry_id = max((tx, entry_id) for entry_id, tx in entries)
        ctx.tx.run(
            """UPDATE journal SET pruned_tx = :tx, pruned_id = :id
               WHERE pruned_tx < :tx OR (pruned_tx = :tx AND pruned_id < :id)""",
            tx=tx,
            id=entry_id,
        )
    changes = ctx.tx.rows("SELECT id FROM changes WHERE at < :old ORDER BY id LIMIT :limit", old=old, limit=BATCH)
    if changes:
        ctx.tx.run("DELETE FROM changes WHERE id <= :last AND at < :old", last=changes[-1][0], old=old)
    return len(entries) == BATCH or len(changes) == BATCH


def erase_owner(ctx: Context, user_id: int) -> None:
    """Delete the history of the records of an account, all of which have been deleted."""
    rows = ctx.tx.rows("SELECT kind, record_id FROM changes WHERE owner_id = :id AND op = 'delete'", id=user_id)
    event_ids = [record_id for kind, record_id in rows if kind == "event"]
    ctx.tx.run(f"DELETE FROM changes WHERE event_id {ctx.db.in_list('ids')}", ids=event_ids)
    for kind in ("contact", "calendar"):
        ids = [record_id for each, record_id in rows if each == kind]
        ctx.tx.run(f"DELETE FROM changes WHERE record_id {ctx.db.in_list('ids')} AND kind = '{kind}' AND event_id IS NULL", ids=ids)


def require_valid(journal: Journal, epoch: int, position: Position) -> None:
    """Raise an error if entries after the position may have been deleted, or are numbered differently since a restore."""
    if epoch != journal.epoch or not journal.pruned <= position <= journal.newest:
        raise errors.CursorExpired(
            "The cursor is older than the history, or the database was restored since. Get a new one with GET /api/changes without a "
            "cursor, list what you follow again, and go on from there."
        )
