"""Request bodies: limits on their size, on the time they take, and on the memory they hold in total and for each network."""

import asyncio
from typing import Any

from granian.rsgi import HTTPProtocol, ProtocolClosed

from kalends.core import errors
from kalends.core.i18n import gettext
from kalends.http.input.params import FRAMING, UPLOAD_LIMIT

MIB = 1024 * 1024
# Most bodies are this small, and are read in one piece. While they arrive, they take at most 40 MiB on all connections together.
TINY = 4 * 1024
# Nearly all bodies are smaller. They have their own budget, so that large bodies cannot keep people from signing in.
SMALL = 64 * 1024
# The minimum rate of a larger body, and the timeout of all of it as a multiple of the timeout of a small one.
STEP_BYTES, STEP_SECONDS = 5 * 1024, 5
LARGE_FACTOR = 10
# Timeout for bodies that are still arriving when the service stops.
STOP_SECONDS = 3
# How often the timeouts are checked. Most bodies have arrived before the first check.
TICK_SECONDS = 0.25


class ByteBudget:
    """Limits on buffered bytes: in total, and for each network."""

    def __init__(self, max_total: int, max_per_network: int):
        self._max_total = max_total
        self._max_per_network = max_per_network
        self._total_bytes = 0
        self._network_bytes: dict[str, int] = {}

    def add(self, network: str, size: int) -> None:
        network_bytes = self._network_bytes.get(network, 0) + size
        self._total_bytes += size
        if network_bytes:
            self._network_bytes[network] = network_bytes
        else:
            self._network_bytes.pop(network, None)

    def is_exceeded(self, network: str) -> bool:
        return self._total_bytes > self._max_total or self._network_bytes.get(network, 0) > self._max_per_network


class _Arrival:
    """A body that is arriving: the task that reads it, until when, and whether the task was cancelled for that."""

    __slots__ = ("deadline", "is_late", "task")

    def __init__(self, task: "asyncio.Task[Any]", deadline: float):
        self.task = task
        self.deadline = deadline
        self.is_late = False


class RequestBodies:
    """The buffered bodies of a process: of requests that are arriving, queued or running."""

    def __init__(self, timeout: float):
        self._timeout = timeout
        self._small = ByteBudget(128 * MIB, 8 * MIB)
        # Two uploads of the largest size from one network.
        self._large = ByteBudget(160 * MIB, 2 * (UPLOAD_LIMIT + FRAMING))
        self._arriving: set[_Arrival] = set()
        self._is_stopping = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check the timeouts from now on."""
        for arrival in self._arriving:
            if loop.time() >= arrival.deadline and not arrival.is_late:
                arrival.is_late = True
                arrival.task.cancel()
        loop.call_later(TICK_SECONDS, self.start, loop)

    async def read(self, proto: HTTPProtocol, length: int | None, max_bytes: int, network: str) -> bytes:
        """Read the whole body, of this length if it is known. It counts against the budget until `release`."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task
        seconds = min(self._timeout, STOP_SECONDS) if self._is_stopping else self._timeout
        arrival = _Arrival(task, loop.time() + seconds)
        self._arriving.add(arrival)
        try:
            if length is None or length > TINY:
                return await self._collect(proto, max_bytes, network, arrival)
            body = await proto()
        except ProtocolClosed:
            raise _incomplete() from None
        except asyncio.CancelledError:
            if not arrival.is_late:
                raise
            task.uncancel()
            raise errors.TooSlow(
                f"Send a body of up to {SMALL // 1024} KiB within {seconds} seconds, and a larger one without a pause."
            ) from None
        finally:
            self._arriving.discard(arrival)
        if len(body) != length:
            raise _incomplete()
        self._resize(network, 0, length)
        if self._small.is_exceeded(network):
            self._resize(network, length, 0)
            raise _too_many()
        return body

    def release(self, network: str, body: bytes) -> None:
        self._resize(network, len(body), 0)

    def shorten_timeouts(self) -> None:
        """At a stop: wait only STOP_SECONDS for the bodies that are still arriving."""
        self._is_stopping = True
        end = asyncio.get_running_loop().time() + STOP_SECONDS
        for arrival in self._arriving:
            arrival.deadline = min(arrival.deadline, end)

    async def _collect(self, proto: HTTPProtocol, max_bytes: int, network: str, arrival: _Arrival) -> bytes:
        rate = _MinimumRate(arrival, self._timeout * LARGE_FACTOR)
        body = bytearray()
        empty_chunks = 0
        try:
            async for chunk in proto:
                if not chunk:
                    empty_chunks += 1
                    continue
                body += chunk
                self._resize(network, len(body) - len(chunk), len(body))
                if len(body) > max_bytes:
                    raise too_large(max_bytes)
                if self._budget(len(body)).is_exceeded(network):
                    raise _too_many()
                if len(body) > SMALL and not self._is_stopping:
                    rate.count(len(body))
            # Granian ends a body with one empty chunk. A body that was cut off, or whose chunked encoding is broken, has two.
            if empty_chunks != 1:
                raise _incomplete()
        except BaseException:
            self._resize(network, len(body), 0)
            raise
        return bytes(body)

    def _resize(self, network: str, before: int, after: int) -> None:
        """Account for a body that has grown or shrunk, which may move it to the other budget."""
        if before:
            self._budget(before).add(network, -before)
        if after:
            self._budget(after).add(network, after)

    def _budget(self, size: int) -> ByteBudget:
        return self._small if size <= SMALL else self._large


class _MinimumRate:
    """Extends the timeout of a large body while it arrives at the minimum rate."""

    def __init__(self, arrival: _Arrival, max_seconds: float):
        self._loop = asyncio.get_running_loop()
        self._arrival = arrival
        self._end = self._loop.time() + max_seconds
        self._next = 0

    def count(self, size: int) -> None:
        if size >= self._next:
            self._next = size + STEP_BYTES
            self._arrival.deadline = min(self._loop.time() + STEP_SECONDS, self._end)


def too_large(max_bytes: int) -> errors.TooLarge:
    return errors.TooLarge(
        gettext("A body can be at most %(max)s MiB, and a file at most 10 MiB where an action takes one.", max=max_bytes // MIB)
    )


def _too_many() -> errors.Overloaded:
    return errors.Overloaded("body", gettext("Too many large requests are arriving. Try again in a few seconds."))


def _incomplete() -> errors.BadRequest:
    return errors.BadRequest("The body ends before it is complete.")
