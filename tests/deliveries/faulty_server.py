"""A mail server that fails in every documented way, at each step of the conversation, as often as it is told to."""

import asyncio
import random
import re
import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

DROP, HANG, GARBAGE, LONG = "drop", "hang", "garbage", "long"
TROUBLES = (DROP, HANG, GARBAGE, LONG)
TEMPORARY = {
    "greeting": ("421",),
    "EHLO": ("421",),
    "MAIL": ("421", "450", "451", "452", "455"),
    "RCPT": ("421", "450", "451", "452", "455"),
    "DATA": ("421", "451"),
    "content": ("421", "450", "451", "452"),
}
PERMANENT = {
    "greeting": ("554",),
    "EHLO": ("550",),
    "MAIL": ("501", "550", "552", "553", "555"),
    "RCPT": ("550", "551", "552", "553", "554"),
    "DATA": ("503", "554"),
    "content": ("550", "552", "554"),
}
# What the server does with a message that it has accepted, instead of saying so.
SILENT = (DROP, HANG, GARBAGE)
# The server refuses further connections. Workers have more senders.
MAX_CONNECTIONS = 6
WELL = {"greeting": "220 mail.test", "EHLO": "250-mail.test\r\n250 SIZE 1000000", "DATA": "354 go on"}


class Fault(Struct, frozen=True):
    """What the server does at a step; `accepts`: it has accepted the message before."""

    step: str
    what: str
    accepts: bool = False


def every_fault() -> list[Fault]:
    """Each way to fail at each step, once."""
    faults = [Fault(step, what) for step in TEMPORARY for what in (*TEMPORARY[step], *PERMANENT[step], *TROUBLES)]
    return [*faults, *(Fault("content", what, accepts=True) for what in SILENT)]


class FaultyServer:
    """Fails this many times, in a random order, and works from then on."""

    def __init__(self, faults: int):
        self.faults: Counter[str] = Counter()
        self.received: list[tuple[str, str]] = []
        # Addresses whose message was accepted without a reply that reached the client: it sends the message again.
        self.unconfirmed: Counter[str] = Counter()
        # The texts of the permanent refusals.
        self.refusals: set[str] = set()
        self._chance = random.Random(7)
        ways = every_fault()
        planned = [ways[number % len(ways)] for number in range(faults)]
        self._chance.shuffle(planned)
        self._planned = {step: deque(fault for fault in planned if fault.step == step) for step in TEMPORARY}
        self._greylist: set[str] = set()
        self._open = 0

    @property
    def left(self) -> int:
        """The faults that are still to come."""
        return sum(map(len, self._planned.values()))

    def is_greylisted(self, address: str) -> bool:
        """Whether the address is seen for the first time; every third is."""
        is_new = int(re.sub(r"\D", "", address) or 1) % 3 == 0 and address not in self._greylist
        self._greylist.add(address)
        return is_new

    def next_fault(self, step: str) -> Fault | None:
        """Every second time, while there are any."""
        planned = self._planned[step]
        return planned.popleft() if planned and self._chance.random() < 0.5 else None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            await _Conversation(self, reader, writer, is_refused=self._open > MAX_CONNECTIONS).run()
        except (OSError, _Gone):
            pass
        finally:
            self._open -= 1
            writer.transport.abort()


class _Gone(Exception):
    """The conversation is over."""


class _Conversation:
    def __init__(self, server: FaultyServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_refused: bool):
        self._server, self._reader, self._writer, self._is_refused = server, reader, writer, is_refused
        self._address = ""

    async def run(self) -> None:
        if self._is_refused:
            self._server.faults["too many connections"] += 1
            await self._write("421 4.7.0 Too many connections")
            return
        await self._reply("greeting")
        while line := await self._reader.readline():
            verb = line.decode().split()[0].upper()
            if verb == "QUIT":
                return
            if verb == "RCPT":
                self._address = line.decode().partition("<")[2].partition(">")[0]
                if self._server.is_greylisted(self._address):
                    self._server.faults["greylisting"] += 1
                    await self._write("450 4.2.0 Greylisted, come again")
                    continue
            if await self._reply(verb) and verb == "DATA":
                await self._take_content()

    async def _take_content(self) -> None:
        content = (await self._reader.readuntil(b"\r\n.\r\n")).decode()
        match = re.search(r"^Message-ID: (\S+)", content, re.MULTILINE | re.IGNORECASE)
        fault = self._server.next_fault("content")
        if fault is None or fault.accepts:
            self._server.received.append((self._address, match[1] if match else ""))
            # Until the client sends another command, it may not have read the reply.
            self._server.unconfirmed[self._address] += 1
        if not await self._fail(fault):
            await self._write("250 taken")
            if await self._peek():
                self._server.unconfirmed[self._address] -= 1

    async def _peek(self) -> bool:
        """Whether the client goes on; leaves what it sends in the buffer."""
        while not self._reader._buffer and not self._reader.at_eof():  # type: ignore[attr-defined]
            await self._reader._wait_for_data("peek")  # type: ignore[attr-defined]
        return bool(self._reader._buffer)  # type: ignore[attr-defined]

    async def _reply(self, step: str) -> bool:
        """Whether it was the reply that the client hopes for."""
        fault = self._server.next_fault(step) if step in TEMPORARY else None
        if await self._fail(fault):
            return False
        await self._write(WELL.get(step, "250 OK"))
        return True

    async def _fail(self, fault: Fault | None) -> bool:
        if fault is None:
            return False
        self._server.faults[f"{fault.what} at {fault.step}{', accepted' if fault.accepts else ''}"] += 1
        if fault.what == HANG:
            # Until the client closes the connection.
            while await self._reader.read(1_000):
                pass
        if fault.what in (DROP, HANG):
            raise _Gone
        if fault.what in (GARBAGE, LONG):
            await self._write("!$?#" if fault.what == GARBAGE else "2" * 20_000)
            return True
        text = f"Fault {self._server.faults.total()}"
        if fault.what in PERMANENT[fault.step]:
            self._server.refusals.add(text)
        await self._write(f"{fault.what} {text}")
        if fault.what == "421":
            raise _Gone
        return True

    async def _write(self, line: str) -> None:
        self._writer.write(f"{line}\r\n".encode())
        await self._writer.drain()


@contextmanager
def faulty_server(faults: int) -> Iterator[tuple[FaultyServer, int]]:
    """The server and its port."""
    loop = asyncio.new_event_loop()
    server = FaultyServer(faults)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    # Not run in this thread: once a test has used Playwright, the loop of that runs here for good.
    listener = asyncio.run_coroutine_threadsafe(asyncio.start_server(server.serve, "127.0.0.1", 0), loop).result(5)
    try:
        yield server, listener.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(listener.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
