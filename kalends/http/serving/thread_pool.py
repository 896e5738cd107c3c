"""Threads of their own for costly work, with a short queue that no client can keep for itself."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from msgspec import Struct

from kalends.errors import Unavailable

T = TypeVar("T")

# How long work may wait for a thread.
QUEUE_SECONDS = 10


class Size(Struct, frozen=True):
    """How much a pool takes: threads and waiting places in all, and how many of each one client may hold."""

    threads: int
    queue: int
    threads_each: int
    queue_each: int
    busy: str


class _Ticket(Struct, frozen=True, eq=False):
    """A waiting place: for whom, and what ends the wait."""

    clients: tuple[str, ...]
    turn: "asyncio.Future[None]"


class Pool:
    """Used from one event loop. Who has fewest threads is next, so that a client with much work delays others by one task at most."""

    def __init__(self, name: str, size: Size):
        self._size = size
        self._executor = ThreadPoolExecutor(size.threads, thread_name_prefix=name)
        self._free = size.threads
        self._running: Counter[str] = Counter()
        self._queue: list[_Ticket] = []

    async def run(self, clients: tuple[str, ...], work: Callable[[], T]) -> T:
        """Run the work on a thread of the pool, or raise Unavailable: at once where there is no place to wait.

        clients: whom it counts for, such as a network and a user."""
        if self._may_start(clients):
            self._take(clients)
        else:
            await self._wait(clients)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._give_back(clients)

    def shutdown(self) -> None:
        self._executor.shutdown()

    def _may_start(self, clients: tuple[str, ...]) -> bool:
        return self._free > 0 and all(self._running[client] < self._size.threads_each for client in clients)

    def _take(self, clients: tuple[str, ...]) -> None:
        self._free -= 1
        self._running.update(clients)

    def _give_back(self, clients: tuple[str, ...]) -> None:
        self._free += 1
        self._running.subtract(clients)
        # Without those who have none, which would be kept for ever.
        self._running = +self._running
        self._start_next()

    def _start_next(self) -> None:
        while ready := [ticket for ticket in self._queue if self._may_start(ticket.clients)]:
            ticket = min(ready, key=lambda ticket: max(self._running[client] for client in ticket.clients))
            self._queue.remove(ticket)
            self._take(ticket.clients)
            ticket.turn.set_result(None)

    async def _wait(self, clients: tuple[str, ...]) -> None:
        if len(self._queue) >= self._size.queue or any(self._waiting(client) >= self._size.queue_each for client in clients):
            raise Unavailable(self._size.busy, retry_after=1)
        loop = asyncio.get_running_loop()
        ticket = _Ticket(clients, loop.create_future())
        self._queue.append(ticket)
        timer = loop.call_later(QUEUE_SECONDS, self._expire, ticket)
        try:
            await ticket.turn
        except asyncio.CancelledError:
            # The request was given up, in the queue or just when its turn came.
            if ticket in self._queue:
                self._queue.remove(ticket)
            elif not ticket.turn.cancelled():
                self._give_back(clients)
            raise
        finally:
            timer.cancel()

    def _waiting(self, client: str) -> int:
        return sum(client in ticket.clients for ticket in self._queue)

    def _expire(self, ticket: _Ticket) -> None:
        if ticket in self._queue:
            self._queue.remove(ticket)
            ticket.turn.set_exception(Unavailable(self._size.busy))
