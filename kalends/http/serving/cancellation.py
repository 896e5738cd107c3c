"""Cancellation of reads: their statements are interrupted at the read timeout, or when the client has disconnected."""

import asyncio
from collections.abc import Callable
from threading import Lock, get_ident
from typing import Any

from granian.rsgi import HTTPProtocol

from kalends.db import Database

# How often pending reads are checked. Most requests end before the first check and cost nothing.
TICK_SECONDS = 0.25


class Job:
    """Work for a thread, and the future that gets its result."""

    __slots__ = ("_lock", "_thread", "_work", "future", "is_new", "watcher")

    def __init__(self, work: Callable[[], Any], future: "asyncio.Future[Any]"):
        self._work = work
        self.future = future
        self.is_new = True
        self.watcher: asyncio.Task[None] | None = None
        self._lock = Lock()
        self._thread: int | None = None

    def run(self) -> Any:
        """Do the work on this thread, whose statements may be interrupted meanwhile."""
        self._thread = get_ident()
        try:
            return self._work()
        finally:
            with self._lock:
                self._thread = None

    def interrupt(self, db: Database) -> None:
        """Interrupt the statement that the thread runs, unless the thread already runs another request."""
        with self._lock:
            if self._thread is not None:
                db.interrupt(self._thread)


class Reads:
    """The pending reads of this process."""

    def __init__(self, db: Database | None, withdraw: Callable[[Job], bool]):
        """withdraw: removes a job from the queue, if it is still there."""
        self._db = db
        self._withdraw = withdraw
        self._pending: dict[Job, HTTPProtocol] = {}

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check the pending reads from now on."""
        if self._db:
            self._tick(self._db, loop)

    def add(self, read: Job, proto: HTTPProtocol) -> None:
        self._pending[read] = proto

    def remove(self, read: Job) -> None:
        del self._pending[read]
        if read.watcher:
            read.watcher.cancel()

    def _tick(self, db: Database, loop: asyncio.AbstractEventLoop) -> None:
        db.interrupt_expired()
        for read, proto in self._pending.items():
            if not read.is_new and read.watcher is None:
                read.watcher = loop.create_task(self._watch(db, read, proto))
            read.is_new = False
        loop.call_later(TICK_SECONDS, self._tick, db, loop)

    async def _watch(self, db: Database, read: Job, proto: HTTPProtocol) -> None:
        """When the client disconnects, remove the request from the queue, or interrupt each statement that it runs."""
        await proto.client_disconnect()
        while not self._withdraw(read) and not read.future.done():
            await asyncio.to_thread(read.interrupt, db)
            await asyncio.sleep(TICK_SECONDS)
