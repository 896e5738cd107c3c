"""A stop loses no request: SIGTERM and Ctrl-C finish what is in flight, and leave no process behind."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.serve.conftest import Start
from tests.serve.hasty import Hasty
from tests.serve.prepared import SlowLogins
from tests.serve.running import Running, ask, eventually, living

# It runs on a thread and reads the database.
PATH = "/api/events?limit=1"
REQUEST = f"GET {PATH} HTTP/1.1\r\nHost: calendar\r\nConnection: close\r\n\r\n".encode()


class Load:
    """Clients that send requests without pause, or with pauses, until nobody listens any more; `lost` has each request without a whole
    reply."""

    def __init__(self, service: Running):
        self.service = service
        self.reply_count = 0
        self.lost: list[str] = []
        self.stopped_at = float("inf")
        self.pause_seconds = 0.0
        self._threads = [threading.Thread(target=client) for client in [self._new_connections, self._keep_alive] * 4]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        eventually(lambda: self.reply_count > 100)
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join()

    def _new_connections(self) -> None:
        while True:
            try:
                reply = fetch(self.service.port)
            except ConnectionRefusedError:
                return
            except OSError as error:
                self.lost.append(f"on a new connection: {error!r}")
                continue
            self._count(reply.startswith(b"HTTP/1.1 200") and reply.endswith(b"}"), str(reply))

    def _keep_alive(self) -> None:
        connection = self.service.connection()
        while True:
            sent_at = time.monotonic()
            try:
                self._count(ask(connection, "GET", PATH).status == 200, "a wrong status")
            except ConnectionRefusedError:
                return
            except (OSError, HTTPException) as error:
                # A connection may close between two requests, and a client that sends a request at that moment must send it again.
                if sent_at < self.stopped_at:
                    self.lost.append(f"on a connection that was open: {error!r}")
                connection.close()

    def _count(self, whole: bool, reply: str) -> None:
        if whole:
            self.reply_count += 1
        else:
            self.lost.append(reply)
        time.sleep(self.pause_seconds)


def fetch(port: int, then: Callable[[], object] = lambda: None) -> bytes:
    """The whole reply over a new connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(REQUEST)
        then()
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("database", "number", "workers"),
    [
        ("sqlite", signal.SIGTERM, 2),
        pytest.param("postgres", signal.SIGTERM, 2, marks=pytest.mark.soak),
        ("sqlite", signal.SIGINT, 1),
        pytest.param("sqlite", signal.SIGHUP, 1, marks=pytest.mark.soak),
    ],
    ids=["SIGTERM", "SIGTERM-postgres", "SIGINT", "SIGHUP"],
    indirect=["database"],
)
def test_a_stop_under_load_loses_no_request_and_leaves_no_process(start: Start, database: str, number: int, workers: int) -> None:
    service = start("--workers", str(workers), work=True, database=database, access_log="off", rate_limits="off")
    family = [service.process.pid, *service.children]
    assert len(family) == 2 + workers
    with Load(service) as load:
        load.stopped_at = time.monotonic()
        status = service.stop(number)
    assert load.lost == []
    assert status == 0
    assert living(family) == set()


def test_a_stop_of_all_processes_at_once_loses_no_request_either(start: Start) -> None:
    """So service managers stop a service."""
    service = start("--workers", "2", work=True, access_log="off", rate_limits="off")
    family = [*service.children, service.process.pid]
    with Load(service) as load:
        load.stopped_at = time.monotonic()
        for pid in family:
            os.kill(pid, signal.SIGTERM)
        status = service.process.wait(20)
    assert load.lost == []
    assert status == 0
    assert living(family) == set()


def test_slow_requests_that_were_sent_before_the_stop_get_replies(tmp_path: Path) -> None:
    """They are slow without work: real hashes have a low priority, and on a busy machine a login that waits for a thread gets 503."""
    service = SlowLogins(tmp_path, "--no-work").ready()
    names = ["alice", "alice", "bob", "bob"]
    for name in sorted(set(names)):
        service.sign_up(name)
    connections = [service.connection() for _ in names]
    for connection, name in zip(connections, names, strict=True):
        body = f'{{"user_name": "{name}", "password": "correct horse battery"}}'
        connection.request("POST", "/api/session", body, {"Content-Type": "application/json"})
    service.process.send_signal(signal.SIGTERM)
    replies = [connection.getresponse() for connection in connections]
    assert [reply.status for reply in replies] == [201] * 4
    assert {reply.getheader("Connection") for reply in replies} == {"close"}
    assert all(reply.read().endswith(b"}") for reply in replies)
    assert service.stop() == 0


