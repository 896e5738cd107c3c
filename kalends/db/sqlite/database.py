"""SQLite through apsw, which bundles a SQLite without the WAL-reset bug of older ones."""

import threading
from collections.abc import Sequence
from math import inf
from pathlib import Path
from time import monotonic, sleep
from weakref import WeakValueDictionary

import apsw

from kalends.core.errors import Unavailable
from kalends.db.database import UNAVAILABLE_DETAIL, Database, PoolUsage, Transaction
from kalends.db.sqlite.connection import Connection, connect
from kalends.db.sqlite.dialect import SqliteDialect
from kalends.db.sqlite.errors import UNAVAILABLE, raise_translated
from kalends.db.sqlite.group_commit import GroupCommit
from kalends.db.sqlite.transaction import SqliteTransaction, WriteTransaction

BUSY_MS = 10_000
# The longest interval at which another process that waits for the lock polls it.
BUSY_INTERVAL_SECONDS = 0.1
# The segments of a text index are merged in steps of this many pages, each a transaction of some milliseconds.
MERGE_PAGES = 100
MERGE_STEPS = 50
# How many segments of one level are merged into one; by default four are. A search reads every segment.
MERGED_SEGMENTS = 2
TEXT_INDEXES = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
# The key of the write connection among the connections by thread: no thread has this identifier.
WRITER = 0


class Sqlite(SqliteDialect, Database):
    """One file in WAL mode: readers never wait, and writers share commits."""

    def __init__(self, path: Path, *, busy_ms: int = BUSY_MS, read_seconds: float = inf):
        self.path = path
        self._read_timeout = read_seconds
        self._busy_ms = busy_ms
        self._local = threading.local()
        # By thread. The references are weak, so that the connection of a thread is closed when the thread ends.
        self._connections: WeakValueDictionary[int, Connection] = WeakValueDictionary()
        self._writer: Connection | None = None
        self._group_commit = GroupCommit(self._write_connection, busy_ms / 1000)

    def read(self) -> SqliteTransaction:
        connection = self._read_connection()
        connection.start_limits(self._read_timeout)
        return SqliteTransaction(connection, has_begun=False)

    def write(self, *, alone: bool = False) -> WriteTransaction:
        return WriteTransaction(self._group_commit, alone)

    def yield_to_other_writers(self) -> None:
        sleep(BUSY_INTERVAL_SECONDS)

    def build_indexes(self, tx: Transaction, statements: Sequence[str]) -> None:
        for statement in statements:
            tx.script(statement)

    def merge_text_indexes(self) -> None:
        with self.read() as tx:
            names = [name for (name,) in tx.rows(TEXT_INDEXES)]
        for name in names:
            self._set_merged_segments(name)
            for _ in range(MERGE_STEPS):
                with self.write() as tx:
                    before = tx.value("SELECT total_changes()")
                    tx.run(f"INSERT INTO {name} ({name}, rank) VALUES ('merge', {MERGE_PAGES})")
                    # A step that finds nothing to merge counts as one change.
                    if tx.value("SELECT total_changes()") - before < 2:
                        break
                self.yield_to_other_writers()

    def _set_merged_segments(self, name: str) -> None:
        """The setting is stored in the index."""
        with self.write() as tx:
            if not tx.rows(f"SELECT 1 FROM {name}_config WHERE k = 'usermerge' AND v = {MERGED_SEGMENTS}"):
                tx.run(f"INSERT INTO {name} ({name}, rank) VALUES ('usermerge', {MERGED_SEGMENTS})")

    def interrupt_expired(self) -> None:
        now = monotonic()
        for connection in self._open_connections():
            if connection.expires < now:
                connection.interrupt()

    def interrupt(self, thread: int) -> None:
        connection = self._connections.get(thread)
        if connection:
            connection.is_abandoned = True
            connection.interrupt()

    def pool_usage(self) -> dict[str, PoolUsage]:
        """Each thread that reads has a connection, and all writers share one."""
        connections = self._open_connections()
        in_use = sum(connection.in_transaction for connection in connections)
        return {"primary": PoolUsage(in_use, len(connections) - in_use, self._group_commit.waiting)}

    def is_in_use(self) -> bool:
        """In WAL mode, another process that has the file open prevents an exclusive lock."""
        self.close()
        try:
            probe = apsw.Connection(str(self.path))
            try:
                probe.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
                probe.execute("BEGIN IMMEDIATE; ROLLBACK").fetchall()
            finally:
                probe.close()
        except apsw.BusyError:
            return True
        except UNAVAILABLE as error:
            raise Unavailable(UNAVAILABLE_DETAIL) from error
        return False

    def close(self) -> None:
        for connection in self._open_connections():
            connection.close()
        self._local = threading.local()
        self._writer = None

    def _open_connections(self) -> list[Connection]:
        """A copy, since other threads may open connections meanwhile."""
        return [connection for reference in self._connections.valuerefs() if (connection := reference())]

    def _read_connection(self) -> Connection:
        """The connection on which this thread reads."""
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(threading.get_ident())
        return connection

    def _write_connection(self) -> Connection:
        if self._writer is None:
            self._writer = self._connect(WRITER)
        return self._writer

    def _connect(self, key: int) -> Connection:
        try:
            connection = connect(self.path, self._busy_ms)
        except apsw.Error as error:
            raise_translated(error)
        self._connections[key] = connection
        return connection
