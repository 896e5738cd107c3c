"""The SQL of what a deleted account leaves in the trash: for each calendar, the changes that deleted it, which an undo takes back."""

from kalends.core.records.change import ChangeRow
from kalends.db import columns
from kalends.db.text_search import escape_like
from kalends.features.changes import journal_store as journal
from kalends.http.context import Context

# How many changes are written in one transaction.
BATCH = 1_000
_DELETED = "SELECT d.record_id FROM changes d WHERE d.set_id = :set_id AND d.op = 'delete' AND d.kind"
# A change of an event or a series that was not deleted, since it was on another calendar, too.
_OF_WHAT_STAYS = f"""(event_id IS NOT NULL AND event_id NOT IN ({_DELETED} = 'event')
    OR event_id IS NULL AND kind IN ('series', 'exception') AND record_id NOT IN ({_DELETED} = 'series'))"""


def keep_deletions(ctx: Context, set_id: int, rest_id: int) -> None:
    """Let the set have nothing but what was deleted; its other changes belong to the request with the other number."""
    sql = f"UPDATE changes SET set_id = :rest_id WHERE set_id = :set_id AND {_OF_WHAT_STAYS}"
    ctx.tx.run(sql, set_id=set_id, rest_id=rest_id)


def erase_person(ctx: Context, set_id: int, user_id: int, address: str | None) -> None:
    """Delete from the set what the account wrote as a guest, and what is for its address."""
    own = "kind IN ('response', 'comment', 'answer') AND owner_id = :user_id"
    ctx.tx.run(f"DELETE FROM changes WHERE set_id = :set_id AND {own}", set_id=set_id, user_id=user_id)
    if address:
        addressed = "kind NOT IN ('event', 'calendar') AND lower(before) LIKE :text ESCAPE '\\'"
        ctx.tx.run(f"DELETE FROM changes WHERE set_id = :set_id AND {addressed}", set_id=set_id, text=f"%{escape_like(address)}%")


def erase_orphans(ctx: Context, set_id: int) -> int:
    """Delete from the set what belongs to events that are not in it any more; returns the number of its events."""
    orphans = f"event_id IS NOT NULL AND event_id NOT IN ({_DELETED} = 'event')"
    ctx.tx.run(f"DELETE FROM changes WHERE set_id = :set_id AND {orphans}", set_id=set_id)
    sql = "SELECT count(*) FROM changes WHERE set_id = :set_id AND kind = 'event' AND op = 'delete'"
    return int(ctx.tx.value(sql, set_id=set_id))


def erase_batch(ctx: Context, set_id: int) -> bool:
    """Delete the next changes of the set; returns whether there may be more."""
    rows = ctx.tx.rows("SELECT id FROM changes WHERE set_id = :set_id LIMIT :limit", set_id=set_id, limit=BATCH)
    journal.delete_changes(ctx, [change_id for (change_id,) in rows])
    return len(rows) == BATCH


def has_files(ctx: Context, calendar_id: int) -> bool:
    """Whether CalDAV clients wrote something to the calendar, such as tasks."""
    return bool(ctx.tx.rows("SELECT 1 FROM dav_resources WHERE calendar_id = :id AND NOT gone LIMIT 1", id=calendar_id))


def give_batch(ctx: Context, set_id: int, user_id: int) -> bool:
    """Make the next deleted events of the set, and the calendar, those of the user; returns whether there may be more."""
    # The expression is not tempted by the indexes of what was deleted.
    sql = """SELECT id FROM changes WHERE set_id = :set_id AND kind IN ('event', 'calendar') AND coalesce(op, '') = 'delete'
             AND owner_id <> :user_id LIMIT :limit"""
    rows = ctx.tx.rows(sql, set_id=set_id, user_id=user_id, limit=BATCH)
    ids = [change_id for (change_id,) in rows]
    ctx.tx.run(f"UPDATE changes SET owner_id = :user_id WHERE id {ctx.db.in_list('ids')}", ids=ids, user_id=user_id)
    return len(rows) == BATCH


def find_deletion(ctx: Context, set_id: int) -> ChangeRow | None:
    """The change by which the calendar was deleted; None if the history does not go back so far."""
    sql = f"SELECT {columns(ChangeRow, 'h')} FROM changes h WHERE h.set_id = :set_id AND h.kind = 'calendar' AND h.op = 'delete'"
    return ctx.tx.one(ChangeRow, sql, set_id=set_id)
