"""PostgreSQL through psycopg, with a stack of idle connections.

psycopg_pool connects in background threads, so while the server is down each request would hold its thread for the timeout of the pool.
Here the thread of the request connects, and a refused connection is a 503 at once."""

import re
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import psycopg

from kalends.db.database import Database, PoolUsage, Transaction
from kalends.db.postgres.commands import Command
from kalends.db.postgres.connection import Connection, TranslatedErrors
from kalends.db.postgres.dialect import PostgresDialect
from kalends.db.postgres.hosts import Hosts, params_of_hosts
from kalends.db.postgres.replicas import Replica, Replicas, usage_of
from kalends.db.postgres.scope import ReplicaScope, TransactionScope
from kalends.db.postgres.transaction import PostgresTransaction

CONNECT_SECONDS = 5
CANCEL_SECONDS = 1
STATEMENT_MS = 30_000
LOCK_MS = 10_000
# How much longer than its statement timeout the reply to a statement is waited for.
GRACE_SECONDS = 5
# After this time without a reply, another primary is looked for, and how often.
OVERDUE_SECONDS = 2
SEARCH_SECONDS = 0.5

# The largest age of what is read from a replica, in seconds.
MAX_LAG = 5

# How long another connection may be listed until the database counts as used, and how often that is checked.
CLOSING_SECONDS = 1.0
CLOSING_INTERVAL_SECONDS = 0.02
BEGIN_READ = [Command(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]

# The settings of every connection, beside its timeouts.
SESSION_SETTINGS = {
    "idle_in_transaction_session_timeout": "60000",
    "timezone": "UTC",
    # Every statement of a request has an index: a wrong estimate must not read a whole table, and one plan fits all values.
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
    # What is read often is in memory, and the rest on an SSD. As for a disk, fifty look-ups would cost more than a whole table.
    "random_page_cost": "1.1",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}
_CREATE = re.compile(r"(CREATE(?: UNIQUE)? INDEX) (\w+) (.*)", re.DOTALL)
_DROP = re.compile(r"DROP INDEX (\w+)")
_IS_INVALID = "SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%s) AND NOT indisvalid"


class Postgres(PostgresDialect, Database):
    """is_pooled: PgBouncer pools the transactions, and refuses settings that are sent when it is connected to."""

    def __init__(
        self,
        url: str,
        *,
        read_ms: int | None = None,
        statement_ms: int = STATEMENT_MS,
        lock_ms: int = LOCK_MS,
        is_pooled: bool = False,
        replicas: str = "",
        max_lag: float = MAX_LAG,
    ):
        self._hosts = Hosts(url)
        replica_params = params_of_hosts(replicas, "replicas") if replicas else []
        self._replicas = Replicas(lambda: [self._watch_replica(params, max_lag) for params in replica_params]) if replicas else None
        read_ms = read_ms or statement_ms
        self._is_pooled = is_pooled
        self._settings = {
            "statement_timeout": str(read_ms),
            "lock_timeout": str(lock_ms),
            **SESSION_SETTINGS,
        }
        self._begin_write = [Command(b"BEGIN"), Command(b"SET LOCAL statement_timeout = %d" % statement_ms)]
        self._read_timeout = read_ms / 1000 + GRACE_SECONDS
        self._write_timeout = statement_ms / 1000 + GRACE_SECONDS
        # By thread.
        self.reading: dict[int, PostgresTransaction] = {}
        self._idle: list[Connection] = []
        # Those in use and the idle ones.
        self._connections: set[Connection] = set()
        self._next_search = 0.0

    def read(self) -> TransactionScope:
        return TransactionScope(self, BEGIN_READ, self._read_timeout, is_read=True)

    def read_replica(self) -> TransactionScope:
        if self._replicas is None:
            return self.read()
        return ReplicaScope(self, self._replicas, BEGIN_READ, self._read_timeout)

    def write(self, *, alone: bool = False) -> TransactionScope:
        return TransactionScope(self, self._begin_write, self._write_timeout, is_read=False)

    def yield_to_other_writers(self) -> None:
        """They need not wait, except for locked rows."""

    def merge_text_indexes(self) -> None:
        """Move the pending entries of GIN indexes to their place. Autovacuum does so too, but after many more writes."""
        with self.write() as tx:
            tx.rows(
                """SELECT gin_clean_pending_list(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
                   WHERE c.relnamespace = CAST(current_schema() AS regnamespace)"""
            )

    def find_missing_settings(self) -> list[str]:
        if not self._is_pooled:
            return []
        with self.read() as tx:
            role = tx.value("SELECT quote_ident(current_user)")
            actual = dict(tx.rows("SELECT lower(name), setting FROM pg_settings"))
        return [f"ALTER ROLE {role} SET {name} = '{value}';" for name, value in self._settings.items() if actual[name] != value]

    def build_indexes(self, tx: Transaction, statements: Sequence[str]) -> None:
        if self._is_pooled:
            # A setting of this session would stay with a connection that others get.
            for statement in statements:
                tx.script(statement)
            return
        # The transaction holds the lock of the migrations meanwhile, and nothing else.
        tx.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        with TranslatedErrors(), self._hosts.connect(self._connect) as connection:
            build_indexes(connection, statements)

    def interrupt_expired(self) -> None:
        """The server does so itself (statement_timeout). If it does not reply at all, another one may be the primary meanwhile."""
        now = time.monotonic()
        if not self._hosts.has_one_primary or now < self._next_search:
            return
        if any(now > connection.replied_at + OVERDUE_SECONDS for connection in self._connections.difference(self._idle)):
            # Set again when the search ends.
            self._next_search = float("inf")
            threading.Thread(target=self._search_primary, name="primary-search", daemon=True).start()

    def interrupt(self, thread: int) -> None:
        transaction = self.reading.get(thread)
        if transaction:
            with suppress(psycopg.Error):
                transaction.connection.cancel_safe(timeout=CANCEL_SECONDS)

    def pool_usage(self) -> dict[str, PoolUsage]:
        usage = {"primary": usage_of(self._connections, self._idle)}
        return usage | self._replicas.pool_usage() if self._replicas else usage

    def is_in_use(self) -> bool:
        """The server may list a connection that was just closed for a moment longer."""
        self.close()
        deadline = time.monotonic() + CLOSING_SECONDS
        while is_used := self._has_other_connections():
            if time.monotonic() > deadline:
                break
            time.sleep(CLOSING_INTERVAL_SECONDS)
        return is_used

    def _has_other_connections(self) -> bool:
        with self.read() as tx:
            others = "application_name = 'kalends' AND datname = current_database() AND pid <> pg_backend_pid()"
            return bool(tx.rows(f"SELECT 1 FROM pg_stat_activity WHERE {others}"))

    def close(self) -> None:
        self.close_idle()
        if self._replicas:
            self._replicas.close()

    def close_idle(self) -> None:
        while connection := self._pop_idle():
            self.discard(connection)

    def discard(self, connection: Connection) -> None:
        connection.close()
        self._connections.discard(connection)

    def acquire(self) -> Connection:
        """An idle connection, or a new one."""
        connection = self._pop_idle() or self._add(self._hosts.connect(self._connect))
        connection.begin_timeout = CONNECT_SECONDS
        return connection

    def replace(self, broken: Connection) -> Connection:
        """Another connection. Idle ones break when the server restarts, and the first statement shows it."""
        self.discard(broken)
        connection = self.acquire()
        connection.reply_timeout = broken.reply_timeout
        return connection

    def release(self, connection: Connection) -> None:
        if connection.has_timed_out:
            self._hosts.mark_silent(connection.host)
            self.close_idle()
        if connection.closed:
            self._connections.discard(connection)
        else:
            self._idle.append(connection)

    def _add(self, connection: Connection) -> Connection:
        """If another host than before is the primary, no statement on a connection to the old one can succeed any more."""
        self._connections.add(connection)
        if self._hosts.has_one_primary:
            for other in self._connections.copy():
                if other.host != connection.host:
                    other.abandon()
        return connection

    def _search_primary(self) -> None:
        try:
            with suppress(psycopg.OperationalError):
                self.release(self._add(self._hosts.connect(self._connect, elsewhere=True)))
        finally:
            self._next_search = time.monotonic() + SEARCH_SECONDS

    def _pop_idle(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _watch_replica(self, params: dict[str, Any], max_lag: float) -> Replica:
        name = f"{params.get('host') or params.get('hostaddr') or 'localhost'}:{params.get('port') or 5432}"
        return Replica(name, lambda: self._connect(params), lambda: self._hosts.connect(self._connect), max_lag)

    def _connect(self, params: dict[str, Any]) -> Connection:
        options = " ".join(f"-c {name}={value}" for name, value in self._settings.items())
        settings = {
            **({} if self._is_pooled else {"options": options}),
            "application_name": "kalends",
            "connect_timeout": CONNECT_SECONDS,
            "keepalives_idle": 30,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 20_000,
        }
        # The connection prepares statements itself. Psycopg would deallocate them with its own after a DROP or ALTER.
        return Connection.connect(autocommit=True, prepare_threshold=None, **params | settings)


def build_indexes(connection: Connection, statements: Sequence[str]) -> None:
    """Run the statements, each of which creates or drops an index. What an earlier attempt has done is not repeated."""
    for setting in ("statement_timeout", "lock_timeout"):
        connection.execute(f"SET {setting} = 0".encode())
    for statement in statements:
        if create := _CREATE.fullmatch(statement):
            _create(connection, *create.groups())
        elif drop := _DROP.fullmatch(statement):
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {drop[1]}".encode())
        else:
            raise ValueError(f"This does not build an index: {statement}")


def _create(connection: Connection, command: str, name: str, definition: str) -> None:
    # An attempt that was interrupted leaves an index that writers maintain and nobody reads.
    if connection.execute(_IS_INVALID, [name]).fetchone():
        connection.execute(f"DROP INDEX CONCURRENTLY {name}".encode())
    connection.execute(f"{command} CONCURRENTLY IF NOT EXISTS {name} {definition}".encode())
