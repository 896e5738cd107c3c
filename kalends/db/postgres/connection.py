"""A connection to PostgreSQL that runs several statements in one round trip, and whose wait for a reply is bounded.

Statements go to libpq directly: a cursor of psycopg takes more CPU time for most of them than the server does. They are sent in
pipeline mode, and prepared at their first use. Both need messages of the protocol only, which PgBouncer can pool by transaction."""

import os
import select
import socket
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import Any

import psycopg
from psycopg import abc
from psycopg import errors as pg
from psycopg.abc import RV, PQGen
from psycopg.adapt import Transformer
from psycopg.pq import ConnStatus, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from kalends.core.errors import Unavailable
from kalends.db.database import TIMED_OUT, UNAVAILABLE_DETAIL, LockTimeout, Retry, UniqueViolation
from kalends.db.postgres.commands import Command

UNAVAILABLE = (psycopg.OperationalError, psycopg.InterfaceError, pg.ReadOnlySqlTransaction, pg.IdleInTransactionSessionTimeout)
# A foreign key is violated if the record existed when the action read it and was deleted since: the next attempt sees that.
RETRYABLE = (pg.SerializationFailure, pg.DeadlockDetected, pg.ForeignKeyViolation)


class TranslatedErrors:
    """Within the block, errors of psycopg are raised as both databases do."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, pg.UniqueViolation):
            raise UniqueViolation(error.diag.constraint_name or "") from error
        if isinstance(error, RETRYABLE):
            raise Retry from error
        if isinstance(error, pg.QueryCanceled):
            raise Unavailable(TIMED_OUT) from error
        if isinstance(error, pg.LockNotAvailable):
            raise LockTimeout(UNAVAILABLE_DETAIL) from error
        if isinstance(error, UNAVAILABLE):
            raise Unavailable(UNAVAILABLE_DETAIL) from error


WAIT_INTERVAL = 0.1
# A connection on which the server replied less than this ago is not probed.
IDLE_SECONDS = 1
# How many statements stay prepared on a connection; then the least recently used are deallocated.
MAX_PREPARED = 200

_Key = tuple[bytes, tuple[int, ...]]


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """Closed when a reply takes longer than `reply_timeout` seconds; None waits without limit. The reply to BEGIN, which takes no time,
    is waited for no longer than `begin_timeout` on a connection that was idle."""

    reply_timeout: float | None = None
    begin_timeout = 5.0
    has_timed_out = False
    # Its number among the hosts of the address.
    host = 0

    def __init__(self, pgconn: PGconn, *args: Any, **options: Any):
        super().__init__(pgconn, *args, **options)
        self._transformers: dict[_Key, abc.Transformer] = {}
        self._names: OrderedDict[_Key, bytes] = OrderedDict()
        self._names_count = 0
        # The planner's estimates of how many rows statements find, and until when they are used.
        self.estimates: dict[bytes, tuple[int, float]] = {}
        self._poll = select.poll()
        # Whether the result of `send` is still to be read.
        self._has_unread = False
        self.replied_at = monotonic()
        self._closing = Lock()

    @property
    def is_broken(self) -> bool:
        """Whether the server has ended the connection, or it was closed here."""
        return self.pgconn.status == ConnStatus.BAD

    @property
    def is_idle(self) -> bool:
        """Whether the server has not replied lately."""
        return monotonic() > self.replied_at + IDLE_SECONDS

    def execute_together(self, commands: Sequence[Command], *, begins: bool = False) -> list[PGresult]:
        """Run the commands in one round trip and return their results. After one that fails none runs, and its error is raised.

        begins: the first command is BEGIN.
        """
        if len(commands) == 1 and not self._has_unread and (name := self._find_prepared(commands[0])):
            return self._execute_prepared(name, commands[0])
        return self._execute_in_pipeline(commands, is_probe=begins and self.is_idle)

    def send(self, command: Command) -> None:
        """Send a command whose result does not matter. It is read together with that of the next command."""
        self.receive_unread()
        with self._closed_after_error():
            self.pgconn.enter_pipeline_mode()
            self._send(command)
            self.pgconn.pipeline_sync()
        self._has_unread = True

    def receive_unread(self) -> None:
        """Read the result of `send`, so that methods of psycopg can be called."""
        if self._has_unread:
            self._execute_in_pipeline([])

    def load(self, command: Command, result: PGresult) -> list[tuple[Any, ...]]:
        """The rows of the result of a command. The loaders of its columns are found once for each prepared statement."""
        number = result.ntuples
        if not number:
            return []
        key = command.sql, command.types
        transformer = self._transformers.get(key)
        if transformer is None:
            transformer = Transformer(self)
            transformer.set_pgresult(result)
            if key in self._names:
                self._transformers[key] = transformer
        else:
            transformer.set_pgresult(result, set_loaders=False)
        rows = transformer.load_rows(0, number, tuple)
        # Otherwise it would hold the result until the statement is executed again.
        transformer.set_pgresult(None, set_loaders=False)
        return rows

    def wait(self, gen: PQGen[RV], interval: float = WAIT_INTERVAL, timeout: float | None = None) -> RV:
        """Wait for the reply to a method of psycopg."""
        try:
            return super().wait(gen, interval, timeout or self.reply_timeout)
        except pg._WaitTimeout:
            self._time_out()
            raise

    def abandon(self) -> None:
        """Let the statement fail that another thread waits for on this connection, or that will be sent on it."""
        with self._closing, suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self.pgconn.socket)) as duplicate:
            duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        # Otherwise `abandon` might meet another socket with the same number.
        with self._closing:
            super().close()

    def _execute_prepared(self, name: bytes, command: Command) -> list[PGresult]:
        # The same as `_closed_after_error`, which would take a twentieth of the instructions of a statement.
        try:
            self.pgconn.send_query_prepared(name, command.values, command.formats)
            results = self._receive(0)
        except BaseException:
            self.close()
            raise
        _raise_error(results)
        return results

    def _execute_in_pipeline(self, commands: Sequence[Command], *, is_probe: bool = False) -> list[PGresult]:
        """is_probe: the reply to the first command must come soon. The server then sends it before it runs the others."""
        sent: list[_Key | None] = []
        with self._closed_after_error():
            if not self._has_unread:
                self.pgconn.enter_pipeline_mode()
            for position, command in enumerate(commands):
                sent += self._send(command)
                if is_probe and position == 0:
                    self.pgconn.send_flush_request()
            self.pgconn.pipeline_sync()
            results = self._receive(2 if self._has_unread else 1, is_probe=is_probe)
            self.pgconn.exit_pipeline_mode()
        self._has_unread = False
        for key, result in zip(sent, results, strict=True):
            if key and result.status != ExecStatus.COMMAND_OK:
                self._names.pop(key, None)
        _raise_error(results)
        return [result for key, result in zip(sent, results, strict=True) if key is None]

    def _send(self, command: Command) -> list[_Key | None]:
        """Send a command, after preparing it if need be. Returns what the results will be of: None for the command itself, and the key
        of a statement that is prepared or deallocated before it."""
        if not command.is_prepared:
            self.pgconn.send_query_params(command.sql, None)
            return [None]
        name = self._find_prepared(command)
        prepared: list[_Key] = []
        if name is None:
            name, prepared = self._prepare(command)
        self.pgconn.send_query_prepared(name, command.values, command.formats)
        return [*prepared, None]

    def _prepare(self, command: Command) -> tuple[bytes, list[_Key]]:
        key = command.sql, command.types
        name = self._names[key] = b"kalends_%d" % self._names_count
        self._names_count += 1
        self.pgconn.send_prepare(name, command.sql, command.types)
        if len(self._names) <= MAX_PREPARED:
            return name, [key]
        oldest, oldest_name = self._names.popitem(last=False)
        self._transformers.pop(oldest, None)
        self.pgconn.send_close_prepared(oldest_name)
        return name, [key, oldest]

    def _find_prepared(self, command: Command) -> bytes | None:
        key = command.sql, command.types
        name = self._names.get(key)
        if name:
            self._names.move_to_end(key)
        return name

    def _receive(self, synchronisations: int, *, is_probe: bool = False) -> list[PGresult]:
        """The results before the last of the synchronisations of the pipeline; outside of pipeline mode, those of one command."""
        pgconn = self.pgconn
        deadline = self._deadline(self.begin_timeout if is_probe else self.reply_timeout)
        while pgconn.flush():
            if self._wait(deadline, select.POLLIN | select.POLLOUT) & select.POLLIN:
                pgconn.consume_input()
        results: list[PGresult] = []
        while True:
            while pgconn.is_busy():
                self._wait(deadline, select.POLLIN)
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                # The end of a command.
                if not synchronisations:
                    break
            elif result.status == ExecStatus.PIPELINE_SYNC:
                synchronisations -= 1
                if not synchronisations:
                    break
                results.clear()
            else:
                results.append(result)
                if is_probe:
                    deadline, is_probe = self._deadline(self.reply_timeout), False
        self.replied_at = monotonic()
        return results

    def _deadline(self, timeout: float | None) -> float | None:
        return None if timeout is None else monotonic() + timeout

    def _wait(self, deadline: float | None, events: int) -> int:
        """Wait until the socket is ready for one of the events, and return for which."""
        self._poll.register(self.pgconn.socket, events)
        ready = self._poll.poll(None if deadline is None else max(0, deadline - monotonic()) * 1000)
        if not ready:
            self._time_out()
            raise pg.ConnectionTimeout("The server did not reply in time.")
        return ready[0][1]

    def _time_out(self) -> None:
        """A late reply would be read as the next statement's, so the connection cannot be reused."""
        self.has_timed_out = True
        self.close()

    @contextmanager
    def _closed_after_error(self) -> Iterator[None]:
        """Close the connection after an error of libpq, or an interruption: its state is unknown."""
        try:
            yield
        except BaseException:
            self.close()
            raise


def _raise_error(results: Sequence[PGresult]) -> None:
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise pg.error_from_result(result)
