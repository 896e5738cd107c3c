"""Request bodies: the memory that a process and a network may hold, and the minimum rate of a large one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from kalends import errors
from kalends.http.serving.request_bodies import SMALL, STEP_BYTES, STEP_SECONDS, RequestBodies
from tests import loops

MIB = 1024 * 1024
LARGEST = 10 * MIB


async def chunks(*contents: bytes, then: Awaitable[object] | None = None) -> AsyncIterator[bytes]:
    """What Granian hands on of a body; with `then`, its end is not in sight."""
    for chunk in contents:
        yield chunk
    if then:
        await then
    yield b""


class Arriving:
    """Request bodies of which all but the end has arrived."""

    def __init__(self) -> None:
        self.bodies = RequestBodies(timeout=600)
        self._end = asyncio.Event()
        self._tasks: list[asyncio.Task[bytes]] = []

    async def begin(self, size: int, network: str) -> None:
        body = self.bodies.read(chunks(bytes(size), then=self._end.wait()), LARGEST, network)
        self._tasks.append(asyncio.create_task(body))
        await asyncio.sleep(0)

    async def whole(self, size: int, network: str) -> int:
        body = await self.bodies.read(chunks(bytes(size)), LARGEST, network)
        self.bodies.release(network, body)
        return len(body)

    async def end(self) -> None:
        self._end.set()
        for network, task in enumerate(self._tasks):
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
                await arriving.bodies.read(chunks(bytes(LARGEST), b"x"), LARGEST, "network")
            with pytest.raises(errors.BadRequest):
                await arriving.bodies.read(chunks(bytes(LARGEST), b""), LARGEST, "network")
        assert await arriving.whole(LARGEST, "network") == LARGEST

    run(story)


def test_a_large_body_has_a_deadline_that_moves_on_as_it_arrives() -> None:
    async def story(arriving: Arriving) -> None:
        deadlines: list[float] = []

        async def watched() -> AsyncIterator[bytes]:
            (timeout,) = arriving.bodies._reading
            for size in (SMALL, 1, STEP_BYTES - 1, 1, STEP_BYTES):
                yield bytes(size)
                deadlines.append(timeout.when() or 0)
            yield b""

        now = asyncio.get_running_loop().time()
        await arriving.bodies.read(watched(), LARGEST, "network")
        small, large, still, moved, again = deadlines
        assert small >= now + 600
        assert now + STEP_SECONDS <= large < now + 600
        assert large == still < moved < again

    run(story)
