"""All that a PostgreSQL database holds."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from kalends.db.contents import RUN, Contents, Unfit
from kalends.db.database import Retry, UniqueViolation
from kalends.db.postgres.database import PostgresTransaction

_NUMBERS = "FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' WHERE d.refobjid = to_regclass(:table)"


class PostgresContents(Contents):
    def __init__(self, tx: PostgresTransaction):
        self._tx = tx

    def columns(self, table: str) -> dict[str, bool]:
        found = self._tx.rows(
            """SELECT attname, atttypid = CAST('bytea' AS regtype) FROM pg_attribute
               WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped ORDER BY attnum""",
            table=table,
        )
        return dict(found)

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        self._tx.script("SET LOCAL enable_seqscan = on")
        self._tx.script(f"DECLARE {table}_rows NO SCROLL CURSOR FOR SELECT {', '.join(columns)} FROM {table}")
        while found := self._tx.rows(f"FETCH {RUN} FROM {table}_rows"):
            yield found

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        try:
            self._tx.copy(table, columns, rows)
        except (psycopg.Error, Retry, UniqueViolation) as error:
            raise Unfit(f"{table}: {str(error.__cause__ or error).splitlines()[0]}") from error

    def last_id(self, table: str) -> int:
        return self._tx.value(f"SELECT pg_sequence_last_value(s.oid) {_NUMBERS}", table=table) or 0

    def go_on_after(self, table: str, last_id: int) -> None:
        self._tx.rows(f"SELECT setval(s.oid, :last_id) {_NUMBERS}", table=table, last_id=last_id)

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
    def at_rest(self, tables: Sequence[str]) -> Iterator[None]:
        for table in tables:
            self._tx.script(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        # An index over a text is made much quicker at once than row by row.
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

    def settle(self, tables: Sequence[str]) -> None:
        """Every constraint was checked as the rows came."""
        self._tx.script(f"ANALYZE {', '.join(tables)}")
