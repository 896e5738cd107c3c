"""A transaction on PostgreSQL."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import psycopg

from kalends.db.database import Transaction
from kalends.db.postgres.connection import Connection
from kalends.db.postgres.dialect import ids_containing
from kalends.db.postgres.errors import TranslatedErrors

# The reply timeout of a batch of statements.
MANY_SECONDS = 300

# A parameter, or what may hold a colon that does not begin one: a string, a quoted name, a comment.
_PARAMETER = re.compile(r"""'[^']*'|"[^"]*"|--[^\n]*|(?<![:\w]):([a-z_][a-z0-9_]*)""")


class PostgresTransaction(Transaction):
    def __init__(self, connection: Connection):
        self.connection = connection
        self._cursor = connection.cursor()

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        with TranslatedErrors():
            return self._cursor.execute(_to_psycopg(sql), params).fetchall()

    def run(self, sql: str, /, **params: Any) -> int:
        with TranslatedErrors():
            return self._cursor.execute(_to_psycopg(sql), params).rowcount

    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        timeout, self.connection.reply_timeout = self.connection.reply_timeout, MANY_SECONDS
        with TranslatedErrors():
            self._cursor.executemany(_to_psycopg(sql), rows)
        self.connection.reply_timeout = timeout

    def copy(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Insert the rows with COPY, which is the quickest way."""
        with TranslatedErrors(), self._cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """Uses the planner's estimate: the index itself can count its matches only by finding all of them."""
        sql, params = ids_containing(table, column, literals)
        with TranslatedErrors():
            explain = b"EXPLAIN (FORMAT JSON) " + _to_psycopg(sql)
            row = psycopg.ClientCursor(self.connection).execute(explain, params).fetchone()
        assert row is not None
        return (sql, params) if row[0][0]["Plan"]["Plan Rows"] <= most else None

    def script(self, sql: str) -> None:
        with TranslatedErrors():
            self.connection.execute(sql.encode())

    def advisory_lock(self, name: str) -> None:
        self.rows("SELECT pg_advisory_xact_lock(:key)", key=crc32(f"kalends {name}".encode()))

    def without_statement_timeout(self) -> None:
        self.script("SET LOCAL statement_timeout = 0")
        self.connection.reply_timeout = None

    def has_table(self, name: str) -> bool:
        return bool(self.value("SELECT to_regclass(:name) IS NOT NULL", name=name))


@lru_cache(2048)
def _to_psycopg(sql: str) -> bytes:
    """The statement with psycopg's placeholders `%(name)s` instead of `:name`."""

    def placeholder(match: re.Match[str]) -> str:
        return f"%({match[1]})s" if match[1] else match[0]

    return _PARAMETER.sub(placeholder, sql.replace("%", "%%")).encode()
