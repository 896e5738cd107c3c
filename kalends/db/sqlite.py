"""SQLite through apsw, which brings a SQLite without the WAL-reset bug of older ones."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from weakref import WeakSet

import apsw

from kalends.db.database import Database, Retry, Taken, Transaction
from kalends.errors import Unavailable

BUSY_MS = 10_000
MOST_TRIGRAMS = 24

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
        "now": "unixepoch()",
        "unmarked": "TRUE",
    }
    for_update = ""

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

    def listed(self, name: str) -> str:
        return f"(SELECT value FROM json_each(:{name}))"

    def for_each(self, name: str, table: str, ids: str) -> str:
        return f"(SELECT value AS id FROM json_each(:{name})) AS each CROSS JOIN {table} WHERE {table.split()[-1]}.id IN ({ids})"

    def substring_index(self, table: str, column: str) -> str:
        index = f"{table}_{column}"
        add = f"INSERT INTO {index} (rowid, {column}) VALUES (new.id, new.{column});"
        drop = f"DELETE FROM {index} WHERE rowid = old.id;"
        return f"""
            CREATE VIRTUAL TABLE {index} USING fts5(
                {column}, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
            );
            CREATE TRIGGER {index}_insert AFTER INSERT ON {table} BEGIN {add} END;
            CREATE TRIGGER {index}_delete AFTER DELETE ON {table} BEGIN {drop} END;
            CREATE TRIGGER {index}_update AFTER UPDATE OF {column} ON {table} WHEN old.{column} <> new.{column}
            BEGIN {drop} {add} END;
        """

    def trigger(self, change: str, table: str, statement: str) -> str:
        return f"CREATE TRIGGER {table}_after_{change.lower()} AFTER {change} ON {table} BEGIN {statement}; END;"

    def containing(self, table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
        return _containing(table, column, literals)

    def close(self) -> None:
        for connection in list(self._opened):
            connection.close()
        self._local = threading.local()

    def _connection(self) -> apsw.Connection:
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = apsw.Connection(str(self.path), statementcachesize=500)
            connection.set_busy_timeout(self._busy_ms)
            # A plan that may depend on the values is made anew for each execution, which takes longer than to run it.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            _run_all(connection, PRAGMAS)
            self._local.connection = connection
            self._opened.add(connection)
        return connection


class SqliteTransaction(Transaction):
    def __init__(self, connection: apsw.Connection):
        self._connection = connection

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        with _Translated(self._connection):
            return self._connection.execute(sql, _bound(params)).fetchall()

    def run(self, sql: str, /, **params: Any) -> int:
        with _Translated(self._connection):
            self._connection.execute(sql, _bound(params)).fetchall()
            return self._connection.changes()

    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        with _Translated(self._connection):
            self._connection.executemany(sql, rows).fetchall()

    def is_rare(self, table: str, column: str, literals: Sequence[str], most: int) -> bool:
        sql, params = _containing(table, column, literals)
        return bool(self.value(f"SELECT count(*) FROM ({sql} LIMIT {most + 1})", **params) <= most)

    def script(self, sql: str) -> None:
        with _Translated(self._connection):
            _run_all(self._connection, sql)

    def exclusive(self, name: str) -> None:
        """A write transaction excludes every other already."""

    def unhurried(self) -> None:
        """Statements are never hurried here."""

    def has_table(self, name: str) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name", name=name))


def _bound(params: dict[str, Any]) -> dict[str, Any]:
    """Lists as the JSON that `listed` reads."""
    for name, value in params.items():
        if type(value) is list:
            params[name] = json.dumps(value)
    return params


def _containing(table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
    index = f"{table}_{column}"
    trigrams = dict.fromkeys(word[i : i + 3] for word in literals for i in range(len(word) - 2))
    wanted = " AND ".join(f'"{trigram}"' for trigram in islice(trigrams, MOST_TRIGRAMS))
    return f"SELECT rowid AS id FROM {index} WHERE {index} MATCH :containing", {"containing": wanted}


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
