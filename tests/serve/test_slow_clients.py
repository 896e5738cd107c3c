"""Clients that are slow or say nothing: they hold no thread, little memory, and no connection for long."""

import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.client import Reply
from tests.serve.hasty import Hasty
from tests.serve.running import Running, bearer, eventually

EVENTS = 60
SMALL = 4096
ESTABLISHED = "01"


class Large:
    """A service with short timeouts and a public feed of more than a mebibyte."""

    def __init__(self, folder: Path):
        self.service = Hasty(folder).ready()
        token = bearer(self.service.sign_up("alice"))
        calendar = self.service.post("/api/calendars", {"name": "Jazz", "public": True}, headers=token).json
        self.feed = f"/api/calendars/{calendar['id']}.ics"
        fields = {"start_time": "2026-06-01", "calendar_id": calendar["id"], "description": "words " * 3_300}
        for first in range(0, EVENTS, 20):
            events = [{"title": f"Gig {number}"} | fields for number in range(first, first + 20)]
            assert self.service.post("/api/events", events, headers=token).status == 201
        (self.server,) = self.service.servers
        self._own = self._pipes()

    @property
    def held(self) -> int:
        """How many connections are open, and how many pipes beyond those that every server process has."""
        rows = [line.split() for line in Path(f"/proc/{self.server}/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{self.service.port:04X}") and row[3] == ESTABLISHED for row in rows) + self._pipes() - self._own

    def _pipes(self) -> int:
        return sum(_leads_to(link).startswith("pipe:") for link in Path(f"/proc/{self.server}/fd").iterdir())

    def connect_and_request(self) -> socket.socket:
        """A connection on which the feed was requested, and nothing read yet."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", self.service.port))
        connection.sendall(f"GET {self.feed} HTTP/1.1\r\nHost: calendar\r\nConnection: close\r\n\r\n".encode())
        return connection


def _leads_to(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:
        return ""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    large = Large(tmp_path_factory.mktemp("large"))
    yield large
    large.service.end()


def test_a_slow_reader_gets_the_whole_reply(large: Large) -> None:
    whole = large.service.get(large.feed)
    assert (whole.status, len(whole.content) > 1_000_000) == (200, True)
    assert len(whole.content) == int(whole.headers["Content-Length"])
    with large.connect_and_request() as connection:
        read = b"".join(iter(lambda: connection.recv(SMALL), b""))
    assert read.endswith(whole.content)


def test_a_client_that_does_not_read_is_cut_off(large: Large) -> None:
    eventually(lambda: not large.held)
    connections = [large.connect_and_request() for _ in range(3)]
    assert all(connection.recv(100) for connection in connections)
    eventually(lambda: not large.held)
    assert all(_rest(connection) < 1_000_000 for connection in connections)
    assert large.service.get(large.feed).status == 200


def _rest(connection: socket.socket) -> int:
    """How much there is still to read until the connection ends or breaks."""
    read = 0
    with connection, suppress(ConnectionError):
        while part := connection.recv(SMALL):
            read += len(part)
    return read


def test_a_client_that_disconnects_midway_leaves_nothing_open(large: Large) -> None:
    for _ in range(3):
        connection = large.connect_and_request()
        assert connection.recv(100)
        connection.close()
    eventually(lambda: not large.held)


def test_when_many_clients_do_not_read_others_wait_until_the_first_are_cut_off(large: Large) -> None:
    """At most four mebibytes are buffered for clients: enough for three, and for the fourth when those have timed out."""
    eventually(lambda: not large.held)
    connections = [large.connect_and_request() for _ in range(12)]
    firsts = [connection.recv(100) for connection in connections]
    refused = [first for first in firsts if first.startswith(b"HTTP/1.1 503")]
    assert 6 <= len(refused) <= 9
    assert all(b"retry-after" in first.lower() for first in refused)
    eventually(lambda: large.service.get(large.feed).status == 200)
    for connection in connections:
        connection.close()


def test_a_stop_does_not_wait_for_a_client_that_does_not_read(tmp_path: Path) -> None:
    large = Large(tmp_path)
    with large.connect_and_request() as connection:
        assert connection.recv(100)
        assert large.service.stop() == 0


def test_a_stop_does_not_wait_for_a_client_that_sends_on_and_reads_nothing(tmp_path: Path) -> None:
    """Granian waits for every connection."""
    service = Hasty(tmp_path, access_log="off").ready()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        connection.connect(("127.0.0.1", service.port))
        connection.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                connection.send(b"GET /api/openapi.json HTTP/1.1\r\nHost: calendar\r\n\r\n" * 100)
        assert service.get("/api/openapi.json").status == 200
        assert service.stop() == 0


@pytest.mark.parametrize("content", [b"", b"GET /healthz HTTP/1.1\r\nHost: cal", b"GET /healthz HTTP/1.1\r\nHost: calendar\r\n\r\n"])
def test_an_idle_connection_is_closed(large: Large, content: bytes) -> None:
    with socket.create_connection(("127.0.0.1", large.service.port), timeout=20) as connection:
        connection.sendall(content)
        while connection.recv(65536):
            pass


@pytest.fixture
def stuck(tmp_path: Path) -> Iterator[tuple[Running, dict[str, str], sqlite3.Connection]]:
    """A service with one thread, the token of someone, and a connection that can keep others from writing."""
    service = Hasty(tmp_path, threads=1).ready()
    token = bearer(service.sign_up("alice"))
    with closing(sqlite3.connect(service.folder / "data" / "kalends.sqlite3", isolation_level=None)) as holder:
        yield service, token, holder
    service.end()


def test_a_request_that_waits_too_long_for_a_thread_is_503(stuck: tuple[Running, dict[str, str], sqlite3.Connection]) -> None:
    service, token, holder = stuck
    replies: list[Reply] = []

    def write(name: str) -> None:
        replies.append(service.post("/api/calendars", {"name": name}, headers=token))

    holder.execute("BEGIN IMMEDIATE")
    writers = [threading.Thread(target=write, args=(f"{number}",)) for number in range(3)]
    for writer in writers:
        writer.start()
    eventually(lambda: len(replies) == 2)
    assert [(reply.status, int(reply.headers["Retry-After"]) > 0) for reply in replies] == [(503, True)] * 2
    assert service.get("/healthz").status == 200
    holder.execute("ROLLBACK")
    for writer in writers:
        writer.join()
    assert replies[2].status == 201
    names = [calendar["name"] for calendar in service.get("/api/calendars", headers=token).json["calendars"]]
    assert len(names) == 2
