"""Requests that wait for changes, sent to the edge as Granian sends them."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import structs

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.serving.edge import Edge
from tests import contract
from tests.client import Client, Scope, ScopeHeaders

# How long a test waits for what must happen. On PostgreSQL, followers wait for every transaction of the cluster that has begun to write,
# also in the databases of other test processes, which may migrate meanwhile.
TIMEOUT = 180
THREADS = 2


class Exchange:
    """A request and its reply: Granian's protocol object."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.content = b""
        self._leaves = asyncio.Event()

    def leave(self) -> None:
        """Disconnect."""
        self._leaves.set()

    async def client_disconnect(self) -> None:
        await self._leaves.wait()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.status, self.headers, self.content = status, dict(headers), content

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> "Exchange":
        self.status, self.headers = status, dict(headers)
        return self

    async def send_bytes(self, content: bytes) -> None:
        self.content += content

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The changes that the stream has sent."""
        return [json.loads(line[6:]) for line in self.content.decode().split("\n") if line.startswith("data: ")]

    async def until_event(self, op: str) -> None:
        """Wait until the last event is such a one; an event may come twice."""
        await until(lambda: bool(self.events) and self.events[-1]["op"] == op)

    async def until_events(self, count: int) -> None:
        try:
            await until(lambda: len(self.events) == count)
        except TimeoutError:
            raise AssertionError(self.content) from None

    @property
    def last_id(self) -> str:
        return [line[4:] for line in self.content.decode().split("\n") if line.startswith("id: ")][-1]


class Service:
    """The edge around the application. `runs` are the paths of the requests that it has run."""

    def __init__(self, app: Any, settings: Settings, db: Database):
        self.runs: list[str] = []
        self.after_run: Callable[[], object] | None = None
        self.route, self.identify = app.route, app.identify
        self._app = app
        self.edge = Edge(self, structs.replace(settings, threads=THREADS, queue=4, rate_limits="on"), db)

    def __call__(self, request: Any) -> Any:
        reply = self._app(request)
        contract.check(request, reply)
        self.runs.append(request.path)
        task, self.after_run = self.after_run, None
        if task:
            task()
        return reply

    @contextmanager
    def requesting(self, client: Client, path: str, **headers: str) -> Iterator[tuple[Exchange, "asyncio.Task[None]"]]:
        """Send a request, which is cancelled at the end if it still waits."""
        exchange = Exchange()
        fields = [("host", "testserver"), *((name.replace("_", "-"), value) for name, value in headers.items())]
        if client.token:
            fields.append(("authorization", f"Bearer {client.token}"))
        path, _, query = path.partition("?")
        scope: Any = Scope("GET", path, query, ScopeHeaders(fields), "127.0.0.1:4711")
        proto: Any = exchange
        task = asyncio.ensure_future(self.edge.__rsgi__(scope, proto))
        try:
            yield exchange, task
        finally:
            task.cancel()

    async def get(self, client: Client, path: str, **headers: str) -> Exchange:
        with self.requesting(client, path, **headers) as (exchange, task):
            await asyncio.wait_for(task, TIMEOUT)
        return exchange

    async def until_waiting(self, count: int = 1) -> None:
        await until(lambda: len(self.edge._followers._waiters) == count)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT):
        while not condition():
            await asyncio.sleep(0.005)
