"""The threads that run requests, with a bounded queue in front of them.

It is written for few instructions, since each request takes the way to a thread and back: with `concurrent.futures`, that takes 22 µs
more. What several threads finish while the event loop is busy reaches it in one call."""

import asyncio
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from granian.rsgi import HTTPProtocol

from kalends.core.errors import Overloaded
from kalends.db import Database
from kalends.http.serving.cancellation import Job, Reads
from kalends.http.serving.thread_pool import QUEUE_SECONDS

T = TypeVar("T")


class RequestQueue:
    """Runs work on a fixed number of threads; refuses what finds no room in the queue, and what waits longer than the queue timeout."""

    def __init__(self, db: Database | None, threads: int, queue: int):
        self._max_threads = threads
        self._max_pending = threads + queue
        self._reads = Reads(db, self._withdraw)
        self._threads: list[Thread] = []
        # None ends a thread.
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        # The jobs that no thread has begun, and when they were submitted, oldest first. Only one thread can remove a job, and
        # that one runs or withdraws it.
        self._waiting: dict[Job, float] = {}
        # Jobs whose result was not delivered.
        self._pending = 0
        self._finished: deque[tuple[Job, Any, BaseException | None]] = deque()
        # Whether the event loop was called to deliver what is finished.
        self._is_called = False

    @property
    def is_full(self) -> bool:
        return self._pending >= self._max_pending

    @property
    def busy_threads(self) -> int:
        return min(self._pending - self.waiting, self._max_threads)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._expire(loop)
        self._reads.start(loop)

    def shutdown(self) -> None:
        """Wait until the threads have done their work."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    async def run(self, work: Callable[[], T], proto: HTTPProtocol | None = None) -> T:
        """Run the work on a thread.

        proto: the connection of a read, which is cancelled when its client disconnects.
        """
        if self.is_full:
            raise queue_full()
        loop = asyncio.get_running_loop()
        # First: if it fails, the work has no slot and never runs.
        if len(self._threads) < self._max_threads and len(self._threads) <= self._pending:
            self._add_thread(loop)
        future: asyncio.Future[T] = loop.create_future()
        job = Job(work, future)
        self._pending += 1
        if proto:
            self._reads.add(job, proto)
        self._waiting[job] = loop.time()
        self._jobs.put(job)
        try:
            return await future
        except asyncio.CancelledError:
            self._waiting.pop(job, None)
            raise
        finally:
            if proto:
                self._reads.remove(job)
            self._pending -= 1

    def _add_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        thread = Thread(target=self._run_jobs, args=(loop,), name=f"request_{len(self._threads)}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # The system has no memory or no thread left. The threads that there are do the work; the next request tries again.
            if not self._threads:
                raise _overloaded() from None
        else:
            self._threads.append(thread)

    def _run_jobs(self, loop: asyncio.AbstractEventLoop) -> None:
        while job := self._jobs.get():
            if self._waiting.pop(job, None) is None:
                # It was withdrawn.
                continue
            try:
                self._finished.append((job, job.run(), None))
            except BaseException as error:
                self._finished.append((job, None, error))
            # What this request has read does not stay in memory until the next one.
            del job
            if not self._is_called:
                self._is_called = True
                loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        # First: what is finished from now on calls again.
        self._is_called = False
        while self._finished:
            job, result, error = self._finished.popleft()
            if job.future.done():
                # Nobody waits for it.
                continue
            if error:
                job.future.set_exception(error)
            else:
                job.future.set_result(result)

    def _withdraw(self, job: Job) -> bool:
        """Remove the job from the queue; False if a thread has begun it."""
        if self._waiting.pop(job, None) is None:
            return False
        if not job.future.done():
            job.future.set_exception(_overloaded())
        return True

    def _expire(self, loop: asyncio.AbstractEventLoop) -> None:
        """Withdraw what has waited too long, which happens when every thread is blocked."""
        # Of the keys alone: a list of the items, or a copy, may run the garbage collector, whose finalizers let threads take jobs.
        for job in list(self._waiting):
            if loop.time() < self._waiting.get(job, 0) + QUEUE_SECONDS:
                break
            self._withdraw(job)
        loop.call_later(QUEUE_SECONDS / 10, self._expire, loop)


def _overloaded() -> Overloaded:
    return Overloaded("request", "The server is overloaded. Try again shortly.")


def queue_full() -> Overloaded:
    return Overloaded("request", "Too many requests are waiting. Try again shortly.", retry_after=1)
