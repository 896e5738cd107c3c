"""Request bodies: the memory that a process and a network may hold, and the minimum rate of a large one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from kalends.core import errors
from kalends.http.serving.request_bodies import SMALL, STEP_BYTES, STEP_SECONDS, TINY, RequestBodies
from tests import loops

MIB = 1024 * 1024
LARGEST = 10 * MIB


class Body:
    """A body as Granian passes it, in chunks or in one piece; with `then`, its end is not in sight."""

    def __init__(self, *contents: bytes, then: Awaitable[object] | None = None):
        self._contents = contents
        self._then = then

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._contents:
            yield chunk
        if self._then:
            await self._then
        yield b""

    async def __call__(self) -> bytes:
        return b"".join([chunk async for chunk in self])


class Arriving:
    """Request bodies of which all but the end has arrived."""

    def __init__(self) -> None:
        self.bodies = RequestBodies(timeout=600)
        self._end = asyncio.Event()
        self.tasks: list[asyncio.Task[bytes]] = []

    async def read(self, body: Any, length: int | None, network: str) -> bytes:
        return await self.bodies.read(body, length, LARGEST, network)

    async def begin(self, size: int, network: str) -> None:
        body = self.read(Body(bytes(size), then=self._end.wait()), None, network)
        self.tasks.append(asyncio.create_task(body))
        await asyncio.sleep(0)

    async def whole(self, size: int, network: str) -> int:
        body = await self.read(Body(bytes(size)), size, network)
        self.bodies.release(network, body)
        return len(body)

    async def end(self) -> None:
        self._end.set()
        for network, task in enumerate(self.tasks):
            self.bodies.release(f"network {network}", await task)


def run(story: Callable[[Arriving], Awaitable[None]]) -> None:
    async def report() -> None:
        await story(Arriving())

    loops.run(report())


def test_large_bodies_of_a_network_hold_up_neither_its_small_ones_nor_other_networks() -> None:
    async def story(arriving: Arriving) -> None:
        for _ in range(2):
            await arriving.begin(LARGEST - 1, "network 0")
        with pytest.raises(errors.Unavailable):
            await arriving.whole(MIB, "network 0")
        assert await arriving.whole(SMALL, "network 0") == SMALL
        assert await arriving.whole(LARGEST, "another") == LARGEST

    run(story)


def test_large_bodies_of_all_networks_hold_up_no_small_one() -> None:
    async def story(arriving: Arriving) -> None:
        for number in range(16):
            await arriving.begin(LARGEST - 1, f"network {number}")
        with pytest.raises(errors.Unavailable):
            await arriving.whole(MIB, "another")
        assert await arriving.whole(SMALL, "another") == SMALL
        await arriving.end()
        assert await arriving.whole(LARGEST, "another") == LARGEST

    run(story)


def test_small_bodies_of_one_network_are_bounded_too() -> None:
    async def story(arriving: Arriving) -> None:
        for _ in range(128):
            await arriving.begin(SMALL, "network 0")
        with pytest.raises(errors.Unavailable):
            await arriving.whole(SMALL, "network 0")
        assert await arriving.whole(SMALL, "another") == SMALL

    run(story)


def test_a_refused_or_broken_body_is_held_no_longer() -> None:
    async def story(arriving: Arriving) -> None:
        for _ in range(5):
            with pytest.raises(errors.TooLarge):
                await arriving.read(Body(bytes(LARGEST), b"x"), None, "network")
            with pytest.raises(errors.BadRequest):
                await arriving.read(Body(bytes(LARGEST), b""), None, "network")
        assert await arriving.whole(LARGEST, "network") == LARGEST

    run(story)


def test_a_large_body_has_a_deadline_that_moves_on_as_it_arrives() -> None:
    async def story(arriving: Arriving) -> None:
        deadlines: list[float] = []

        async def watched() -> AsyncIterator[bytes]:
            (arrival,) = arriving.bodies._arriving
            for size in (SMALL, 1, STEP_BYTES - 1, 1, STEP_BYTES):
                yield bytes(size)
                deadlines.append(arrival.deadline)
            yield b""

        now = asyncio.get_running_loop().time()
        await arriving.read(watched(), None, "network")
        small, large, still, moved, again = deadlines
        assert small >= now + 600
        assert now + STEP_SECONDS <= large < now + 600
        assert large == still < moved < again

    run(story)


def test_tiny_bodies_count_too_once_they_have_arrived() -> None:
    async def story(arriving: Arriving) -> None:
        held = [await arriving.read(Body(bytes(TINY)), TINY, "network") for _ in range(8 * MIB // TINY)]
        with pytest.raises(errors.Unavailable):
            await arriving.whole(TINY, "network")
        assert await arriving.whole(TINY, "another") == TINY
        arriving.bodies.release("network", held.pop())
        assert await arriving.whole(TINY, "network") == TINY

    run(story)


def test_a_tiny_body_that_is_cut_off_is_refused() -> None:
    async def story(arriving: Arriving) -> None:
        for length in (0, 9, 11):
            with pytest.raises(errors.BadRequest):
                await arriving.read(Body(bytes(10)), length, "network")

    run(story)


@pytest.mark.parametrize("length", [10, None])
def test_a_body_that_does_not_end_is_refused_after_its_timeout(length: int | None) -> None:
    async def story(arriving: Arriving) -> None:
        arriving.bodies = RequestBodies(timeout=0.01)
        arriving.bodies.start(asyncio.get_running_loop())
        with pytest.raises(errors.TooSlow):
            await arriving.read(Body(bytes(9), then=asyncio.Event().wait()), length, "network")
        # The task that read it goes on.
        await asyncio.sleep(0)
        assert await arriving.whole(10, "network") == 10

    run(story)


def test_a_request_that_is_cancelled_is_not_too_slow() -> None:
    async def story(arriving: Arriving) -> None:
        await arriving.begin(10, "network")
        arriving.tasks[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await arriving.tasks[0]

    run(story)
