"""Overload: beyond the threads and the queue a request is refused, unless there is room for it soon."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from select import select

import pytest

from tests import migrated
from tests.faults.postgres import Proxy
from tests.serve.conftest import Start
from tests.serve.prepared import SlowLogins
from tests.serve.running import TIMEOUT, Running, ask, bearer, eventually


@pytest.fixture
def slow_logins(tmp_path: Path) -> Iterator[Running]:
    service = SlowLogins(tmp_path, "--no-work", threads=1, queue=1)
    yield service.ready()
    service.end()


def test_a_login_beyond_its_queue_is_503_at_once(slow_logins: Running) -> None:
    service = slow_logins
    service.sign_up("alice")

    with ThreadPoolExecutor(16) as clients:
        # In the order in which the replies come.
        replies = [sign_in.result() for sign_in in as_completed([clients.submit(service.sign_in, "alice") for _ in range(16)])]
    refused = [reply for reply in replies if reply.status == 503]
    served = [reply for reply in replies if reply.status == 201]
    assert len(served) >= 2
    assert len(refused) >= 1
    assert len(served) + len(refused) == 16
    assert all(int(reply.headers["Retry-After"]) >= 1 for reply in refused)
    assert all(reply.headers["Content-Security-Policy"].startswith("default-src 'none'") for reply in refused)
    assert replies.index(refused[0]) < replies.index(served[-1])
    assert service.sign_in("alice").status == 201
    logged = [line["status"] for line in service.log if line.get("endpoint") == "POST -"]
    assert logged == [503] * len(refused)


@pytest.fixture
def overloaded(start: Start) -> Iterator[Running]:
    """A service whose queue is full."""
    service = start(threads=1, queue=1)
    with full_queue(service):
        yield service


@contextmanager
def full_queue(service: Running) -> Iterator[None]:
    """Two requests wait for a lock, one on the only thread and one in the queue; a third was refused."""
    headers = bearer(service.sign_up("alice")) | {"Content-Type": "application/json"}
    with closing(sqlite3.connect(service.folder / "data" / "kalends.sqlite3", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        writers = [service.connection() for _ in range(3)]
        for writer in writers:
            writer.request("POST", "/api/calendars", '{"name": "Concerts"}', headers)
        assert select([writer.sock for writer in writers], [], [], TIMEOUT)[0]
        yield
        holder.execute("ROLLBACK")
    for writer in writers:
        writer.close()


@pytest.fixture
def hanging(postgres_url: str, start: Start) -> Iterator[Running]:
    """A service whose database does not reply, and whose only thread waits for it."""
    # Not the database of other tests: it would be known by the secret of this service.
    with migrated.postgres(postgres_url) as database:
        proxy = Proxy(database)
        service = start(threads=1, queue=1, database=proxy.database)
        proxy.hang()
        with ThreadPoolExecutor(2) as clients:
            waiting = [clients.submit(service.get, "/readyz") for _ in range(2)]
            yield service
            assert not any(request.done() for request in waiting)
            proxy.resume()
        proxy.close()


def test_a_server_whose_threads_all_wait_for_postgresql_is_alive(hanging: Running) -> None:
    assert hanging.get("/healthz").json["status"] == "alive"


def test_a_request_beyond_the_queue_is_refused_before_it_is_parsed(overloaded: Running) -> None:
    connection = overloaded.connection()
    connection.putrequest("GET", "/api/events", skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 503
    connection.close()


def test_a_refused_request_whose_body_comes_later_leaves_its_connection_open(overloaded: Running) -> None:
    connection = overloaded.connection()
    send_head_then_body(connection, b'{"name": "Concerts"}')
    reply = connection.getresponse()
    reply.read()
    assert (reply.status, reply.getheader("Connection")) == (503, None)
    socket = connection.sock
    assert ask(connection, "GET", "/healthz").status == 200
    assert connection.sock is socket
    connection.close()


def test_a_refused_client_that_disconnects_within_its_body_is_no_error(start: Start) -> None:
    service = start(threads=1, queue=1)
    with full_queue(service):
        connection = service.connection()
        connection.putrequest("POST", "/api/calendars")
        connection.putheader("Content-Length", "20")
        connection.endheaders(b'{"name":')
        connection.close()
        eventually(lambda: [line["status"] for line in service.log if line.get("endpoint") == "POST -"] == [503, 503])
    assert service.stop() == 0
    assert [line for line in service.log if line["level"] == "error"] == []


def test_a_refused_request_with_a_large_body_is_disconnected_after_the_reply(overloaded: Running) -> None:
    connection = overloaded.connection()
    send_head_then_body(connection, bytes(1_000_000))
    reply = connection.getresponse()
    assert (reply.status, reply.getheader("Connection")) == (503, "close")
    assert b"Too many requests are waiting" in reply.read()
    connection.close()


def send_head_then_body(connection: HTTPConnection, body: bytes) -> None:
    """In two packets, as some clients do."""
    connection.putrequest("POST", "/api/calendars")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders()
    connection.send(body)


@pytest.mark.soak
def test_many_logins_at_once_take_little_memory(start: Start) -> None:
    """A password takes 64 MiB. There are eight threads, and two of them at most hash at the same time."""
    service = start(real=True)
    service.sign_up("alice")
    (server,) = service.servers
    with ThreadPoolExecutor(8) as clients:
        replies = list(clients.map(lambda _: service.sign_in("alice"), range(8)))
    # On a busy machine, some of them wait too long for a thread.
    assert 201 in {reply.status for reply in replies} <= {201, 503}
    assert _most_memory(server) < 384


def _most_memory(pid: int) -> int:
    """The most that the process ever held, in MiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
