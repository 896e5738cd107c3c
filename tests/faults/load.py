"""An open-loop load generator: it offers requests at a rate, whether or not there are replies."""

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
# How long replies to the last requests are waited for.
DRAIN_SECONDS = 10


class Results(Struct):
    """The durations of the replies by status, the requests without a free connection, and the broken connections."""

    seconds: float
    durations: dict[int, list[float]]
    not_sent: int = 0
    broken: int = 0

    def rate(self, status: int | None = None) -> float:
        """Replies a second."""
        return sum(len(seconds_taken) for each, seconds_taken in self.durations.items() if status in (None, each)) / self.seconds

    def milliseconds(self, status: int, share: float) -> float:
        return percentile(self.durations[status], share) * 1000 if self.durations.get(status) else 0.0


def encode_request(method: str, path: str, token: str, body: str = "") -> bytes:
    """An HTTP/1.1 request; without a token, that of a guest."""
    lines = [f"{method} {path} HTTP/1.1", "Host: calendar"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def offer(port: int, request: bytes, seconds: float, connections: int, rate: float | None = None) -> Results:
    """Send requests for this long on these connections: at this rate or, without one, as soon as a reply arrives."""
    allow_files(connections + 500)
    return uvloop.run(_offer(port, request, seconds, connections, rate))


def allow_files(number: int) -> None:
    """Raise the limit of open files, which counts connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number and (hard == resource.RLIM_INFINITY or hard >= number):
        resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))


async def _offer(port: int, request: bytes, seconds: float, connections: int, rate: float | None) -> Results:
    loop = asyncio.get_running_loop()
    clients = _Clients(port, request, Results(seconds, {}))
    for _ in range(connections):
        await clients.connect()
    began, sent_count = loop.time(), 0
    clients.resends = rate is None
    while (now := loop.time()) < began + seconds:
        due = len(clients.idle) if rate is None else int((now - began) * rate) - sent_count
        for _ in range(due):
            clients.send()
        sent_count += due
        await asyncio.sleep(TICK)
    clients.resends = False
    clients.is_over = True
    while clients.busy and loop.time() < began + seconds + DRAIN_SECONDS:
        await asyncio.sleep(TICK)
    clients.close()
    return clients.results


class _Clients:
    """All clients."""

    def __init__(self, port: int, request: bytes, results: Results):
        self.port = port
        self.request = request
        self.results = results
        self.idle: deque[_Client] = deque()
        self.busy: set[_Client] = set()
        self.resends = False
        self.is_over = False
        self._connecting: set[asyncio.Task[None]] = set()

    async def connect(self) -> None:
        try:
            _, client = await asyncio.get_running_loop().create_connection(lambda: _Client(self), "127.0.0.1", self.port)
        except OSError:
            self.results.broken += 1
            return
        self.idle.append(client)

    def send(self) -> None:
        if self.idle:
            client = self.idle.popleft()
            self.busy.add(client)
            client.send(self.request)
        else:
            self.results.not_sent += 1

    def replied(self, client: "_Client", status: int, seconds_taken: float) -> None:
        self.busy.discard(client)
        self.results.durations.setdefault(status, []).append(seconds_taken)
        if client.is_closed:
            return
        self.idle.append(client)
        if self.resends:
            self.send()

    def lost(self, client: "_Client") -> None:
        if client in self.busy:
            self.busy.discard(client)
            self.results.broken += 1
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
    """One connection, with one request at a time."""

    def __init__(self, clients: _Clients):
        self._clients = clients
        self._buffer = bytearray()
        self._sent_at = 0.0
        self.is_closed = False
        self.close: Callable[[], None] = lambda: None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self.close = transport.close

    def send(self, request: bytes) -> None:
        self._sent_at = perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = bytes(self._buffer).partition(b"\r\n\r\n")
        if not end:
            return
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if len(body) >= int(length or 0):
            self._buffer.clear()
            self.is_closed = b"connection: close" in head.lower()
            self._clients.replied(self, int(head[9:12]), perf_counter() - self._sent_at)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_closed = True
        self._clients.lost(self)
