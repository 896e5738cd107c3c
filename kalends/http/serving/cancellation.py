"""Cancellation of reads: their statements are interrupted at the read timeout, or when the client has disconnected."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from granian._granian import RSGIHTTPProtocol as HTTPProtocol

from kalends.db import Database

P = ParamSpec("P")
R = TypeVar("R")

# How often pending reads are checked. Most requests end before the first check and cost nothing.
TICK_SECONDS = 0.25


class Read:
    """A request that only reads, from the queue to the end of its work on a thread."""

    __slots__ = ("_lock", "_thread", "is_new", "proto", "watcher")

    def __init__(self, proto: HTTPProtocol):
        self.proto = proto
        self.is_new = True
        self.watcher: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        self._thread: int | None = None

    def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function on this thread, whose statements may be interrupted meanwhile."""
        self._thread = threading.get_ident()
        try:
            return function(*args, **kwargs)
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

    def __init__(self, db: Database | None):
        self._db = db
        self._pending: dict[Read, Future[Any]] = {}

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check the pending reads from now on."""
        if self._db:
            self._tick(self._db, loop)

    def add(self, read: Read, future: Future[Any]) -> None:
        self._pending[read] = future

    def remove(self, read: Read) -> None:
        del self._pending[read]
        if read.watcher:
            read.watcher.cancel()

    def _tick(self, db: Database, loop: asyncio.AbstractEventLoop) -> None:
        db.interrupt_expired()
        for read, future in self._pending.items():
            if not read.is_new and read.watcher is None:
                read.watcher = loop.create_task(self._watch(db, read, future))
            read.is_new = False
        loop.call_later(TICK_SECONDS, self._tick, db, loop)

    async def _watch(self, db: Database, read: Read, future: Future[Any]) -> None:
        """When the client disconnects, remove the request from the queue, or interrupt each statement that it runs."""
        await read.proto.client_disconnect()
        while not future.cancel() and not future.done():
            await asyncio.to_thread(read.interrupt, db)
            await asyncio.sleep(TICK_SECONDS)
