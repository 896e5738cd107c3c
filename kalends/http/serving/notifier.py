"""Wakes the requests that wait for a change. While there are any, it polls the entries of changes: other processes and servers write
them too, and both databases have them."""

import asyncio
from functools import partial

from kalends.core.errors import Problem
from kalends.db import Database, Retry
from kalends.db.sync_reader import Position, SyncReader
from kalends.http.reply import Wait
from kalends.http.serving.request_queue import RequestQueue

POLL_SECONDS = 0.25
# It stops after this many polls for nobody. A follower that was woken soon waits again.
IDLE_POLLS = 20
# How many changed topics it remembers, for requests that read before a change and wait after it.
MAX_TOPICS = 10_000


class Waiter:
    """A request that waits."""

    __slots__ = ("_is_woken", "position")

    def __init__(self, position: Position):
        self.position = position
        self._is_woken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def wake(self) -> None:
        self._end(is_woken=True)

    async def sleep(self, seconds: float) -> bool:
        """Sleep until it is woken, or for this long: False."""
        timer = asyncio.get_running_loop().call_later(seconds, partial(self._end, is_woken=False))
        try:
            return await self._is_woken
        finally:
            timer.cancel()

    def _end(self, *, is_woken: bool) -> None:
        if not self._is_woken.done():
            self._is_woken.set_result(is_woken)


class Notifier:
    """The requests of a process that wait, by the topics that they wait for."""

    def __init__(self, db: Database | None, queue: RequestQueue):
        self._db = db
        self._queue = queue
        self._waiters: dict[str, set[Waiter]] = {}
        self._task: asyncio.Task[None] | None = None
        # The position up to which it has read; the one from which on it knows every change; and the last change of each topic.
        self._position: Position | None = None
        self._known_since: Position = (0, 0)
        self._changed_at: dict[str, Position] = {}

    def add(self, wait: Wait) -> Waiter:
        """Register a request. It is woken at once if one of its topics has changed since it read, or may have."""
        waiter = Waiter(wait.position)
        for topic in wait.topics:
            self._waiters.setdefault(topic, set()).add(waiter)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._poll())
        elif self._position and wait.position < self._position and self._may_have_changed(wait):
            waiter.wake()
        return waiter

    def remove(self, wait: Wait, waiter: Waiter) -> None:
        for topic in wait.topics:
            waiters = self._waiters[topic]
            waiters.discard(waiter)
            if not waiters:
                del self._waiters[topic]

    def stop(self) -> None:
        if self._task:
            self._task.cancel()

    def _may_have_changed(self, wait: Wait) -> bool:
        never = (0, 0)
        return wait.position < self._known_since or any(self._changed_at.get(topic, never) > wait.position for topic in wait.topics)

    async def _poll(self) -> None:
        assert self._db is not None
        reader = SyncReader()
        self._position = None
        idle_polls = 0
        while idle_polls < IDLE_POLLS:
            try:
                topics = await self._queue.run(partial(reader.read, self._db))
            except (Problem, Retry):
                # The database or the queue is overloaded: the same entries are read at the next poll.
                topics = set()
            else:
                self._notify(topics, reader.position)
            idle_polls = 0 if self._waiters else idle_polls + 1
            await asyncio.sleep(POLL_SECONDS)
        self._task = None

    def _notify(self, topics: set[str] | None, position: Position | None) -> None:
        """Wake those who wait for one of the topics (None: for any), and have not read up to this position."""
        assert position
        self._position = position
        if topics is None or len(self._changed_at) + len(topics) > MAX_TOPICS:
            self._changed_at.clear()
            self._known_since = position
        self._changed_at.update(dict.fromkeys(topics or (), position))
        for topic in list(self._waiters) if topics is None else topics & self._waiters.keys():
            for waiter in self._waiters[topic]:
                if waiter.position < position:
                    waiter.wake()
