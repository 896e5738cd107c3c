"""PostgreSQL through psycopg, with a stack of idle connections.

psycopg_pool connects in background threads, so while the server is down each request would hold its thread for the timeout of the pool.
Here the thread of the request connects, and a refused connection is a 503 at once."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from kalends.db.database import Database, Transaction
from kalends.db.postgres.commands import Command
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

BEGIN_READ = [Command(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]


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
        self._begin_write = [Command(b"BEGIN"), Command(b"SET LOCAL statement_timeout = %d" % statement_ms)]
        self._read_timeout = read_ms / 1000 + GRACE_SECONDS
        self._write_timeout = statement_ms / 1000 + GRACE_SECONDS
        # By thread.
        self._reading: dict[int, PostgresTransaction] = {}
        self._idle: list[Connection] = []
        self._fail_fast_until = 0.0

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._transaction(BEGIN_READ, self._read_timeout, is_read=True) as transaction:
            thread = threading.get_ident()
            self._reading[thread] = transaction
            try:
                yield transaction
            finally:
                self._reading.pop(thread, None)

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Transaction]:
        with self._transaction(self._begin_write, self._write_timeout) as transaction:
            yield transaction

    def yield_to_other_writers(self) -> None:
        """They need not wait, except for locked rows."""

    def merge_text_indexes(self) -> None:
        """Move the pending entries of GIN indexes to their place. Autovacuum does so too, but after many more writes."""
        with self.write() as tx:
            tx.rows(
                """SELECT gin_clean_pending_list(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
                   WHERE c.relnamespace = CAST(current_schema() AS regnamespace)"""
            )

    def interrupt_expired(self) -> None:
        """The server does so itself (statement_timeout)."""

    def interrupt(self, thread: int) -> None:
        transaction = self._reading.get(thread)
        if transaction:
            with suppress(psycopg.Error):
                transaction.connection.cancel_safe(timeout=CANCEL_SECONDS)

    def is_in_use(self) -> bool:
        self.close()
        with self.read() as tx:
            others = "application_name = 'kalends' AND datname = current_database() AND pid <> pg_backend_pid()"
            return bool(tx.rows(f"SELECT 1 FROM pg_stat_activity WHERE {others}"))

    def close(self) -> None:
        while connection := self._pop_idle():
            connection.close()

    @contextmanager
    def _transaction(self, begin: Sequence[Command], reply_timeout: float, *, is_read: bool = False) -> Iterator[PostgresTransaction]:
        with TranslatedErrors():
            connection = self._acquire()
        connection.reply_timeout = reply_timeout
        transaction = PostgresTransaction(connection, begin, self._replace, is_read=is_read)
        try:
            yield transaction
            transaction.commit()
        except BaseException:
            transaction.roll_back()
            raise
        finally:
            self._release(transaction.connection)

    def _acquire(self) -> Connection:
        """An idle connection, or a new one."""
        if time.monotonic() < self._fail_fast_until:
            raise pg.ConnectionTimeout("The server did not reply a moment ago.")
        try:
            connection = self._pop_idle() or self._connect()
        except pg.ConnectionTimeout:
            self._fail_fast()
            raise
        connection.begin_timeout = CONNECT_SECONDS
        return connection

    def _replace(self, broken: Connection) -> Connection:
        """Another connection. Idle ones break when the server restarts, and the first statement shows it."""
        broken.close()
        connection = self._acquire()
        connection.reply_timeout = broken.reply_timeout
        return connection

    def _release(self, connection: Connection) -> None:
        if connection.has_timed_out:
            self._fail_fast()
        if not connection.closed:
            self._idle.append(connection)

    def _fail_fast(self) -> None:
        self._fail_fast_until = time.monotonic() + FAIL_FAST_SECONDS

    def _pop_idle(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _connect(self) -> Connection:
        return Connection.connect(
            self._url,
            autocommit=True,
            options=self._options,
            application_name="kalends",
            connect_timeout=CONNECT_SECONDS,
            keepalives_idle=30,
            keepalives_interval=5,
            keepalives_count=3,
            tcp_user_timeout=20_000,
        )
