"""A service with timeouts short enough to wait for in a test, and limits small enough to reach."""

from pathlib import Path
from typing import Any

from kalends.http.serving import edge, followers, granian, large_responses, request_bodies, request_queue, thread_pool
from tests.serve.prepared import Prepared


class Hasty(Prepared):
    """A service with short timeouts."""

    def __init__(self, folder: Path, **settings: Any):
        super().__init__(folder, "--no-work", rate_limits="off", **settings)

    @staticmethod
    def prepare() -> None:
        Prepared.prepare()
        followers.SLOW_SECONDS = 1
        followers.UNREAD_BYTES = 8 * 1024
        granian.HEADER_TIMEOUT = 1
        granian.USER_TIMEOUT = 1
        large_responses.STEP_SECONDS = vars(edge)["STEP_SECONDS"] = 1
        large_responses.EVICT_AFTER_SECONDS = 1
        large_responses.UNREAD_LIMIT = 4 * 1024 * 1024
        thread_pool.QUEUE_SECONDS = vars(request_queue)["QUEUE_SECONDS"] = 1
        request_bodies.STEP_SECONDS = 1
        request_bodies.STOP_SECONDS = edge.LAST_READ_SECONDS = 1
