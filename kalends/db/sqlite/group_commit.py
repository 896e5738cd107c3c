"""Writers of one process take turns on one SQLite connection, and those that come close together are committed together:
one wait for the disk serves them all, and nobody is answered before it is over."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

import apsw

from kalends.errors import Unavailable

C = TypeVar("C", bound=apsw.Connection)

# A group waits for no more than so many, nor for longer.
MOST = 64
SECONDS = 0.01
# After this long, whoever waits for the others looks whether they are still there.
PATIENCE_SECONDS = 0.05


class _Group:
    """Writes that stand or fall together."""

    __slots__ = ("began", "error", "members", "over")

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.members = 0
        self.over = threading.Event()
        self.error: BaseException | None = None


class Turns(Generic[C]):
    """Whose turn it is to write."""

    def __init__(self, connect: Callable[[], C], seconds: float):
        self._connect = connect
        self._seconds = seconds
        self._turn = threading.Lock()
        self._counting = threading.Lock()
        self._waiting = 0
        self._group: _Group | None = None

    def begin(self, *, alone: bool) -> C:
        """Wait for the turn, and be in a transaction: that of those before, unless it must be one's own."""
        self._wait()
        try:
            connection = self._connect()
            if self._group and alone:
                self._commit(connection)
            if self._group is None:
                connection.execute("BEGIN IMMEDIATE")
                self._group = _Group()
            self._group.members += 1
            self._save(connection)
        except BaseException:
            self._turn.release()
            raise
        return connection

    def _save(self, connection: C) -> None:
        try:
            connection.execute("SAVEPOINT member")
        except BaseException as error:
            self._fail(connection, error)
            raise

    def _wait(self) -> None:
        with self._counting:
            self._waiting += 1
        has_turn = self._turn.acquire(timeout=self._seconds)
        with self._counting:
            self._waiting -= 1
        if not has_turn:
            raise Unavailable("The database is busy. Try again.")

    def end(self, connection: C, error: BaseException | None, *, alone: bool) -> None:
        """End the turn. What was written is kept, unless there was an error; either way, what this writer saw of the others' is on
        the disk."""
        group = self._group
        assert group is not None
        try:
            self._end_member(connection, error)
            if self._group and (alone or not self._waiting or group.members >= MOST or time.monotonic() > group.began + SECONDS):
                self._commit(connection)
        finally:
            self._turn.release()
        while not group.over.wait(PATIENCE_SECONDS):
            with self._turn:
                if self._group is group:
                    self._commit(connection)
        if group.error:
            raise Unavailable("The database is away, busy or full. Try again.") from group.error

    def _end_member(self, connection: C, error: BaseException | None) -> None:
        if not connection.in_transaction:
            # A full or failing disk has ended it, for all.
            self._fail(connection, error or RuntimeError("the transaction is gone"))
            return
        try:
            if error:
                connection.execute("ROLLBACK TO member")
            connection.execute("RELEASE member")
        except BaseException as failure:
            self._fail(connection, failure)

    def _commit(self, connection: C) -> None:
        try:
            connection.execute("COMMIT")
        except BaseException as error:
            self._fail(connection, error)
        else:
            self._end_group(None)

    def _fail(self, connection: C, error: BaseException) -> None:
        """Nothing of the group is kept."""
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        self._end_group(error)

    def _end_group(self, error: BaseException | None) -> None:
        group, self._group = self._group, None
        assert group is not None
        group.error = error
        group.over.set()
