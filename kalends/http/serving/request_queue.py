"""The threads that run requests, with a bounded queue in front of them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from kalends.db import Database
from kalends.errors import Overloaded
from kalends.http.serving.cancellation import Read, Reads
from kalends.http.serving.thread_pool import QUEUE_SECONDS

T = TypeVar("T")


class RequestQueue:
    """Runs work on a fixed number of threads; refuses more than the queue holds, and what waits longer than the queue timeout."""

    def __init__(self, db: Database | None, threads: int, queue: int):
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._threads = threads
        self._free_slots = threads + queue
        self._reads = Reads(db)
        # When each request was submitted, oldest first.
        self._submitted_at: dict[Future[Any], float] = {}

    @property
    def is_full(self) -> bool:
        return self._free_slots <= 0

    @property
    def busy_threads(self) -> int:
        return min(len(self._submitted_at), self._threads)

    @property
    def waiting(self) -> int:
        return len(self._submitted_at) - self.busy_threads

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._expire(loop)
        self._reads.start(loop)

    def shutdown(self) -> None:
        self._executor.shutdown()

    async def run(self, work: Callable[[], T], read: Read | None = None) -> T:
        """Run the work on a thread. A read is cancelled when its client disconnects."""
        if self.is_full:
            raise queue_full()
        self._free_slots -= 1
        future = self._executor.submit(read.run, work) if read else self._executor.submit(work)
        if read:
            self._reads.add(read, future)
        self._submitted_at[future] = asyncio.get_running_loop().time()
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancelled():
                raise
            raise Overloaded("request", "The server is overloaded. Try again shortly.") from None
        finally:
            del self._submitted_at[future]
            if read:
                self._reads.remove(read)
            self._free_slots += 1

    def _expire(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel what has waited too long, which happens when every thread is blocked."""
        for future, submitted_at in list(self._submitted_at.items()):
            if loop.time() < submitted_at + QUEUE_SECONDS:
                break
            future.cancel()
        loop.call_later(QUEUE_SECONDS / 10, self._expire, loop)


def queue_full() -> Overloaded:
    return Overloaded("request", "Too many requests are waiting. Try again shortly.", retry_after=1)
