"""SQLite through apsw, which brings a SQLite without the WAL-reset bug of older ones."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import apsw

from kalends.db.database import Database, Retry, Taken, Transaction
from kalends.errors import Unavailable

BUSY_MS = 10_000

PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
"""

AWAY = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.NotADBError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
    apsw.InterruptError,
    apsw.ProtocolError,
)
UNIQUE = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY)


class Sqlite(Database):
    """One file in WAL mode: readers never wait, writers take turns."""

    types = {
        "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "int": "INTEGER",
        "flag": "INTEGER",
        "bytes": "BLOB",
        "end": ") STRICT",
    }

    def __init__(self, path: Path, *, busy_ms: int = BUSY_MS):
        self.path = path
        self._busy_ms = busy_ms
        self._local = threading.local()
        # Weak, so that a thread that ends takes its connection with it.
        self._opened: WeakSet[apsw.Connection] = WeakSet()
        self._writing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with _Translated():
            connection = self._connection()
            connection.execute("BEGIN")
        try:
            yield SqliteTransaction(connection)
        finally:
            _roll_back(connection)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        # Threads of this process queue here, which is fairer than SQLite's polling; other processes meet at BEGIN.
        if not self._writing.acquire(timeout=self._busy_ms / 1000):
            raise Unavailable("The database is busy. Try again.")
        try:
            with _Translated():
                connection = self._connection()
                connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection)
                with _Translated():
                    connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise
        finally:
            self._writing.release()

    def close(self) -> None:
        for connection in list(self._opened):
            connection.close()
        self._local = threading.local()

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = apsw.Connection(str(self.path), statementcachesize=500)
            connection.set_busy_timeout(self._busy_ms)
            _run_all(connection, PRAGMAS)
            self._local.connection = connection
            self._opened.add(connection)
        return connection


class SqliteTransaction(Transaction):
    def __init__(self, connection: apsw.Connection):
        self._connection = connection

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        with _Translated(self._connection):
            return self._connection.execute(sql, params).fetchall()

    def run(self, sql: str, /, **params: Any) -> int:
        with _Translated(self._connection):
            self._connection.execute(sql, params).fetchall()
            return self._connection.changes()

    def script(self, sql: str) -> None:
        with _Translated(self._connection):
            _run_all(self._connection, sql)

    def exclusive(self, name: str) -> None:
        """A write transaction excludes every other already."""

    def unhurried(self) -> None:
        """Statements are never hurried here."""

    def has_table(self, name: str) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name", name=name))


def _run_all(connection: apsw.Connection, sql: str) -> None:
    # apsw stops at the first row of an answer, and the statements after it run only once that was fetched.
    connection.execute(sql).fetchall()


def _roll_back(connection: apsw.Connection) -> None:
    # A full or failing disk may have ended the transaction already.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _index(connection: apsw.Connection, message: str) -> str:
    """The name of the unique index that refused. SQLite says `…: table.column, table.column`; a primary key has no
    name here, and is called as PostgreSQL would."""
    broken = [column.split(".") for column in message.rsplit(": ", 1)[-1].split(", ")]
    table, columns = broken[0][0], ",".join(column[-1] for column in broken)
    found = connection.execute(
        """SELECT l.name FROM pragma_index_list(:table) l WHERE l."unique" AND l.origin = 'c' AND :columns =
           (SELECT group_concat(i.name) FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno) i)""",
        {"table": table, "columns": columns},
    ).fetchone()
    return str(found[0]) if found else f"{table}_pkey"


class _Translated:
    """apsw's errors, as the rest of the house knows them."""

    def __init__(self, connection: apsw.Connection | None = None):
        self._connection = connection

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AWAY):
            raise Unavailable("The database is away, busy or full. Try again.") from error
        broken: int = getattr(error, "extendedresult", 0)
        if broken in UNIQUE and self._connection:
            raise Taken(_index(self._connection, str(error))) from error
        # The record was there when the action looked, and is gone: the next run finds that out.
        if broken == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
            raise Retry from error
