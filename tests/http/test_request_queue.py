"""The queue of requests: a fixed number of threads, each result to its caller, and nothing that waits for ever."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from kalends.core.errors import Overloaded
from kalends.http.serving import request_queue
from kalends.http.serving.request_queue import RequestQueue
from tests import loops

THREADS, QUEUE = 4, 8


@pytest.fixture
def queue() -> Iterator[RequestQueue]:
    queue = RequestQueue(None, THREADS, QUEUE)
    yield queue
    queue.shutdown()


def _fill(queue: RequestQueue, released: threading.Event) -> list[asyncio.Future[bool]]:
    """As much work as there is room for, until it is released."""
    return [asyncio.ensure_future(queue.run(lambda: released.wait(20))) for _ in range(THREADS + QUEUE)]


def test_each_caller_gets_its_own_result(queue: RequestQueue) -> None:
    async def ask(number: int) -> list[int]:
        return [await queue.run(partial(pow, number, 2)) for _ in range(200)]

    async def ask_all() -> list[list[int]]:
        return await asyncio.gather(*map(ask, range(THREADS + QUEUE)))

    assert loops.run(ask_all()) == [[number**2] * 200 for number in range(THREADS + QUEUE)]
    assert (queue.busy_threads, queue.waiting, queue.is_full) == (0, 0, False)


def test_an_error_reaches_its_caller_and_the_thread_goes_on(queue: RequestQueue) -> None:
    def fail() -> None:
        raise KeyError("wrong")

    async def ask() -> int:
        for _ in range(2 * THREADS):
            with pytest.raises(KeyError, match="wrong"):
                await queue.run(fail)
        return await queue.run(lambda: 1)

    assert loops.run(ask()) == 1


def test_more_than_the_threads_wait_and_more_than_the_queue_are_refused(queue: RequestQueue) -> None:
    released = threading.Event()

    async def ask() -> tuple[int, int]:
        tasks = _fill(queue, released)
        async with asyncio.timeout(20):
            while queue.busy_threads < THREADS:
                await asyncio.sleep(0.001)
        counts = queue.busy_threads, queue.waiting
        with pytest.raises(Overloaded):
            await queue.run(lambda: None)
        released.set()
        assert await asyncio.gather(*tasks) == [True] * len(tasks)
        return counts

    assert loops.run(ask()) == (THREADS, QUEUE)


def test_what_waits_too_long_is_refused_and_never_runs(queue: RequestQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_queue, "QUEUE_SECONDS", 0.1)
    released = threading.Event()
    has_run: list[int] = []

    async def ask() -> None:
        queue.start(asyncio.get_running_loop())
        blocked = [asyncio.ensure_future(queue.run(lambda: released.wait(20))) for _ in range(THREADS)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await queue.run(lambda: has_run.append(1))
        released.set()
        await asyncio.gather(*blocked)
        assert await queue.run(lambda: 1) == 1

    loops.run(ask())
    assert has_run == []


def test_a_caller_that_is_cancelled_leaves_no_slot_taken() -> None:
    queue = RequestQueue(None, THREADS, QUEUE)
    released = threading.Event()
    has_run: list[bool] = []

    async def ask() -> int:
        tasks = [asyncio.ensure_future(queue.run(lambda: has_run.append(released.wait(20)))) for _ in range(THREADS + QUEUE)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (queue.is_full, queue.waiting) == (False, 0)
        released.set()
        result = await queue.run(lambda: 1)
        # The threads have finished before the event loop closes.
        queue.shutdown()
        return result

    assert loops.run(ask()) == 1
    assert len(has_run) <= THREADS


class Finalized:
    """Garbage whose finalizer lets the threads take what waits."""

    def __init__(self, queue: RequestQueue, released: threading.Event):
        self.cycle = self
        self._queue = queue
        self._released = released

    def __del__(self) -> None:
        self._released.set()
        while self._queue.waiting:
            threading.Event().wait(0.001)


# When the collector runs depends on the version of Python: in some, within a call that makes a list.
@pytest.mark.parametrize("allocations", range(8))
def test_threads_take_jobs_while_the_garbage_collector_runs(queue: RequestQueue, allocations: int) -> None:
    async def ask() -> None:
        released = threading.Event()
        tasks = _fill(queue, released)
        await asyncio.sleep(0)
        thresholds = gc.get_threshold()
        gc.collect()
        Finalized(queue, released)
        gc.set_threshold(gc.get_count()[0] + allocations)
        try:
            queue.start(asyncio.get_running_loop())
        finally:
            gc.set_threshold(*thresholds)
        gc.collect()
        await asyncio.gather(*tasks)

    loops.run(ask())


@pytest.mark.parametrize("threads", [0, 1])
def test_a_thread_that_cannot_start_is_started_for_a_later_request(
    queue: RequestQueue, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    has_run: list[int] = []

    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def ask() -> None:
        released = threading.Event()
        blocked = [asyncio.ensure_future(queue.run(lambda: released.wait(20))) for _ in range(threads)]
        await asyncio.sleep(0)
        with monkeypatch.context() as limited:
            limited.setattr(threading.Thread, "start", fail)
            more = [asyncio.ensure_future(queue.run(lambda: has_run.append(1))) for _ in range(THREADS)]
            await asyncio.sleep(0)
        async with asyncio.timeout(20):
            assert await queue.run(lambda: 1) == 1
        released.set()
        refused = [result for result in await asyncio.gather(*more, return_exceptions=True) if result]
        # Those that no thread could run were refused, and never run.
        assert [type(error) for error in refused] == [Overloaded] * (0 if threads else THREADS)
        assert len(has_run) == THREADS - len(refused)
        assert await asyncio.gather(*blocked) == [True] * threads

    loops.run(ask())
    assert (queue.busy_threads, queue.waiting, queue.is_full) == (0, 0, False)


def test_shutdown_waits_for_what_runs() -> None:
    queue = RequestQueue(None, THREADS, QUEUE)
    began, ended = threading.Event(), []

    def work() -> None:
        began.set()
        threading.Event().wait(0.1)
        ended.append(1)

    async def ask() -> None:
        task = asyncio.ensure_future(queue.run(work))
        await asyncio.to_thread(began.wait, 20)
        queue.shutdown()
        assert ended == [1]
        await task

    loops.run(ask())
