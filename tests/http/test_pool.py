"""The pools for costly work: bounded, and fair to clients with few requests."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS, FEATURES
from kalends.core.errors import Unavailable
from kalends.http.request import Request
from kalends.http.serving import thread_pool as pools
from kalends.http.serving.edge import Application, pool_of
from kalends.http.serving.thread_pool import PoolSize, Share, ThreadPool
from tests import loops


class Busy:
    """A pool whose work goes on until the test lets it end, and the order in which it began."""

    def __init__(self, threads_per_client: int, queue_per_client: int, **size: int):
        self.pool = ThreadPool("test", PoolSize(**size, overload_message="Busy."))
        self._share = Share(threads_per_client, queue_per_client)
        self.began: list[str] = []
        self._may_end: dict[str, threading.Event] = {}

    def start(self, name: str, *clients: str, has_device: bool = False) -> "asyncio.Task[None]":
        self._may_end[name] = threading.Event()
        shares = dict.fromkeys(clients, self._share)
        return asyncio.ensure_future(self.pool.run(shares, partial(self._work, name), has_device=has_device))

    def _work(self, name: str) -> None:
        self.began.append(name)
        self._may_end[name].wait(20)

    async def end(self, name: str, task: "asyncio.Task[None]") -> None:
        await self.until(lambda: name in self.began)
        self._may_end[name].set()
        await task

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.001)


def run(story: Callable[[Busy], Awaitable[None]], **size: int) -> None:
    async def report() -> None:
        busy = Busy(**size)
        try:
            await story(busy)
        finally:
            busy.pool.shutdown()

    loops.run(report())


def test_only_endpoints_that_read_no_database_run_on_the_event_loop() -> None:
    on_event_loop = [each for each in ENDPOINTS if each.on_event_loop]
    assert [each.url for each in on_event_loop] == ["/healthz"]
    assert not any(each.transaction or each.credentials for each in on_event_loop)


def test_the_client_with_fewer_threads_is_next() -> None:
    async def story(busy: Busy) -> None:
        greedy = {name: busy.start(name, "greedy") for name in ("a", "b", "c", "d")}
        await busy.until(lambda: len(busy.began) == 2)
        modest = busy.start("modest", "modest")
        await asyncio.sleep(0)
        await busy.end("a", greedy["a"])
        await busy.until(lambda: len(busy.began) == 3)
        assert busy.began[2] == "modest"
        for name in "bcd":
            await busy.end(name, greedy[name])
        await busy.end("modest", modest)

    run(story, threads=2, queue=8, threads_per_client=2, queue_per_client=4)


def test_requests_beyond_a_clients_limit_are_refused_at_once() -> None:
    async def story(busy: Busy) -> None:
        first, second = busy.start("first", "greedy"), busy.start("second", "greedy")
        await busy.until(lambda: busy.began == ["first"])
        with pytest.raises(Unavailable) as refused:
            await busy.start("third", "greedy")
        assert refused.value.headers["Retry-After"] == "1"
        other = busy.start("other", "modest")
        await busy.until(lambda: busy.began == ["first", "other"])
        await busy.end("first", first)
        await busy.end("second", second)
        await busy.end("other", other)
        await busy.end("later", busy.start("later", "greedy"))

    run(story, threads=2, queue=8, threads_per_client=1, queue_per_client=1)


def test_work_counts_for_the_network_and_for_the_user() -> None:
    async def story(busy: Busy) -> None:
        first = busy.start("first", "network 1", "user 1")
        waiting = [busy.start("same user", "network 2", "user 1"), busy.start("same network", "network 1", "user 2")]
        other = busy.start("other", "network 3", "user 3")
        await busy.until(lambda: len(busy.began) == 2)
        assert busy.began == ["first", "other"]
        await busy.end("first", first)
        for name, task in zip(("same user", "same network"), waiting, strict=True):
            await busy.end(name, task)
        await busy.end("other", other)

    run(story, threads=4, queue=8, threads_per_client=1, queue_per_client=1)


def test_a_full_queue_refuses_every_client_at_once() -> None:
    async def story(busy: Busy) -> None:
        tasks = {name: busy.start(name, name) for name in ("running", "waiting")}
        await busy.until(lambda: busy.began == ["running"])
        with pytest.raises(Unavailable):
            await busy.start("refused", "refused")
        for name, task in tasks.items():
            await busy.end(name, task)

    run(story, threads=1, queue=1, threads_per_client=1, queue_per_client=1)


def test_in_a_full_queue_the_client_with_the_most_slots_makes_room() -> None:
    async def story(busy: Busy) -> None:
        greedy = {name: busy.start(name, "greedy") for name in ("running", "second", "third")}
        await busy.until(lambda: busy.began == ["running"] and busy.pool.waiting == 2)
        modest = busy.start("modest", "modest")
        with pytest.raises(Unavailable):
            await greedy["third"]
        with pytest.raises(Unavailable):
            await busy.start("other", "other")
        for name in ("running", "second"):
            await busy.end(name, greedy[name])
        await busy.end("modest", modest)

    run(story, threads=1, queue=2, threads_per_client=1, queue_per_client=2)


def test_known_devices_have_slots_of_their_own() -> None:
    async def story(busy: Busy) -> None:
        tasks = {name: busy.start(name, name) for name in ("running", "waiting")}
        await busy.until(lambda: busy.began == ["running"])
        tasks["known"] = busy.start("known", "known", has_device=True)
        await busy.until(lambda: busy.pool.waiting == 2)
        with pytest.raises(Unavailable):
            await busy.start("refused", "refused", has_device=True)
        for name, task in tasks.items():
            await busy.end(name, task)

    run(story, threads=1, queue=1, queue_of_devices=1, threads_per_client=1, queue_per_client=1)


def test_a_queued_request_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "QUEUE_SECONDS", 0.01)

    async def story(busy: Busy) -> None:
        running = busy.start("running", "a")
        with pytest.raises(Unavailable):
            await busy.start("waiting", "b")
        await busy.end("running", running)
        await busy.end("later", busy.start("later", "b"))
        assert "waiting" not in busy.began

    run(story, threads=1, queue=1, threads_per_client=1, queue_per_client=1)


def test_an_abandoned_request_leaves_the_queue() -> None:
    async def story(busy: Busy) -> None:
        running, waiting = busy.start("running", "a"), busy.start("waiting", "b")
        await busy.until(lambda: busy.began == ["running"])
        waiting.cancel()
        next_one = busy.start("next", "c")
        await asyncio.wait([waiting])
        await busy.end("running", running)
        await busy.end("next", next_one)
        await busy.end("last", busy.start("last", "b"))
        assert "waiting" not in busy.began

    run(story, threads=1, queue=2, threads_per_client=1, queue_per_client=1)


@pytest.mark.on_one_database
def test_every_spelling_of_a_path_leads_to_its_pool(app: tuple[Application, Any]) -> None:
    expected = {
        **{f"POST /api/session{ending}": "hash" for ending in ("", "/", ".json", ".json/")},
        "PUT /api/users/7": "hash",
        "POST /sign-in": "hash",
        "POST /reset/abc.def-1": "hash",
        "POST /api/contacts/import": "upload",
        "POST /calendars/7/import": "upload",
        "POST /api/events.json": "file",
        "POST /api/contacts": "file",
        "PUT /api/events/7": "",
        "POST /api/comments": "",
        "GET /api/session/current": "",
    }
    headers = {"content-type": "multipart/form-data; boundary=x"}
    requests = {line: Request(line.split()[0], line.split()[1], headers=headers) for line in expected}
    for request in requests.values():
        app[0].route(request)
    assert {line: pool_of(request) for line, request in requests.items()} == expected


def test_a_file_upload_requires_signing_in() -> None:
    """The edge refuses guests before it reads the file."""
    assert FEATURES
    takers = [endpoint for endpoint in ENDPOINTS if endpoint.takes_file]
    assert len(takers) >= 4
    assert [endpoint.url for endpoint in takers if endpoint.guests] == []
