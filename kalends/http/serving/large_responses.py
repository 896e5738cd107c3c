"""Large HTTP responses: a client that reads slowly or not at all holds bounded memory for a bounded time.

Granian buffers a whole response until the client has read it, and does not report when that was. It streams files at the pace of the
client, so a large response is handed to it as a file, which is the reading end of a pipe."""

import asyncio
import os
from typing import Any

from kalends.core import errors

# The capacity of a pipe. A smaller response fits into the send buffer of the connection.
LARGE = 64 * 1024
# Bytes that all large responses of a process may buffer together, unless a single one is larger.
UNREAD_LIMIT = 128 * 1024 * 1024
# Timeout for the client to read the next part of a response.
STEP_SECONDS = 30
# At the limit, a response that has been sending for this long is aborted in favour of a new one.
EVICT_AFTER_SECONDS = 10

Headers = list[tuple[str, str]]


class LargeResponses:
    """The large responses that a process is sending."""

    def __init__(self) -> None:
        # By timeout, oldest first: the start time and the size.
        self._sending: dict[asyncio.Timeout, tuple[float, int]] = {}
        self._buffered_bytes = 0

    def reserve(self, size: int) -> None:
        """Abort the oldest responses until `size` bytes fit; raise Overloaded if they are too recent for that."""
        now = asyncio.get_running_loop().time()
        for timeout, (began, _) in list(self._sending.items()):
            if self._buffered_bytes + size <= UNREAD_LIMIT:
                return
            if now < began + EVICT_AFTER_SECONDS:
                raise errors.Overloaded("response", "Too many large responses are being sent. Try again shortly.", EVICT_AFTER_SECONDS)
            self._remove(timeout)
            if not timeout.expired():
                timeout.reschedule(now)

    def shorten_timeouts(self, seconds: float) -> None:
        """At a stop: abort the responses of which nothing is read for this long."""
        now = asyncio.get_running_loop().time()
        for timeout in self._sending:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or now, now + seconds))

    async def send(self, proto: Any, status: int, headers: Headers, content: bytes, step_timeout: float = STEP_SECONDS) -> None:
        """Send the response; return when Granian has all but the last part, or when the client has disconnected or timed out.

        After a timeout Granian closes the connection, since the content is shorter than its Content-Length.
        """
        loop = asyncio.get_running_loop()
        reader, writer = os.pipe()
        timeout = asyncio.timeout(step_timeout)
        self._sending[timeout] = loop.time(), len(content)
        self._buffered_bytes += len(content)
        try:
            os.set_blocking(writer, False)
            proto.response_file(status, headers, f"/dev/fd/{reader}")
            async with timeout:
                rest = _fill(writer, memoryview(content))
                while rest:
                    await _writable(writer)
                    if reader >= 0:
                        # Granian has opened the pipe, since something was read. Close our reading end, or EPIPE never reaches us.
                        os.close(reader)
                        reader = -1
                    rest = _fill(writer, rest)
                    if timeout in self._sending:
                        timeout.reschedule(loop.time() + step_timeout)
        except (TimeoutError, BrokenPipeError):
            pass
        finally:
            self._remove(timeout)
            os.close(writer)
            if reader >= 0:
                os.close(reader)

    def _remove(self, timeout: asyncio.Timeout) -> None:
        _, size = self._sending.pop(timeout, (0, 0))
        self._buffered_bytes -= size


def _fill(writer: int, content: memoryview) -> memoryview:
    """Write as much as the pipe accepts, and return the rest."""
    try:
        while content:
            content = content[os.write(writer, content) :]
    except BlockingIOError:
        pass
    return content


async def _writable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_writer(descriptor, _set_ready, ready)
    try:
        await ready
    finally:
        loop.remove_writer(descriptor)


def _set_ready(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
