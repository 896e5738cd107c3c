"""Request bodies: limits on their size, on the time they take, and on the memory they hold in total and for each network."""

import asyncio
from collections.abc import AsyncIterable

from kalends import errors
from kalends.http.input.params import FRAMING, UPLOAD_LIMIT
from kalends.i18n import gettext

MIB = 1024 * 1024
# Nearly all bodies are smaller. They have their own budget, so that large bodies cannot keep people from signing in.
SMALL = 64 * 1024
# The minimum rate of a larger body, and the timeout of all of it as a multiple of the timeout of a small one.
STEP_BYTES, STEP_SECONDS = 5 * 1024, 5
LARGE_FACTOR = 10
# Timeout for bodies that are still arriving when the service stops.
STOP_SECONDS = 3


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


class RequestBodies:
    """The buffered bodies of a process: of requests that are arriving, queued or running."""

    def __init__(self, timeout: float):
        self._timeout = timeout
        self._small = ByteBudget(128 * MIB, 8 * MIB)
        # Two uploads of the largest size from one network.
        self._large = ByteBudget(160 * MIB, 2 * (UPLOAD_LIMIT + FRAMING))
        self._reading: set[asyncio.Timeout] = set()
        self._is_stopping = False

    async def read(self, chunks: AsyncIterable[bytes], max_bytes: int, network: str) -> bytes:
        """Read the whole body. It counts against the budget until `release`."""
        seconds = min(self._timeout, STOP_SECONDS) if self._is_stopping else self._timeout
        timeout = asyncio.timeout(seconds)
        self._reading.add(timeout)
        try:
            async with timeout:
                return await self._collect(chunks, max_bytes, network, timeout)
        except TimeoutError:
            raise errors.TooSlow(
                f"Send a body of up to {SMALL // 1024} KiB within {seconds} seconds, and a larger one without a pause."
            ) from None
        finally:
            self._reading.discard(timeout)

    def release(self, network: str, body: bytes) -> None:
        self._resize(network, len(body), 0)

    def shorten_timeouts(self) -> None:
        """At a stop: wait only STOP_SECONDS for the bodies that are still arriving."""
        self._is_stopping = True
        end = asyncio.get_running_loop().time() + STOP_SECONDS
        for timeout in self._reading:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or end, end))

    async def _collect(self, chunks: AsyncIterable[bytes], max_bytes: int, network: str, timeout: asyncio.Timeout) -> bytes:
        rate = _MinimumRate(timeout, self._timeout * LARGE_FACTOR)
        body = bytearray()
        empty_chunks = 0
        try:
            async for chunk in chunks:
                if not chunk:
                    empty_chunks += 1
                    continue
                body += chunk
                self._resize(network, len(body) - len(chunk), len(body))
                if len(body) > max_bytes:
                    raise too_large(max_bytes)
                if self._budget(len(body)).is_exceeded(network):
                    raise errors.Overloaded("body", gettext("Too many large requests are arriving. Try again shortly."))
                if len(body) > SMALL and not self._is_stopping:
                    rate.count(len(body))
            # Granian ends a body with one empty chunk. A body that was cut off, or whose chunked encoding is broken, has two.
            if empty_chunks != 1:
                raise errors.BadRequest("The body ends before it is complete.")
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

    def __init__(self, timeout: asyncio.Timeout, max_seconds: float):
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = self._loop.time() + max_seconds
        self._next = 0

    def count(self, size: int) -> None:
        if size >= self._next and not self._timeout.expired():
            self._next = size + STEP_BYTES
            self._timeout.reschedule(min(self._loop.time() + STEP_SECONDS, self._end))


def too_large(max_bytes: int) -> errors.TooLarge:
    return errors.TooLarge(
        gettext("A body may have at most %(max)s MiB, and a file 10 MiB where an action takes one.", max=max_bytes // MIB)
    )
