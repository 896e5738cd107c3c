"""Copying the tables of a PostgreSQL database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from kalends.db.database import Retry, Transaction, UniqueViolation
from kalends.db.postgres.transaction import PostgresTransaction
from kalends.db.table_copy import IntegrityError, TableCopy, batch_size

_SEQUENCE = "FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' WHERE d.refobjid = to_regclass(:table)"


class PostgresTableCopy(TableCopy):
    def __init__(self, tx: Transaction):
        assert isinstance(tx, PostgresTransaction)
        self._tx = tx

    def columns(self, table: str) -> dict[str, bool]:
        types = self._tx.rows(
            """SELECT attname, atttypid = CAST('bytea' AS regtype) FROM pg_attribute
               WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped ORDER BY attnum""",
            table=table,
        )
        return dict(types)

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        self._tx.script("SET LOCAL enable_seqscan = on")
        self._tx.script(f"DECLARE {table}_rows NO SCROLL CURSOR FOR SELECT {', '.join(columns)} FROM {table}")
        while rows := self._tx.rows(f"FETCH {batch_size(table)} FROM {table}_rows"):
            yield rows

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        try:
            self._tx.copy(table, columns, rows)
        except (psycopg.Error, Retry, UniqueViolation) as error:
            raise IntegrityError(f"{table}: {str(error.__cause__ or error).splitlines()[0]}") from error

    def last_id(self, table: str) -> int:
        return self._tx.value(f"SELECT pg_sequence_last_value(s.oid) {_SEQUENCE}", table=table) or 0

    def set_sequence(self, table: str, last_id: int) -> None:
        self._tx.rows(f"SELECT setval(s.oid, :last_id) {_SEQUENCE}", table=table, last_id=last_id)

    def drop(self, tables: Sequence[str]) -> None:
        functions = self._tx.rows(
            """SELECT DISTINCT CAST(CAST(t.tgfoid AS regprocedure) AS TEXT) FROM pg_trigger t
               WHERE NOT t.tgisinternal AND t.tgrelid IN (SELECT to_regclass(name) FROM unnest(CAST(:tables AS TEXT[])) AS name)""",
            tables=list(tables),
        )
        self._tx.script(f"DROP TABLE {', '.join(tables)}")
        for (function,) in functions:
            self._tx.script(f"DROP FUNCTION {function}")

    @contextmanager
    def triggers_disabled(self, tables: Sequence[str]) -> Iterator[None]:
        for table in tables:
            self._tx.script(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        # Building a text index afterwards is much faster than row by row.
        indexes = self._tx.rows(
            """SELECT CAST(i.indexrelid::regclass AS TEXT), pg_get_indexdef(i.indexrelid)
               FROM unnest(CAST(:tables AS TEXT[])) AS name JOIN pg_index i ON i.indrelid = to_regclass(name)
               JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'""",
            tables=list(tables),
        )
        for name, _ in indexes:
            self._tx.script(f"DROP INDEX {name}")
        yield
        for _, sql in indexes:
            self._tx.script(sql)
        for table in tables:
            self._tx.script(f"ALTER TABLE {table} ENABLE TRIGGER USER")

    def verify(self, tables: Sequence[str]) -> None:
        """Only the statistics: every constraint was checked when its row was inserted."""
        self._tx.script(f"ANALYZE {', '.join(tables)}")
