"""Replicas to read from: how far they have replayed what the primary has written, and the connections to them.

A thread for each replica asks it again and again how far it has replayed, and then the primary how far it has written. A replica that does
not reply is left out, and statements that wait for it fail. Requests never connect to a replica: if none of its connections is idle, they
read from the primary, and one more is opened.

A position is a place in the write-ahead log (LSN): a replica that has replayed it shows everything that was committed before it."""

import threading
from collections.abc import Callable, Sized
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Any

import psycopg
from msgspec import Struct
from prometheus_client import Counter, Gauge

from kalends.db.database import PoolUsage
from kalends.db.postgres.commands import Command
from kalends.db.postgres.connection import Connection

# How often a replica is asked, and how long its reply is waited for: together less than a second.
ASK_INTERVAL = 0.25
ASK_SECONDS = 0.5

NEVER = float("-inf")

# With synchronous_commit = off, a commit is acknowledged before it is flushed.
_WRITTEN = Command(
    b"""SELECT CAST(CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
        ELSE pg_current_wal_flush_lsn() END - '0/0' AS BIGINT)"""
)
_REPLAYED = Command(b"SELECT CAST(coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0' AS BIGINT), pg_is_in_recovery()")

reads = Counter("kalends_database_reads", "Reads that may use a replica, by server, and why the primary served them", ["server", "reason"])
_lag = Gauge("kalends_replica_lag_seconds", "Age of what a replica shows, at most", ["server"], multiprocess_mode="mostrecent")


class Unusable(psycopg.OperationalError):
    """A replica that cannot be read from, or a connection to it that cannot be replaced."""


class _Mark(Struct, frozen=True):
    """What the primary had written at a time."""

    position: int
    at: float


class Replica:
    """A replica, which is used while all that was committed more than `max_lag` seconds ago is known to be there."""

    def __init__(self, name: str, connect: Callable[[], Connection], connect_to_primary: Callable[[], Connection], max_lag: float):
        self.name = name
        self._connect = connect
        self._connect_to_primary = connect_to_primary
        self._max_lag = max_lag
        self._idle: list[Connection] = []
        # Those in use and the idle ones.
        self._connections: set[Connection] = set()
        # The thread's own, to ask the replica and the primary.
        self._asking: tuple[Connection, Connection] | None = None
        self._mark: _Mark | None = None
        # Everything that was committed before this time is there.
        self._fresh_at = NEVER
        self._needs_connection = False
        self._is_closed = False
        self._wake = threading.Event()
        threading.Thread(target=self._watch, name=f"replica {name}", daemon=True).start()

    @property
    def is_usable(self) -> bool:
        return monotonic() <= self._fresh_at + self._max_lag

    def pool_usage(self) -> PoolUsage:
        return usage_of(self._connections, self._idle)

    def acquire(self) -> Connection | None:
        """An idle connection; None if there is none now."""
        connection = self._pop_idle()
        if connection is None:
            self._needs_connection = True
            self._wake.set()
        return connection

    def replace(self, broken: Connection) -> Connection:
        """Another connection may show less, so the request runs again."""
        raise Unusable("The connection to the replica is broken.")

    def release(self, connection: Connection) -> None:
        if connection.has_timed_out:
            self._leave_out()
        if connection.closed or connection not in self._connections:
            connection.close()
            self._connections.discard(connection)
        else:
            self._idle.append(connection)

    def close(self) -> None:
        self._is_closed = True
        self._wake.set()

    def _watch(self) -> None:
        while not self._is_closed:
            self._wake.clear()
            try:
                self._check()
            except psycopg.Error:
                self._leave_out()
                self._close_asking()
            _lag.labels(self.name).set(monotonic() - self._fresh_at)
            self._wake.wait(ASK_INTERVAL)
        self._leave_out()
        self._close_asking()

    def _check(self) -> None:
        replica, primary = self._asking or self._open_asking()
        replayed, is_replica = _ask(replica, _REPLAYED)
        now = monotonic()
        written = _ask(primary, _WRITTEN)[0]
        if not is_replica or replayed > written:
            raise Unusable("It follows another primary, or is the primary itself.")
        if self._mark and replayed >= self._mark.position:
            self._fresh_at = self._mark.at
        if replayed >= written:
            self._fresh_at = now
        if self._mark is None or replayed >= self._mark.position:
            self._mark = _Mark(written, now)
        if self._needs_connection and self.is_usable:
            self._needs_connection = False
            # In another thread: a replica that hangs while it is connected to must be noticed meanwhile.
            threading.Thread(target=self._add_connection, name=f"connect to replica {self.name}", daemon=True).start()

    def _add_connection(self) -> None:
        with suppress(psycopg.Error):
            connection = self._connect()
            connection.begin_timeout = ASK_SECONDS
            self._connections.add(connection)
            self._idle.append(connection)
        if self._is_closed:
            self._leave_out()

    def _open_asking(self) -> tuple[Connection, Connection]:
        replica = self._connect()
        try:
            primary = self._connect_to_primary()
        except psycopg.Error:
            replica.close()
            raise
        replica.reply_timeout = primary.reply_timeout = ASK_SECONDS
        self._asking = replica, primary
        return self._asking

    def _close_asking(self) -> None:
        for connection in self._asking or ():
            connection.close()
        self._asking = None

    def _leave_out(self) -> None:
        """Use it no more until it replies again. Statements that wait for it fail at once, and their requests run again."""
        self._fresh_at, self._mark = NEVER, None
        while connection := self._pop_idle():
            connection.close()
            self._connections.discard(connection)
        for in_use in self._connections.copy():
            in_use.abandon()
            self._connections.discard(in_use)

    def _pop_idle(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


class Replicas:
    """The replicas of a primary. Their threads begin with the first read."""

    def __init__(self, start: Callable[[], list[Replica]]):
        self._start = start
        self._replicas: list[Replica] = []
        self._lock = threading.Lock()
        self._turns = count()

    def acquire(self) -> tuple[Replica, Connection] | None:
        """A connection to a replica; None if the primary must be read."""
        for replica in self._in_turn():
            connection = replica.acquire() if replica.is_usable else None
            if connection:
                reads.labels(replica.name, "").inc()
                return replica, connection
        reads.labels("primary", "unavailable").inc()
        return None

    def pool_usage(self) -> dict[str, PoolUsage]:
        return {replica.name: replica.pool_usage() for replica in self._replicas}

    def _in_turn(self) -> list[Replica]:
        """All of them, beginning with another one each time."""
        if not self._replicas:
            with self._lock:
                self._replicas = self._replicas or self._start()
        turn = next(self._turns) % len(self._replicas)
        return self._replicas[turn:] + self._replicas[:turn]

    def close(self) -> None:
        with self._lock:
            replicas, self._replicas = self._replicas, []
        for replica in replicas:
            replica.close()


def usage_of(connections: Sized, idle: Sized) -> PoolUsage:
    """How many of the connections are in use and idle. Other threads may take or close one meanwhile."""
    idle_count = len(idle)
    return PoolUsage(max(0, len(connections) - idle_count), idle_count)


def _ask(connection: Connection, question: Command) -> tuple[Any, ...]:
    [result] = connection.execute_together([question])
    [row] = connection.load(question, result)
    return row
