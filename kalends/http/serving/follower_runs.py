"""Runs the requests that a change has woken, several in one task of a thread: handing them over takes as long as running them."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from kalends.http.reply import Reply
from kalends.http.request import Request

# A change that concerns a thousand must not fill the queue of all other requests, nor hold a thread for long.
TASKS_AT_ONCE = 2
RUNS_OF_A_TASK = 20

RunAll = Callable[[list[Request]], Awaitable[list[Reply]]]


class FollowerRuns:
    """The requests that wait to run again, of a process."""

    def __init__(self, run_all: RunAll):
        self._run_all = run_all
        self._waiting: deque[tuple[Request, asyncio.Future[Reply]]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, request: Request) -> Reply:
        """Run the request, together with others that wait for the same."""
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if len(self._tasks) < TASKS_AT_ONCE:
            self._tasks.add(asyncio.get_running_loop().create_task(self._run_task()))
        return await future

    async def _run_task(self) -> None:
        task = asyncio.current_task()
        assert task
        try:
            await self._run_waiting()
        finally:
            # Not in a callback of the task, which comes later: meanwhile a request would wait for a task that has ended.
            self._tasks.discard(task)

    async def _run_waiting(self) -> None:
        while self._waiting:
            runs = [self._waiting.popleft() for _ in range(min(len(self._waiting), RUNS_OF_A_TASK))]
            try:
                replies = await self._run_all([request for request, _ in runs])
            except BaseException as error:
                for _, future in runs:
                    if not future.done():
                        future.set_exception(error)
                raise
            for (_, future), reply in zip(runs, replies, strict=True):
                # A client that has left waits no longer.
                if not future.done():
                    future.set_result(reply)