def test_connections_not_yet_accepted_at_the_stop_get_replies(start: Start) -> None:
    """They wait in the kernel's queue, which a closed socket would discard."""
    service = start()
    (server,) = service.servers
    os.kill(server, signal.SIGSTOP)
    all_sent = threading.Barrier(9)
    replies: list[bytes] = []
    clients = [threading.Thread(target=lambda: replies.append(fetch(service.port, then=all_sent.wait))) for _ in range(8)]
    for client in clients:
        client.start()
    all_sent.wait()
    service.process.send_signal(signal.SIGTERM)
    eventually(lambda: not _accepts(service.port))
    os.kill(server, signal.SIGCONT)
    for client in clients:
        client.join()
    assert [reply[:12] for reply in replies] == [b"HTTP/1.1 200"] * 8
    assert service.stop() == 0


def test_a_process_that_is_still_starting_at_the_stop_serves_the_connections_in_its_queue(start: Start) -> None:
    service = start()
    (first,) = service.servers
    os.kill(first, signal.SIGKILL)
    (successor,) = eventually(lambda: set(service.servers) - {first})
    os.kill(successor, signal.SIGSTOP)
    sent = threading.Event()
    replies: list[bytes] = []
    client = threading.Thread(target=lambda: replies.append(fetch(service.port, then=sent.set)))
    client.start()
    sent.wait()
    service.process.send_signal(signal.SIGTERM)
    eventually(lambda: not _accepts(service.port))
    os.kill(successor, signal.SIGCONT)
    client.join()
    assert [reply[:12] for reply in replies] == [b"HTTP/1.1 200"]
    assert service.stop() == 0


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=0.1).close()
    except TimeoutError:
        return False
    return True


def test_a_stop_awaits_a_body_in_transit_and_serves_other_requests(start: Start) -> None:
    service = start()
    open_before = service.connection()
    assert ask(open_before, "GET", "/healthz").status == 200
    slow = service.connection()
    slow.putrequest("POST", "/api/session")
    slow.putheader("Content-Type", "application/json")
    slow.putheader("Content-Length", "2")
    slow.endheaders(b"{")
    assert service.get("/healthz").status == 200
    service.process.send_signal(signal.SIGTERM)
    eventually(lambda: not _accepts(service.port))
    beside = ask(open_before, "GET", "/healthz")
    assert (beside.status, beside.headers["Connection"]) == (200, "close")
    slow.send(b"}")
    reply = slow.getresponse()
    assert (reply.status, reply.getheader("Connection")) == (422, "close")
    assert service.stop() == 0


def test_a_stop_does_not_wait_for_a_body_that_trickles(tmp_path: Path) -> None:
    """It would take ten minutes to arrive."""
    service = Hasty(tmp_path, body_timeout=600).ready()
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(b"POST /api/session HTTP/1.1\r\nHost: calendar\r\nContent-Length: 100\r\n\r\n{")
        service.get("/healthz")
        assert service.stop() == 0
        assert connection.recv(65536).startswith(b"HTTP/1.1 408")


def test_a_server_that_drains_serves_new_connections_and_is_not_ready(start: Start) -> None:
    service = start("--workers", "2", drain=3, access_log="off", rate_limits="off")
    with Load(service) as load:
        service.process.send_signal(signal.SIGTERM)
        eventually(lambda: service.get("/readyz").status == 503)
        load.stopped_at = time.monotonic()
        served = load.reply_count
        eventually(lambda: load.reply_count > served + 100)
        # Each of the processes learns of the stop by itself.
        eventually(lambda: service.get("/healthz").headers["Connection"] == "close")
        # Nothing else is seen until the end, for which both cores would be busy.
        load.pause_seconds = 0.05
        assert service.stop() == 0
    assert load.lost == []


def test_a_stop_at_once_after_the_start_ends_everything(start: Start) -> None:
    service = start(work=True, ready=False)
    family = eventually(lambda: service.servers and [service.process.pid, *service.children])
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(10) == 0
    assert living(family) == set()
