"""Overload: beyond the threads and the queue a request is refused at once and does not wait."""

import time
from concurrent.futures import ThreadPoolExecutor

from tests.client import Reply
from tests.serve.conftest import Start


def test_a_request_beyond_the_queue_is_503_at_once(start: Start) -> None:
    service = start(threads=1, queue=1)
    service.sign_up("alice")

    def sign_in(_: int) -> tuple[Reply, float]:
        began = time.monotonic()
        return service.sign_in("alice"), time.monotonic() - began

    with ThreadPoolExecutor(16) as clients:
        replies = list(clients.map(sign_in, range(16)))
    refused = [(reply, seconds) for reply, seconds in replies if reply.status == 503]
    served = [reply for reply, _ in replies if reply.status == 201]
    assert len(served) >= 2
    assert len(refused) >= 1
    assert len(served) + len(refused) == 16
    assert all(int(reply.headers["Retry-After"]) >= 1 for reply, _ in refused)
    assert all(reply.headers["Content-Security-Policy"].startswith("default-src 'none'") for reply, _ in refused)
    assert min(seconds for _, seconds in refused) < 1
    assert service.sign_in("alice").status == 201
    logged = [line["status"] for line in service.log if line.get("endpoint") == "POST -"]
    assert logged == [503] * len(refused)


def test_many_logins_at_once_take_little_memory(start: Start) -> None:
    """A password takes 64 MiB. There are eight threads, and two of them at most hash at the same time."""
    service = start()
    service.sign_up("alice")
    (server,) = service.servers
    with ThreadPoolExecutor(8) as clients:
        replies = list(clients.map(lambda _: service.sign_in("alice"), range(8)))
    assert {reply.status for reply in replies} == {201}
    assert _most_memory(server) < 384


def _most_memory(pid: int) -> int:
    """The most that the process ever held, in MiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
