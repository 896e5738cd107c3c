"""Copying the tables of a SQLite database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from kalends.db.database import Retry, Transaction, UniqueViolation
from kalends.db.sqlite.database import TEXT_INDEXES
from kalends.db.table_copy import IntegrityError, TableCopy, batch_size

# Large enough that pages are not written again and again while many rows are inserted.
CACHE_KIB = 64 * 1024


class SqliteTableCopy(TableCopy):
    def __init__(self, tx: Transaction):
        self._tx = tx

    def columns(self, table: str) -> dict[str, bool]:
        return {name: kind == "BLOB" for name, kind in self._tx.rows("SELECT name, type FROM pragma_table_info(:table)", table=table)}

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        sql = f"SELECT rowid, {', '.join(columns)} FROM {table} WHERE rowid > :after ORDER BY rowid LIMIT {batch_size(table)}"
        after = self._tx.value(f"SELECT min(rowid) - 1 FROM {table}")
        while rows := after is not None and self._tx.rows(sql, after=after):
            after = rows[-1][0]
            yield [row[1:] for row in rows]

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES (:{', :'.join(columns)})"
        try:
            self._tx.many(sql, [dict(zip(columns, row, strict=True)) for row in rows])
        except (apsw.Error, Retry, UniqueViolation, ValueError, TypeError) as error:
            raise IntegrityError(f"{table}: {error.__cause__ or error}") from error

    def last_id(self, table: str) -> int:
        return self._tx.value("SELECT seq FROM sqlite_sequence WHERE name = :table", table=table) or 0

    def set_sequence(self, table: str, last_id: int) -> None:
        self._tx.run("DELETE FROM sqlite_sequence WHERE name = :table", table=table)
        self._tx.run("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last_id)", table=table, last_id=last_id)

    def drop(self, tables: Sequence[str]) -> None:
        for name in [*reversed(tables), *self._text_indexes()]:
            self._tx.script(f"DROP TABLE {name}")

    @contextmanager
    def triggers_disabled(self, tables: Sequence[str]) -> Iterator[None]:
        self._tx.script(f"PRAGMA cache_size = -{CACHE_KIB}")
        triggers = self._tx.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        for name, _, _ in triggers:
            self._tx.script(f"DROP TRIGGER {name}")
        yield
        # A text index is updated by triggers too. Filling it at once takes a seventh of the time.
        for index in self._text_indexes():
            table = next(table for name, table, _ in triggers if name == f"{index}_insert")
            column = index.removeprefix(f"{table}_")
            self._tx.script(f"INSERT INTO {index} (rowid, {column}) SELECT id, {column} FROM {table}")
        for _, _, sql in triggers:
            self._tx.script(sql)

    def verify(self, tables: Sequence[str]) -> None:
        broken = self._tx.rows("PRAGMA foreign_key_check")
        if broken:
            raise IntegrityError(f"{broken[0][0]}: a row refers to one of {broken[0][2]} that is missing")
        problem = self._tx.value("PRAGMA integrity_check(1)")
        if problem != "ok":
            raise IntegrityError(str(problem))

    def _text_indexes(self) -> list[str]:
        return [name for (name,) in self._tx.rows(TEXT_INDEXES)]
