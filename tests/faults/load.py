"""A load generator that offers requests at a rate, whether or not they are answered."""

import asyncio
import resource
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any

import uvloop
from msgspec import Struct

from tests.faults.row import percentile

TICK = 0.002
# For how long what is on its way may still be answered.
LAST_SECONDS = 10


class Heard(Struct):
    """What the clients heard: for each status, how long each answer took; and what could not be asked."""

    seconds: float
    answers: dict[int, list[float]]
    unasked: int = 0
    broken: int = 0

    def rate(self, status: int | None = None) -> float:
        """Answers a second."""
        return sum(len(taken) for each, taken in self.answers.items() if status in (None, each)) / self.seconds

    def milliseconds(self, status: int, share: float) -> float:
        return percentile(self.answers[status], share) * 1000 if self.answers.get(status) else 0.0


def written(method: str, path: str, token: str, body: str = "") -> bytes:
    """A request as it goes over the line."""
    lines = [f"{method} {path} HTTP/1.1", "Host: calendar", f"Authorization: Bearer {token}"]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def offer(port: int, request: bytes, seconds: float, connections: int, rate: float | None = None) -> Heard:
    """Ask for so long on so many connections: so often a second or, without a rate, again as soon as there was an answer."""
    allow_files(connections + 500)
    return uvloop.run(_offer(port, request, seconds, connections, rate))


def allow_files(number: int) -> None:
    """A connection is a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number and (hard == resource.RLIM_INFINITY or hard >= number):
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))


async def _offer(port: int, request: bytes, seconds: float, connections: int, rate: float | None) -> Heard:
    loop = asyncio.get_running_loop()
    crowd = _Crowd(port, request, Heard(seconds, {}))
    for _ in range(connections):
        await crowd.connect()
    began, asked = loop.time(), 0
    crowd.asks_again = rate is None
    while (now := loop.time()) < began + seconds:
        due = len(crowd.idle) if rate is None else int((now - began) * rate) - asked
        for _ in range(due):
            crowd.ask()
        asked += due
        await asyncio.sleep(TICK)
    crowd.asks_again = False
    crowd.is_over = True
    while crowd.busy and loop.time() < began + seconds + LAST_SECONDS:
        await asyncio.sleep(TICK)
    crowd.close()
    return crowd.heard


class _Crowd:
    """All clients."""

    def __init__(self, port: int, request: bytes, heard: Heard):
        self.port = port
        self.request = request
        self.heard = heard
        self.idle: deque[_Client] = deque()
        self.busy: set[_Client] = set()
        self.asks_again = False
        self.is_over = False
        self._connecting: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        try:
            _, client = await asyncio.get_running_loop().create_connection(lambda: _Client(self), "127.0.0.1", self.port)
        except OSError:
            self.heard.broken += 1
            return
        self.idle.append(client)

    def ask(self) -> None:
        if self.idle:
            client = self.idle.popleft()
            self.busy.add(client)
            client.ask(self.request)
        else:
            self.heard.unasked += 1

    def answered(self, client: "_Client", status: int, taken: float) -> None:
        self.busy.discard(client)
        self.heard.answers.setdefault(status, []).append(taken)
        if client.is_closed:
            return
        self.idle.append(client)
        if self.asks_again:
            self.ask()

    def lost(self, client: "_Client") -> None:
        if client in self.busy:
            self.busy.discard(client)
            self.heard.broken += 1
        elif client in self.idle:
            self.idle.remove(client)
        if not self.is_over:
            task = asyncio.get_running_loop().create_task(self.connect())
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)

    def close(self) -> None:
        self.is_over = True
        for client in [*self.idle, *self.busy]:
            client.close()


class _Client(asyncio.Protocol):
    """One connection, with one question at a time."""

    def __init__(self, crowd: _Crowd):
        self._crowd = crowd
        self._heard = bytearray()
        self._asked_at = 0.0
        self.is_closed = False
        self.close: Callable[[], None] = lambda: None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self.close = transport.close

    def ask(self, request: bytes) -> None:
        self._asked_at = perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, end, body = bytes(self._heard).partition(b"\r\n\r\n")
        if not end:
            return
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if len(body) >= int(length or 0):
            self._heard.clear()
            self.is_closed = b"connection: close" in head.lower()
            self._crowd.answered(self, int(head[9:12]), perf_counter() - self._asked_at)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_closed = True
        self._crowd.lost(self)
