"""SQLite through apsw, which brings a SQLite without the WAL-reset bug of older ones."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import apsw
import msgspec

from kalends.db.contents import Contents
from kalends.db.database import INTERRUPTED, TIMED_OUT, Database, Retry, TooSlowForEventLoop, Transaction, UniqueViolation
from kalends.db.sqlite.group_commit import Turns
from kalends.db.text_search import LONGEST_PATTERN
from kalends.errors import Unavailable

BUSY_MS = 10_000
# Another process that waits for a lock looks for it at least this often.
BUSY_INTERVAL_SECONDS = 0.1
# Among the connections by thread: no thread has this number.
WRITER = 0
MOST_TRIGRAMS = 24
# What a thread in a hurry may make of one transaction: about a millisecond's worth of SQLite's own instructions.
STEPS = 1_000
BRIEF = 10

# The log grows for as long as a backup reads; afterwards, no more of it is kept than the limit.
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA temp_store = MEMORY;
PRAGMA journal_size_limit = 67108864;
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

# Each connection serves one thread at a time, so its calls need no lock of their own.
OPENED = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX
# Nor does the memory of all, if nobody counts it. That is to be said before SQLite begins, and apsw has begun it.
apsw.shutdown()
apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, 0)
apsw.initialize()


class _Connection(apsw.Connection):
    """A connection; that of a thread in a hurry gives up what takes long."""

    hurries = False
    # How many seconds each statement of the transaction may take, and when the current one has taken them.
    seconds = inf
    expires = inf
    is_abandoned = False
    _steps = 0

    def begin(self, seconds: float) -> None:
        self._steps = 0
        self.seconds = seconds
        self.is_abandoned = False
        self.execute("BEGIN")

    def roll_back(self) -> None:
        # What takes its time is over. A failing disk may have ended the transaction already.
        self._steps = 0
        self.expires = inf
        if self.in_transaction:
            self.execute("ROLLBACK")

    def is_over(self) -> bool:
        """Asked every so many steps, counted over all executions of a statement: whether this transaction has taken too long."""
        self._steps += 1
        return self._steps > BRIEF


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

    def __init__(self, path: Path, *, busy_ms: int = BUSY_MS, read_seconds: float = inf):
        self.path = path
        self._read_seconds = read_seconds
        self._busy_ms = busy_ms
        self._local = threading.local()
        # By thread, and the writer's. Weak, so that a thread that ends takes its connection with it.
        self._opened: WeakValueDictionary[int, _Connection] = WeakValueDictionary()
        self._writer: _Connection | None = None
        self._turns = Turns(self._writing_connection, busy_ms / 1000)

    def read(self) -> "_Reading":
        return _Reading(self._connection(), self._read_seconds)

    def write(self, *, alone: bool = False) -> "_Writing":
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection and connection.hurries:
            raise TooSlowForEventLoop
        return _Writing(self._turns, alone)

    def yield_to_other_writers(self) -> None:
        sleep(BUSY_INTERVAL_SECONDS)

    def limit_to_fast_reads(self) -> bool:
        connection = self._connection()
        connection.hurries = True
        connection.set_busy_timeout(0)
        connection.set_progress_handler(connection.is_over, STEPS)
        return True

    def in_list(self, name: str) -> str:
        return f"(SELECT value FROM json_each(:{name}))"

    def for_each(self, name: str, table: str, ids: str) -> str:
        return f"(SELECT value AS id FROM json_each(:{name})) AS each CROSS JOIN {table} WHERE {table.split()[-1]}.id IN ({ids})"

    def records(self, name: str, columns: Mapping[str, str]) -> str:
        selected = ", ".join(f"value ->> '{column}' AS {column}" for column in columns)
        return f"(SELECT {selected} FROM json_each(:{name})) AS {name}"

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

    def replace_trigger(self, change: str, table: str, statement: str) -> str:
        return f"DROP TRIGGER {table}_after_{change.lower()}; {self.trigger(change, table, statement)}"

    def defer(self, change: str, table: str) -> str:
        return ""

    def ids_containing(self, table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
        return _ids_containing(table, column, literals)

    def interrupt_expired(self) -> None:
        now = monotonic()
        for connection in self._all_opened():
            if connection.expires < now:
                connection.interrupt()

    def interrupt(self, thread: int) -> None:
        connection = self._opened.get(thread)
        if connection:
            connection.is_abandoned = True
            connection.interrupt()

    def is_in_use(self) -> bool:
        from kalends.db.sqlite.contents import is_in_use

        self.close()
        return is_in_use(self.path)

    def close(self) -> None:
        for connection in self._all_opened():
            connection.close()
        self._local = threading.local()
        self._writer = None

    def _all_opened(self) -> list[_Connection]:
        """Other threads may open connections meanwhile."""
        return [connection for found in self._opened.valuerefs() if (connection := found())]

    def _connection(self) -> _Connection:
        """The connection on which this thread reads."""
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connected(threading.get_ident())
        return connection

    def _writing_connection(self) -> _Connection:
        if self._writer is None:
            self._writer = self._connected(WRITER)
        return self._writer

    def _connected(self, key: int) -> _Connection:
        try:
            connection = _Connection(str(self.path), OPENED, statementcachesize=500)
            connection.set_busy_timeout(self._busy_ms)
            # A plan that may depend on the values is made anew for each execution, which takes longer than to run it.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            connection.limit(apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN)
            _run_all(connection, PRAGMAS)
        except apsw.Error as error:
            _refuse(error)
        self._opened[key] = connection
        return connection


class _Reading:
    """A read snapshot, as a context."""

    __slots__ = ("_connection", "_seconds")

    def __init__(self, connection: _Connection, seconds: float):
        self._connection = connection
        self._seconds = seconds

    def __enter__(self) -> Transaction:
        try:
            self._connection.begin(self._seconds)
        except apsw.Error as error:
            _refuse(error, self._connection)
        return SqliteTransaction(self._connection)

    def __exit__(self, *_: object) -> None:
        self._connection.roll_back()


class _Writing:
    """A turn to write, as a context."""

    __slots__ = ("_alone", "_connection", "_transaction", "_turns")

    def __init__(self, turns: Turns[_Connection], alone: bool):
        self._turns = turns
        self._alone = alone

    def __enter__(self) -> Transaction:
        try:
            self._connection = self._turns.begin(alone=self._alone)
        except apsw.Error as error:
            _refuse(error)
        self._transaction = SqliteTransaction(self._connection)
        return self._transaction

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # Nothing of it may touch the connection once it is somebody else's turn.
        self._transaction.close()
        self._turns.end(self._connection, error, alone=self._alone)


class SqliteTransaction(Transaction):
    def __init__(self, connection: _Connection):
        self._connection = connection
        # One for all: each statement's rows are fetched before the next.
        self._cursor = connection.cursor()

    def close(self) -> None:
        self._cursor.close(True)

    def rows(self, sql: str, /, **params: Any) -> list[tuple[Any, ...]]:
        connection = self._connection
        connection.expires = monotonic() + connection.seconds
        try:
            return self._cursor.execute(sql, _bound(params)).fetchall()
        except apsw.Error as error:
            _refuse(error, self._connection)

    def run(self, sql: str, /, **params: Any) -> int:
        self.rows(sql, **params)
        return self._connection.changes()

    def many(self, sql: str, rows: Sequence[dict[str, Any]]) -> None:
        try:
            self._connection.executemany(sql, rows).fetchall()
        except apsw.Error as error:
            _refuse(error, self._connection)

    def ids_if_selective(self, table: str, column: str, literals: Sequence[str], most: int) -> tuple[str, dict[str, Any]] | None:
        """Found once, and remembered."""
        sql, params = _ids_containing(table, column, literals)
        found = self.rows(f"{sql} LIMIT {most + 1}", **params)
        return ("SELECT value AS id FROM json_each(:few)", {"few": [row[0] for row in found]}) if len(found) <= most else None

    def script(self, sql: str) -> None:
        try:
            _run_all(self._connection, sql)
        except apsw.Error as error:
            _refuse(error, self._connection)

    def advisory_lock(self, name: str) -> None:
        """A write transaction excludes every other already."""

    def without_statement_timeout(self) -> None:
        self._connection.seconds = inf

    def has_table(self, name: str) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = :name", name=name))

    def contents(self) -> Contents:
        # Imported late: only backups need it.
        from kalends.db.sqlite.contents import SqliteContents

        return SqliteContents(self)


def _bound(params: dict[str, Any]) -> dict[str, Any]:
    """Lists as the JSON that `listed` reads."""
    for name, value in params.items():
        if type(value) is list:
            params[name] = msgspec.json.encode(value).decode()
    return params


def _ids_containing(table: str, column: str, literals: Sequence[str]) -> tuple[str, dict[str, str]]:
    index = f"{table}_{column}"
    wanted = " AND ".join(f'"{trigram}"' for trigram in islice(dict.fromkeys(_trigrams(literals)), MOST_TRIGRAMS))
    return f"SELECT rowid AS id FROM {index} WHERE {index} MATCH :containing", {"containing": wanted}


def _trigrams(literals: Sequence[str]) -> Iterator[str]:
    """As few as have every character: each costs, and the caller looks closer."""
    for word in literals:
        for i in [*range(0, len(word) - 3, 3), len(word) - 3]:
            yield word[i : i + 3]


def _run_all(connection: _Connection, sql: str) -> None:
    # apsw stops at the first row of an answer, and the statements after it run only once that was fetched.
    connection.execute(sql).fetchall()


def _index(connection: _Connection, message: str) -> str:
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


def _refuse(error: apsw.Error, connection: _Connection | None = None) -> NoReturn:
    """Raise apsw's error as the rest of the house knows it."""
    if isinstance(error, AWAY) and connection and connection.hurries:
        raise TooSlowForEventLoop from error
    if isinstance(error, apsw.InterruptError) and connection:
        _refuse_interrupted(error, connection)
    if isinstance(error, AWAY):
        raise Unavailable("The database is away, busy or full. Try again.") from error
    broken: int = getattr(error, "extendedresult", 0)
    if broken in UNIQUE and connection:
        raise UniqueViolation(_index(connection, str(error))) from error
    # The record was there when the action looked, and is gone: the next run finds that out.
    if broken == apsw.SQLITE_CONSTRAINT_FOREIGNKEY:
        raise Retry from error
    raise error


def _refuse_interrupted(error: apsw.Error, connection: _Connection) -> NoReturn:
    if monotonic() >= connection.expires:
        raise Unavailable(TIMED_OUT) from error
    if connection.is_abandoned:
        raise Unavailable(INTERRUPTED) from error
    # It was meant for the statement before, which was over by then.
    raise Retry from error
