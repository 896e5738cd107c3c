"""PostgreSQL through psycopg, with a stack of idle connections.

psycopg_pool connects in background threads, so while the server is down each request would hold its thread for the timeout of the pool.
Here the thread of the request connects, and a refused connection is a 503 at once."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from kalends.db.database import Database, Transaction
from kalends.db.postgres.connection import Connection
from kalends.db.postgres.dialect import PostgresDialect
from kalends.db.postgres.errors import TranslatedErrors
from kalends.db.postgres.transaction import PostgresTransaction
from kalends.settings import WrongSetting, variable

CONNECT_SECONDS = 5
CANCEL_SECONDS = 1
STATEMENT_MS = 30_000
LOCK_MS = 10_000
# How much longer than its statement timeout the reply to a statement is waited for.
GRACE_SECONDS = 5
# After a connection timed out, requests fail at once for this long.
FAIL_FAST_SECONDS = 1


class Postgres(PostgresDialect, Database):
    def __init__(self, url: str, *, read_ms: int | None = None, statement_ms: int = STATEMENT_MS, lock_ms: int = LOCK_MS):
        try:
            conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            # Without the reason, which may quote the password.
            raise WrongSetting(f"{variable('database')} cannot be read as the address of a PostgreSQL database.") from None
        self._url = url
        read_ms = read_ms or statement_ms
        self._options = (
            f"-c statement_timeout={read_ms} -c lock_timeout={lock_ms} -c idle_in_transaction_session_timeout=60000 -c timezone=UTC "
            # Every statement of a request has an index: a wrong estimate must not read a whole table, and one plan fits all values.
            "-c enable_seqscan=off -c plan_cache_mode=force_generic_plan -c jit=off -c max_parallel_workers_per_gather=0"
        )
        # Sent as one message, so the setting costs no round trip.
        self._begin_write = f"BEGIN; SET LOCAL statement_timeout = {statement_ms}"
        self._reply_timeout = max(read_ms, statement_ms) / 1000 + GRACE_SECONDS
        # The connections of reads, by thread.
        self._reading: dict[int, Connection] = {}
        self._idle: list[Connection] = []
        self._fail_fast_until = 0.0

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            thread = threading.get_ident()
            self._reading[thread] = transaction.connection
            try:
                yield transaction
            finally:
                self._reading.pop(thread, None)

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Transaction]:
        with self._transaction(self._begin_write) as transaction:
            yield transaction

    def yield_to_other_writers(self) -> None:
        """They need not wait, except for locked rows."""

    def interrupt_expired(self) -> None:
        """The server does so itself (statement_timeout)."""

    def interrupt(self, thread: int) -> None:
        connection = self._reading.get(thread)
        if connection:
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=CANCEL_SECONDS)

    def is_in_use(self) -> bool:
        self.close()
        with self.read() as tx:
            others = "application_name = 'kalends' AND datname = current_database() AND pid <> pg_backend_pid()"
            return bool(tx.rows(f"SELECT 1 FROM pg_stat_activity WHERE {others}"))

    def close(self) -> None:
        while connection := self._pop_idle():
            connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresTransaction]:
        with TranslatedErrors():
            connection = self._begin(begin)
        try:
            yield PostgresTransaction(connection)
            with TranslatedErrors():
                _commit(connection)
        except BaseException:
            _roll_back(connection)
            raise
        finally:
            if not connection.closed:
                self._idle.append(connection)

    def _begin(self, begin: str) -> Connection:
        """A connection in a new transaction."""
        if time.monotonic() < self._fail_fast_until:
            raise pg.ConnectionTimeout("The server did not reply a moment ago.")
        try:
            return self._begin_on_any(begin)
        except (pg.ConnectionTimeout, pg._WaitTimeout):
            self._fail_fast_until = time.monotonic() + FAIL_FAST_SECONDS
            raise

    def _begin_on_any(self, begin: str) -> Connection:
        """Idle connections break when the server restarts. BEGIN shows it before anything else has run, and the next one is tried."""
        while connection := self._pop_idle():
            try:
                return self._begin_on(connection, begin)
            except pg._WaitTimeout:
                raise
            except psycopg.OperationalError:
                connection.close()
        return self._begin_on(self._connect(), begin)

    def _begin_on(self, connection: Connection, begin: str) -> Connection:
        connection.reply_timeout = CONNECT_SECONDS
        # A prepared statement could not hold two commands.
        connection.execute(begin.encode(), prepare=False)
        connection.reply_timeout = self._reply_timeout
        return connection

    def _pop_idle(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _connect(self) -> Connection:
        return Connection.connect(
            self._url,
            autocommit=True,
            prepare_threshold=2,
            options=self._options,
            application_name="kalends",
            connect_timeout=CONNECT_SECONDS,
            keepalives_idle=30,
            keepalives_interval=5,
            keepalives_count=3,
            tcp_user_timeout=20_000,
        )


def _commit(connection: Connection) -> None:
    # After a failed statement whose error was caught, PostgreSQL replies to COMMIT with a rollback and no error.
    if connection.execute("COMMIT").statusmessage != "COMMIT":
        raise RuntimeError("A statement of this transaction failed, so PostgreSQL rolled it back.")


def _roll_back(connection: Connection) -> None:
    try:
        connection.execute("ROLLBACK")
    except psycopg.Error:
        connection.close()
