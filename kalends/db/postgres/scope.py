"""The block of a transaction: it takes a connection from a pool and gives it back."""

import threading
from collections.abc import Sequence
from typing import Protocol

import psycopg
from psycopg import errors as pg

from kalends.db.database import Retry, Transaction
from kalends.db.postgres.commands import Command
from kalends.db.postgres.connection import Connection, TranslatedErrors
from kalends.db.postgres.replicas import Replicas, reads
from kalends.db.postgres.transaction import PostgresTransaction


class Pool(Protocol):
    """Where a connection comes from."""

    def replace(self, broken: Connection) -> Connection: ...

    def release(self, connection: Connection) -> None: ...


class Primary(Pool, Protocol):
    """The connections to the primary, and the reads of each thread."""

    reading: dict[int, PostgresTransaction]

    def acquire(self) -> Connection: ...

    def close_idle(self) -> None: ...


class TransactionScope:
    """A transaction for a block, on a connection of its own."""

    __slots__ = ("_begin", "_db", "_is_read", "_pool", "_reply_timeout", "_thread", "_transaction")

    def __init__(self, db: Primary, begin: Sequence[Command], reply_timeout: float, *, is_read: bool):
        self._db = db
        self._pool: Pool = db
        self._begin = begin
        self._reply_timeout = reply_timeout
        self._is_read = is_read

    def __enter__(self) -> Transaction:
        with TranslatedErrors():
            connection = self._db.acquire()
        return self._begin_on(connection)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._is_read:
            self._db.reading.pop(self._thread, None)
        try:
            if error is None:
                self._commit()
            else:
                self._transaction.roll_back()
                if isinstance(error.__cause__, pg.ReadOnlySqlTransaction) and not self._is_read:
                    # The server is the primary no more, and behind a proxy the next connection may lead to another server.
                    self._transaction.connection.close()
                    self._db.close_idle()
        finally:
            self._pool.release(self._transaction.connection)

    def _begin_on(self, connection: Connection) -> Transaction:
        connection.reply_timeout = self._reply_timeout
        self._transaction = PostgresTransaction(connection, self._begin, self._pool.replace, is_read=self._is_read)
        if self._is_read:
            self._thread = threading.get_ident()
            self._db.reading[self._thread] = self._transaction
        return self._transaction

    def _commit(self) -> None:
        try:
            self._transaction.commit()
        except BaseException:
            self._transaction.roll_back()
            raise


class ReplicaScope(TransactionScope):
    """A read on a replica, or else on the primary."""

    __slots__ = ("_replicas",)

    def __init__(self, db: Primary, replicas: Replicas, begin: Sequence[Command], reply_timeout: float):
        super().__init__(db, begin, reply_timeout, is_read=True)
        self._replicas = replicas

    def __enter__(self) -> Transaction:
        acquired = self._replicas.acquire()
        if acquired is None:
            return super().__enter__()
        self._pool, connection = acquired
        return self._begin_on(connection)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        super().__exit__(kind, error, trace)
        if self._pool is not self._db and error is not None and _is_of_server(error):
            # It may be lost, cancel reads that hinder its replay, or lack a table that a migration has just made.
            reads.labels("primary", "failed").inc()
            raise Retry from error


def _is_of_server(error: BaseException) -> bool:
    """Whether the server failed, rather than that the statement took too long or its client has left."""
    reason = error.__cause__ or error
    return isinstance(reason, psycopg.Error) and not isinstance(reason, pg.QueryCanceled)
