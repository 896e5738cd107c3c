"""Group commit: writers of one process that arrive close together share one SQLite transaction, and so one fsync.

A commit waits for the disk (fsync), which takes far longer than the statements of a request. So the writers of this process use one
connection, one after the other, and one COMMIT makes all of them durable. No writer returns before it. Each but the first, which has
nothing to preserve, runs inside a savepoint: SQLite copies every page that is changed after one.

            first writer: BEGIN IMMEDIATE, its statements
    no group ───────────────────────────────────────────▶ open group ◀─┐ each further writer: SAVEPOINT member, its statements,
        ▲                                                     │   └────┘ RELEASE member (after an error ROLLBACK TO member)
        │                                                     │
        │  COMMIT: every member returns                       │ no writer waits, or the group has MAX_GROUP members,
        ├─────────────────────────────────────────────────────┤ or is older than MAX_WAIT_SECONDS
        │                                                     │
        │  ROLLBACK                                           │ the first writer failed
        ├─────────────────────────────────────────────────────┤
        │                                                     │
        │  ROLLBACK: every member raises Unavailable          │ COMMIT or a savepoint failed, or the disk is full
        └─────────────────────────────────────────────────────┘
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

import apsw

from kalends.core.errors import Unavailable
from kalends.db.database import UNAVAILABLE_DETAIL

C = TypeVar("C", bound=apsw.Connection)

MAX_GROUP = 64
MAX_WAIT_SECONDS = 0.01
# How often a member that waits for the commit checks whether the writer that should have committed gave up.
RECHECK_SECONDS = 0.05


class _Group:
    """Writes that are committed or rolled back together. A member that waits for another one to commit does so at a lock of its own:
    with a threading.Event, a create takes 4 % more processor time."""

    __slots__ = ("began", "error", "members", "waiting")

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.members = 0
        self.waiting: list[threading.Lock] = []
        self.error: BaseException | None = None

    def wait_here(self) -> threading.Lock:
        """A lock that can be acquired when the group is committed or rolled back."""
        lock = threading.Lock()
        lock.acquire()
        self.waiting.append(lock)
        return lock


class GroupCommit(Generic[C]):
    """Hands the write connection from writer to writer, and commits for all of them."""

    def __init__(self, connect: Callable[[], C], lock_timeout: float):
        self._connect = connect
        self._lock_timeout = lock_timeout
        self._write_lock = threading.Lock()
        # An entry for each thread that waits for it.
        self._waiting: deque[None] = deque()
        self._group: _Group | None = None

    @property
    def waiting(self) -> int:
        """How many threads wait for the write lock."""
        return len(self._waiting)

    def join(self, *, alone: bool) -> C:
        """Wait for the write lock and join the open group; a writer that must be alone commits the group and opens its own."""
        self._acquire()
        try:
            connection = self._connect()
            if self._group and alone:
                self._commit(connection)
            if self._group is None:
                connection.execute("BEGIN IMMEDIATE")
                self._group = _Group()
            else:
                self._savepoint(connection)
            self._group.members += 1
        except BaseException:
            self._write_lock.release()
            raise
        return connection

    def _acquire(self) -> None:
        if self._write_lock.acquire(blocking=False):
            return
        self._waiting.append(None)
        has_lock = self._write_lock.acquire(timeout=self._lock_timeout)
        self._waiting.pop()
        if not has_lock:
            raise Unavailable("The database is busy. Try again.")

    def _savepoint(self, connection: C) -> None:
        try:
            connection.execute("SAVEPOINT member")
        except BaseException as error:
            self._abort_group(connection, error)
            raise

    def leave(self, connection: C, error: BaseException | None, *, alone: bool) -> None:
        """End the member's part of the transaction and wait for the commit.

        After an error the member is rolled back. It waits too: it may have read what other members wrote.
        """
        group = self._group
        assert group is not None
        try:
            self._end_member(connection, group, error)
            if self._group and (alone or self._is_due(group)):
                self._commit(connection)
            finished = group.wait_here() if self._group is group else None
        finally:
            self._write_lock.release()
        while finished and not finished.acquire(timeout=RECHECK_SECONDS):
            with self._write_lock:
                if self._group is group:
                    self._commit(connection)
        if group.error:
            raise Unavailable(UNAVAILABLE_DETAIL) from group.error

    def _is_due(self, group: _Group) -> bool:
        return not self._waiting or group.members >= MAX_GROUP or time.monotonic() > group.began + MAX_WAIT_SECONDS

    def _end_member(self, connection: C, group: _Group, error: BaseException | None) -> None:
        if not connection.in_transaction:
            # A full or failing disk has rolled the whole transaction back.
            self._abort_group(connection, error or RuntimeError("the transaction was rolled back"))
            return
        try:
            if group.members > 1:
                if error:
                    connection.execute("ROLLBACK TO member")
                connection.execute("RELEASE member")
            elif error:
                connection.execute("ROLLBACK")
                self._end_group(None)
        except BaseException as failure:
            self._abort_group(connection, failure)

    def _commit(self, connection: C) -> None:
        try:
            connection.execute("COMMIT")
        except BaseException as error:
            self._abort_group(connection, error)
        else:
            self._end_group(None)

    def _abort_group(self, connection: C, error: BaseException) -> None:
        """Roll back what every member wrote."""
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        self._end_group(error)

    def _end_group(self, error: BaseException | None) -> None:
        group, self._group = self._group, None
        assert group is not None
        group.error = error
        for lock in group.waiting:
            lock.release()
