"""Large answers on their way to the client: one who reads slowly or not at all holds bounded memory, for a bounded time.

Granian takes an answer whole and keeps it until it is read, and never says when that was. It reads files by and by, as the client
does; so a large answer is a file to it, which is a pipe."""

import asyncio
import os
from typing import Any

from kalends import errors

# What a pipe holds. A smaller answer fits into what the kernel keeps for each connection.
LARGE = 64 * 1024
# What all large answers of a process may hold together, unless one alone is larger.
UNREAD_LIMIT = 128 * 1024 * 1024
# For how long the next part of an answer may go unread.
STEP_SECONDS = 30
# When there is no room, whoever has had this long makes way.
ENOUGH_SECONDS = 10

Headers = list[tuple[str, str]]


class LargeResponses:
    """The large answers that a process is sending."""

    def __init__(self) -> None:
        # The oldest comes first: when it began, and how much it holds.
        self._sending: dict[asyncio.Timeout, tuple[float, int]] = {}
        self._held = 0

    def make_room(self, size: int) -> None:
        """Raise Unavailable, if there is no room for an answer of so many bytes and nobody to make way."""
        now = asyncio.get_running_loop().time()
        for timeout, (began, _) in list(self._sending.items()):
            if self._held + size <= UNREAD_LIMIT:
                return
            if now < began + ENOUGH_SECONDS:
                raise errors.Unavailable("Too many large answers are on their way. Try again shortly.", retry_after=ENOUGH_SECONDS)
            self._forget(timeout)
            if not timeout.expired():
                timeout.reschedule(now)

    def hurry(self, seconds: float) -> None:
        """The service stops: whoever reads nothing for so long is cut off."""
        now = asyncio.get_running_loop().time()
        for timeout in self._sending:
            if not timeout.expired():
                timeout.reschedule(min(timeout.when() or now, now + seconds))

    async def send(self, proto: Any, status: int, headers: Headers, content: bytes, patience: float = STEP_SECONDS) -> None:
        """Answer, and return when Granian has all but the last part, or the client is gone or was cut off: its connection breaks
        then, since the answer is shorter than its head says."""
        loop = asyncio.get_running_loop()
        reader, writer = os.pipe()
        timeout = asyncio.timeout(patience)
        self._sending[timeout] = loop.time(), len(content)
        self._held += len(content)
        try:
            os.set_blocking(writer, False)
            proto.response_file(status, headers, f"/dev/fd/{reader}")
            async with timeout:
                rest = _fill(writer, memoryview(content))
                while rest:
                    await _writable(writer)
                    if reader >= 0:
                        # Somebody has read, so Granian has opened it. Were ours still open, nobody would hear that Granian's is closed.
                        os.close(reader)
                        reader = -1
                    rest = _fill(writer, rest)
                    if timeout in self._sending:
                        timeout.reschedule(loop.time() + patience)
        except (TimeoutError, BrokenPipeError):
            pass
        finally:
            self._forget(timeout)
            os.close(writer)
            if reader >= 0:
                os.close(reader)

    def _forget(self, timeout: asyncio.Timeout) -> None:
        _, size = self._sending.pop(timeout, (0, 0))
        self._held -= size


def _fill(writer: int, content: memoryview) -> memoryview:
    """Write what the pipe takes, and answer the rest."""
    try:
        while content:
            content = content[os.write(writer, content) :]
    except BlockingIOError:
        pass
    return content


async def _writable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_writer(descriptor, _tell, ready)
    try:
        await ready
    finally:
        loop.remove_writer(descriptor)


def _tell(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)
