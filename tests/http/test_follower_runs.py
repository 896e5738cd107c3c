"""Requests of followers that run in a few tasks."""

import asyncio

from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.serving.follower_runs import RUNS_OF_A_TASK, FollowerRuns
from tests import loops

TIMEOUT = 20


def test_a_request_that_comes_when_the_tasks_end_is_run() -> None:
    """Two tasks end at the same time; the followers of the first one run again as soon as they have their replies."""

    async def story() -> None:
        may_reply = asyncio.Event()

        async def run_all(requests: list[Request]) -> list[Reply]:
            await may_reply.wait()
            return [Reply(200, "", b"", {}) for _ in requests]

        runs = FollowerRuns(run_all)

        async def follow(times: int) -> None:
            for _ in range(times):
                await runs.run(Request("GET", "/"))

        followers = [asyncio.ensure_future(follow(2)) for _ in range(RUNS_OF_A_TASK)]
        followers.append(asyncio.ensure_future(follow(1)))
        # Both tasks have begun.
        for _ in range(3):
            await asyncio.sleep(0)
        may_reply.set()
        async with asyncio.timeout(TIMEOUT):
            await asyncio.gather(*followers)

    loops.run(story())
