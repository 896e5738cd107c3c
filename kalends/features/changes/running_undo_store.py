"""The SQL of undos that take several transactions and are not finished."""

from msgspec import Struct

from kalends.db import columns
from kalends.http.context import Context

# An undo is taken for interrupted when none of its steps was done for this long.
MAX_STEP_SECONDS = 120


class RunningUndo(Struct, frozen=True):
    """An undo: the request that it undoes, and the number that all its own changes have."""

    set_id: int
    undo_set_id: int
    actor_id: int
    notify: str
    message: str | None


_COLUMNS = columns(RunningUndo)


def find(ctx: Context, set_id: int) -> RunningUndo | None:
    return ctx.tx.one(RunningUndo, f"SELECT {_COLUMNS} FROM running_undos WHERE set_id = :id", id=set_id)


def is_running(ctx: Context, undo_set_id: int) -> bool:
    """Whether these changes are those of an undo that is not finished."""
    return bool(ctx.tx.rows("SELECT 1 FROM running_undos WHERE undo_set_id = :id", id=undo_set_id))


def find_interrupted(ctx: Context) -> list[RunningUndo]:
    return ctx.tx.all(RunningUndo, f"SELECT {_COLUMNS} FROM running_undos WHERE at < :old ORDER BY set_id", old=ctx.now - MAX_STEP_SECONDS)


def insert(ctx: Context, undo: RunningUndo) -> None:
    """Begin the undo, unless another request has begun it."""
    ctx.tx.run(
        """INSERT INTO running_undos (set_id, undo_set_id, actor_id, notify, message, at)
           VALUES (:set_id, :undo_set_id, :actor_id, :notify, :message, :now) ON CONFLICT (set_id) DO NOTHING""",
        set_id=undo.set_id,
        undo_set_id=undo.undo_set_id,
        actor_id=undo.actor_id,
        notify=undo.notify,
        message=undo.message,
        now=ctx.now,
    )


def lock(ctx: Context, undo: RunningUndo) -> bool:
    """Let no other request do a step of the undo until the transaction ends; returns whether it is still running."""
    sql = "UPDATE running_undos SET at = :now WHERE set_id = :id AND undo_set_id = :undo_set_id"
    return bool(ctx.tx.run(sql, id=undo.set_id, undo_set_id=undo.undo_set_id, now=ctx.now))


def delete(ctx: Context, undo: RunningUndo) -> None:
    ctx.tx.run("DELETE FROM running_undos WHERE set_id = :id", id=undo.set_id)
