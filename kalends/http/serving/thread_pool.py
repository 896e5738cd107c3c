"""Thread pools for expensive work, with a short fair queue that no single client can fill."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from msgspec import Struct

from kalends.core.errors import Overloaded

T = TypeVar("T")

# Timeout for work that waits for a thread.
QUEUE_SECONDS = 10


class PoolSize(Struct, frozen=True):
    """The size of a pool: its threads and queue slots, and more slots for clients on known devices."""

    threads: int
    queue: int
    overload_message: str
    queue_of_devices: int = 0


class Share(Struct, frozen=True):
    """How many threads and queue slots a client may hold."""

    threads: int
    queue: int


Clients = Mapping[str, Share]


class _QueueSlot(Struct, frozen=True, eq=False):
    """A place in the queue: the clients it counts for, and the future that ends the wait."""

    clients: Clients
    thread_free: "asyncio.Future[None]"


class ThreadPool:
    """A pool used from one event loop. The client with the fewest threads is next, so a busy client delays others by one task at most.
    If the queue is full, a client with fewer slots takes one of the client with the most."""

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

    async def run(self, clients: Clients, work: Callable[[], T], *, has_device: bool = False) -> T:
        """Run the work on a thread of the pool; raise Overloaded if the queue is full or the wait exceeds its timeout.

        clients: the networks and the user that the work counts for, each with its share.
        """
        if self._may_start(clients):
            self._acquire(clients)
        else:
            await self._wait(clients, has_device=has_device)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._release(clients)

    def shutdown(self) -> None:
        self._executor.shutdown()

    def _may_start(self, clients: Clients) -> bool:
        return self._free > 0 and all(self._running[client] < share.threads for client, share in clients.items())

    def _acquire(self, clients: Clients) -> None:
        self._free -= 1
        self._running.update(clients.keys())

    def _release(self, clients: Clients) -> None:
        self._free += 1
        self._running.subtract(clients.keys())
        # Drop the zero counts, or the counter would grow with every client.
        self._running = +self._running
        self._start_next()

    def _start_next(self) -> None:
        while ready := [slot for slot in self._queue if self._may_start(slot.clients)]:
            slot = min(ready, key=lambda slot: max(self._running[client] for client in slot.clients))
            self._queue.remove(slot)
            self._acquire(slot.clients)
            slot.thread_free.set_result(None)

    async def _wait(self, clients: Clients, *, has_device: bool) -> None:
        queued = self._queued()
        if any(queued[client] >= share.queue for client, share in clients.items()):
            raise self._refusal()
        if len(self._queue) >= self._size.queue + (self._size.queue_of_devices if has_device else 0):
            self._make_room(clients, queued)
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

    def _queued(self) -> Counter[str]:
        """How many queue slots each client holds."""
        return Counter(client for slot in self._queue for client in slot.clients)

    def _make_room(self, clients: Clients, queued: Counter[str]) -> None:
        """End the last wait of the client that holds the most slots; raise Overloaded if it holds no more than the new one would."""
        newest_first = reversed(self._queue)
        slot = max(newest_first, key=lambda slot: max(queued[client] for client in slot.clients))
        if max(queued[client] for client in slot.clients) <= 1 + max(queued[client] for client in clients):
            raise self._refusal()
        self._expire(slot)

    def _refusal(self) -> Overloaded:
        return Overloaded(self._name, self._size.overload_message, retry_after=1)

    def _expire(self, slot: _QueueSlot) -> None:
        if slot in self._queue:
            self._queue.remove(slot)
            slot.thread_free.set_exception(Overloaded(self._name, self._size.overload_message))
