"""The titles of public events that were deleted, so that their URLs say so for some time."""

from kalends import policy
from kalends.http.context import Context

_INSERT = """
INSERT INTO deleted_events (event_id, owner_id, title, note, deleted_at)
SELECT id, owner_id, title, status_note, CAST(:now AS BIGINT) FROM events WHERE public AND id
"""


def insert(ctx: Context, ids: list[int]) -> None:
    """Remember those of the events that are public, before they are deleted."""
    ctx.tx.run(f"{_INSERT} {ctx.db.in_list('ids')}", ids=ids, now=ctx.now)


def forget(ctx: Context, ids: list[int]) -> None:
    """Forget events that were restored."""
    if ids:
        ctx.tx.run(f"DELETE FROM deleted_events WHERE event_id {ctx.db.in_list('ids')}", ids=ids)


def clean_up(ctx: Context) -> None:
    """Forget those that were deleted long ago."""
    ctx.tx.run("DELETE FROM deleted_events WHERE deleted_at <= :old", old=ctx.now - policy.DELETED_EVENT_LIFETIME)
