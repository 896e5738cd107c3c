"""Request bodies on their way in: bounded in size, in time, and in the memory that all of them and those of one network hold."""

import asyncio
from collections.abc import AsyncIterable

from kalends import errors
from kalends.http.input.request import FRAMING, UPLOAD_LIMIT

MIB = 1024 * 1024
# Nearly all requests are smaller. They have a budget of their own, so that large bodies keep nobody from signing in.
SMALL = 64 * 1024
# Of a larger body, this much must arrive in each time span; and the whole in so many times the timeout of a small one.
STEP_BYTES, STEP_SECONDS = 5 * 1024, 5
LARGE_FACTOR = 10
# How long a stop waits for bodies that are still arriving.
STOP_SECONDS = 3


class Budget:
    """Bytes that may be held at once: by all requests, and by those of one network."""

    def __init__(self, total: int, each: int):
        self._total = total
        self._each = each
        self._held = 0
        self._by_network: dict[str, int] = {}

    def add(self, network: str, size: int) -> None:
        held = self._by_network.get(network, 0) + size
        self._held += size
        if held:
            self._by_network[network] = held
        else:
            self._by_network.pop(network, None)

    def is_exceeded(self, network: str) -> bool:
        return self._held > self._total or self._by_network.get(network, 0) > self._each


class Bodies:
    """The bodies that a process holds: those which arrive, and those of requests that run."""

    def __init__(self, timeout: float):
        self._timeout = timeout
        self._small = Budget(128 * MIB, 8 * MIB)
        # Two uploads of the largest size from one network.
        self._large = Budget(160 * MIB, 2 * (UPLOAD_LIMIT + FRAMING))
        self._reading: set[asyncio.Timeout] = set()
        self._stops = False

    async def read(self, chunks: AsyncIterable[bytes], most: int, network: str) -> bytes:
        """The whole body, of at most so many bytes. It counts as held until it is released."""
        seconds = min(self._timeout, STOP_SECONDS) if self._stops else self._timeout
        timeout = asyncio.timeout(seconds)
        self._reading.add(timeout)
        try:
            async with timeout:
                return await self._collect(chunks, most, network, timeout)
        except TimeoutError:
            raise errors.TooSlow(
                f"Send a body of up to {SMALL // 1024} KiB within {seconds} seconds, and a larger one without a pause."
            ) from None
        finally:
            self._reading.discard(timeout)

    def release(self, network: str, body: bytes) -> None:
        self._hold(network, len(body), 0)

    def hurry(self) -> None:
        """The service stops: what has not arrived in a moment is not waited for."""
        self._stops = True
        end = asyncio.get_running_loop().time() + STOP_SECONDS
        for timeout in self._reading:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or end, end))

    async def _collect(self, chunks: AsyncIterable[bytes], most: int, network: str, timeout: asyncio.Timeout) -> bytes:
        pace = _Pace(timeout, self._timeout * LARGE_FACTOR)
        body = bytearray()
        ends = 0
        try:
            async for chunk in chunks:
                if not chunk:
                    ends += 1
                    continue
                body += chunk
                self._hold(network, len(body) - len(chunk), len(body))
                if len(body) > most:
                    raise too_large(most)
                if self._budget(len(body)).is_exceeded(network):
                    raise errors.Unavailable("Too many large requests are arriving. Try again shortly.")
                if len(body) > SMALL and not self._stops:
                    pace.count(len(body))
            # An empty chunk ends a body. One that breaks off, in the middle or in its chunked form, has another before that.
            if ends != 1:
                raise errors.BadRequest("The body ends before it is complete.")
        except BaseException:
            self._hold(network, len(body), 0)
            raise
        return bytes(body)

    def _hold(self, network: str, before: int, after: int) -> None:
        """A body that was so long is that long now."""
        if before:
            self._budget(before).add(network, -before)
        if after:
            self._budget(after).add(network, after)

    def _budget(self, size: int) -> Budget:
        return self._small if size <= SMALL else self._large


class _Pace:
    """Puts off the timeout of a large body for as long as it arrives fast enough."""

    def __init__(self, timeout: asyncio.Timeout, most_seconds: float):
        self._loop = asyncio.get_running_loop()
        self._timeout = timeout
        self._end = self._loop.time() + most_seconds
        self._next = 0

    def count(self, size: int) -> None:
        if size >= self._next and not self._timeout.expired():
            self._next = size + STEP_BYTES
            self._timeout.reschedule(min(self._loop.time() + STEP_SECONDS, self._end))


def too_large(most: int) -> errors.TooLarge:
    return errors.TooLarge(f"A body may have at most {most // MIB} MiB, and a file 10 MiB where an action takes one.")
