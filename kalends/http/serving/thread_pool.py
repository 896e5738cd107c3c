"""Thread pools for expensive work, with a short fair queue that no single client can fill."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from msgspec import Struct

from kalends.errors import Overloaded

T = TypeVar("T")

# Timeout for work that waits for a thread.
QUEUE_SECONDS = 10


class PoolSize(Struct, frozen=True):
    """The size of a pool: its threads and queue slots, and how many of each a single client may hold."""

    threads: int
    queue: int
    threads_per_client: int
    queue_per_client: int
    overload_message: str


class _QueueSlot(Struct, frozen=True, eq=False):
    """A place in the queue: the clients it counts for, and the future that ends the wait."""

    clients: tuple[str, ...]
    thread_free: "asyncio.Future[None]"


class ThreadPool:
    """A pool used from one event loop. The client with the fewest threads is next, so a busy client delays others by one task at most."""

    def __init__(self, name: str, size: PoolSize):
        self._name = name
        self._size = size
        self._executor = ThreadPoolExecutor(size.threads, thread_name_prefix=name)
        self._free = size.threads
        self._running: Counter[str] = Counter()
        self._queue: list[_QueueSlot] = []

    @property
    def busy_threads(self) -> int:
        return self._size.threads - self._free

    @property
    def waiting(self) -> int:
        return len(self._queue)

    async def run(self, clients: tuple[str, ...], work: Callable[[], T]) -> T:
        """Run the work on a thread of the pool; raise Overloaded if the queue is full or the wait exceeds its timeout.

        clients: the network and the user that the work counts for.
        """
        if self._may_start(clients):
            self._acquire(clients)
        else:
            await self._wait(clients)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._release(clients)

    def shutdown(self) -> None:
        self._executor.shutdown()

    def _may_start(self, clients: tuple[str, ...]) -> bool:
        return self._free > 0 and all(self._running[client] < self._size.threads_per_client for client in clients)

    def _acquire(self, clients: tuple[str, ...]) -> None:
        self._free -= 1
        self._running.update(clients)

    def _release(self, clients: tuple[str, ...]) -> None:
        self._free += 1
        self._running.subtract(clients)
        # Drop the zero counts, or the counter would grow with every client.
        self._running = +self._running
        self._start_next()

    def _start_next(self) -> None:
        while ready := [slot for slot in self._queue if self._may_start(slot.clients)]:
            slot = min(ready, key=lambda slot: max(self._running[client] for client in slot.clients))
            self._queue.remove(slot)
            self._acquire(slot.clients)
            slot.thread_free.set_result(None)

    async def _wait(self, clients: tuple[str, ...]) -> None:
        if len(self._queue) >= self._size.queue or any(self._queued(client) >= self._size.queue_per_client for client in clients):
            raise Overloaded(self._name, self._size.overload_message, retry_after=1)
        loop = asyncio.get_running_loop()
        slot = _QueueSlot(clients, loop.create_future())
        self._queue.append(slot)
        timer = loop.call_later(QUEUE_SECONDS, self._expire, slot)
        try:
            await slot.thread_free
        except asyncio.CancelledError:
            # The request was cancelled in the queue, or just after it got its thread.
            if slot in self._queue:
                self._queue.remove(slot)
            elif not slot.thread_free.cancelled():
                self._release(clients)
            raise
        finally:
            timer.cancel()

    def _queued(self, client: str) -> int:
        return sum(client in slot.clients for slot in self._queue)

    def _expire(self, slot: _QueueSlot) -> None:
        if slot in self._queue:
            self._queue.remove(slot)
            slot.thread_free.set_exception(Overloaded(self._name, self._size.overload_message))
