"""All that a SQLite database holds."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from kalends.db.contents import RUN, Contents, Unfit
from kalends.db.database import Retry, Transaction, UniqueViolation
from kalends.db.sqlite.database import AWAY
from kalends.errors import Unavailable

# In KiB: enough that pages are not written again and again while many rows come.
CACHE = 64 * 1024


class SqliteContents(Contents):
    def __init__(self, tx: Transaction):
        self._tx = tx

    def columns(self, table: str) -> dict[str, bool]:
        return {name: kind == "BLOB" for name, kind in self._tx.rows("SELECT name, type FROM pragma_table_info(:table)", table=table)}

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        sql = f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid > :after ORDER BY rowid LIMIT {RUN}"
        after = self._tx.value(f"SELECT min(rowid) - 1 FROM {table}")
        while found := after is not None and self._tx.rows(sql, after=after):
            after = found[-1][0]
            yield [row[1:] for row in found]

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES (:{', :'.join(columns)})"
        try:
            self._tx.many(sql, [dict(zip(columns, row, strict=True)) for row in rows])
        except (apsw.Error, Retry, UniqueViolation, ValueError, TypeError) as error:
            raise Unfit(f"{table}: {error.__cause__ or error}") from error

    def last_id(self, table: str) -> int:
        return self._tx.value("SELECT seq FROM sqlite_sequence WHERE name = :table", table=table) or 0

    def go_on_after(self, table: str, last_id: int) -> None:
        self._tx.run("DELETE FROM sqlite_sequence WHERE name = :table", table=table)
        self._tx.run("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last_id)", table=table, last_id=last_id)

    def drop(self, tables: Sequence[str]) -> None:
        for name in [*reversed(tables), *self._text_indexes()]:
            self._tx.script(f"DROP TABLE {name}")

    @contextmanager
    def at_rest(self, tables: Sequence[str]) -> Iterator[None]:
        self._tx.script(f"PRAGMA cache_size = -{CACHE}")
        triggers = self._tx.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        for name, _, _ in triggers:
            self._tx.script(f"DROP TRIGGER {name}")
        yield
        # An index over a text is kept by triggers too. Filled at once, it takes a seventh of the time.
        for index in self._text_indexes():
            table = next(table for name, table, _ in triggers if name == f"{index}_insert")
            column = index.removeprefix(f"{table}_")
            self._tx.script(f"INSERT INTO {index} (rowid, {column}) SELECT id, {column} FROM {table}")
        for _, _, sql in triggers:
            self._tx.script(sql)

    def settle(self, tables: Sequence[str]) -> None:
        broken = self._tx.rows("PRAGMA foreign_key_check")
        if broken:
            raise Unfit(f"{broken[0][0]}: a row refers to one of {broken[0][2]} that is missing")
        found = self._tx.value("PRAGMA integrity_check(1)")
        if found != "ok":
            raise Unfit(str(found))

    def _text_indexes(self) -> list[str]:
        return [name for (name,) in self._tx.rows("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'")]


def is_in_use(path: Path) -> bool:
    """In WAL mode, whoever has the file open keeps others from having it for themselves alone."""
    try:
        probe = apsw.Connection(str(path))
        try:
            probe.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            probe.execute("BEGIN IMMEDIATE; ROLLBACK").fetchall()
        finally:
            probe.close()
    except apsw.BusyError:
        return True
    except AWAY as error:
        raise Unavailable("The database is away, busy or full. Try again.") from error
    return False
