"""The SQL of which programs fetch the feeds of calendars."""

from msgspec import Struct

from kalends.db import Transaction
from kalends.http.context import Context

# A program is counted once in this time, so that a feed that many fetch is written to once a minute for each program.
COUNTED_EACH = 60


class ReaderRow(Struct, frozen=True):
    """A program that fetched the feed of a calendar."""

    program: str
    fetches: int
    first_at: int
    last_at: int


def index(ctx: Context, calendar_id: int) -> list[ReaderRow]:
    """The programs of the calendar, the last one first."""
    sql = "SELECT program, fetches, first_at, last_at FROM calendar_readers WHERE calendar_id = :id ORDER BY last_at DESC, program"
    return ctx.tx.all(ReaderRow, sql, id=calendar_id)


def count_later(ctx: Context, calendar_id: int, program: str) -> None:
    """Count a fetch after the commit: a read stays a read, and takes no longer."""
    sql = "SELECT last_at FROM calendar_readers WHERE calendar_id = :id AND program = :program"
    last_at = ctx.tx.value(sql, id=calendar_id, program=program)
    if last_at is None or ctx.now - last_at >= COUNTED_EACH:
        ctx.after_commit.append(lambda tx: _count(tx, calendar_id, program, ctx.now))


def _count(tx: Transaction, calendar_id: int, program: str, now: int) -> None:
    # The calendar may have been deleted since.
    tx.run(
        """INSERT INTO calendar_readers (calendar_id, program, fetches, first_at, last_at)
           SELECT id, :program, 1, :now, :now FROM calendars WHERE id = :id
           ON CONFLICT (calendar_id, program) DO UPDATE SET fetches = calendar_readers.fetches + 1, last_at = excluded.last_at""",
        id=calendar_id,
        program=program,
        now=now,
    )
