"""Followers of changes, over real connections: long polls and streams."""

import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from kalends.core.values import timestamps
from kalends.http.serving.followers import MAX_PER_ACCOUNT
from tests.serve.conftest import Start
from tests.serve.hasty import Hasty
from tests.serve.running import Running, ask, bearer, eventually

SMALL = 4096
EVENTS = 90


class Stream:
    """A stream of changes on a connection of its own."""

    def __init__(self, service: Running, token: dict[str, str]):
        self.connection: HTTPConnection = service.connection()
        self.connection.request("GET", "/api/changes/stream", headers=token)
        self._response: HTTPResponse = self.connection.getresponse()
        assert (self._response.status, self._response.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
        assert self.line("id: ")

    def line(self, start: str) -> str:
        """The rest of the next line that starts with this; lines before it are skipped."""
        while line := self._response.readline():
            if line.decode().startswith(start):
                return line.decode()[len(start) :].rstrip()
        return ""


def _follow_everywhere(services: list[Running]) -> None:
    """A change on the last server reaches a stream on every process of every server."""
    token = bearer(services[-1].sign_up("alice"))
    streams = [Stream(service, token) for service in services for _ in range(8)]
    created = services[-1].post("/api/events", {"title": "Concert", "start_time": "2026-06-01T20:00"}, headers=token).json
    assert all(f'"id":{created["id"]},' in stream.line("data: ") for stream in streams)
    for stream in streams:
        stream.connection.close()


def test_a_change_reaches_streams_on_every_process(start: Start) -> None:
    service = start(workers=2)
    _follow_everywhere([service])
    assert service.stop() == 0


@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_a_change_reaches_streams_on_another_server(start: Start, database: str) -> None:
    _follow_everywhere([start(database=database), start(database=database)])


def test_a_stop_ends_streams_and_long_polls_at_once(start: Start) -> None:
    service = start()
    token = bearer(service.sign_up("alice"))
    stream, poll = Stream(service, token), service.connection()
    cursor = ask(poll, "GET", "/api/changes", headers=token).json["cursor"]
    poll.request("GET", f"/api/changes?cursor={cursor}&wait=60", headers=token)
    assert service.stop() == 0
    assert stream.line("data: ") == ""
    assert b'"changes":[]' in poll.getresponse().read()


def test_a_stream_has_nothing_more_for_a_key_that_has_expired_nor_of_calendars_that_it_does_not_name(start: Start) -> None:
    service = start()
    token = bearer(service.sign_up("alice"))
    named, other = (service.post("/api/calendars", {"name": name}, headers=token).json["id"] for name in ("Named", "Other"))

    def create(title: str, calendar_id: int) -> None:
        event = {"title": title, "start_time": "2026-06-01T20:00", "calendar_id": calendar_id}
        assert service.post("/api/events", event, headers=token).status == 201

    limits = {"calendar_ids": [named], "expires_at": timestamps.format_utc(timestamps.now() + 3600)}
    stream = Stream(service, bearer(service.post("/api/keys", {"name": "a program"} | limits, headers=token).json["wkey"]))
    create("Elsewhere", other)
    create("Concert", named)
    assert '"title":"Concert"' in stream.line("data: ")
    with closing(sqlite3.connect(service.folder / "data" / "kalends.sqlite3", isolation_level=None)) as db:
        db.execute("UPDATE keys SET expires_at = ?", [timestamps.now()])
    create("Too late", named)
    assert stream.line("data: ") == ""


def test_an_account_cannot_take_the_places_of_others(start: Start) -> None:
    """Two thousand streams with one token; then bob has a stream and a long poll."""
    service = start()
    eve, bob = bearer(service.sign_up("eve")), bearer(service.sign_up("bob"))
    streams = [Stream(service, eve) for _ in range(MAX_PER_ACCOUNT)]
    flood = service.connection()
    refused = [ask(flood, "GET", "/api/changes/stream", headers=eve) for _ in range(2_000 - len(streams))]
    assert {(reply.status, reply.headers["Retry-After"]) for reply in refused} == {(503, "30")}
    stream = Stream(service, bob)
    cursor = service.get("/api/changes", headers=bob).json["cursor"]
    assert service.get(f"/api/changes?cursor={cursor}&wait=1", headers=bob).status == 200
    for each in (*streams, stream):
        each.connection.close()
    flood.close()


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Hasty]:
    service = Hasty(tmp_path).ready()
    yield service
    service.end()


def test_a_follower_that_reads_too_slowly_is_disconnected(hasty: Hasty) -> None:
    """By the service (see tests/http/test_slow_streams.py) or by the kernel, whichever notices first. Who reads gets everything."""
    token = hasty.sign_up("alice")
    cursor = hasty.get("/api/changes", headers=bearer(token)).json["cursor"]
    writer = hasty.connection()
    for number in range(EVENTS):
        assert ask(writer, "POST", "/api/events", {"title": f"Gig {number}", "start_time": "2026-06-01"}, bearer(token)).status == 201
    writer.close()
    head = f"GET /api/changes/stream?cursor={cursor} HTTP/1.1\r\nHost: calendar\r\nAuthorization: Bearer {token}\r\n\r\n"
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        slow.settimeout(20)
        slow.connect(("127.0.0.1", hasty.port))
        slow.sendall(head.encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 200")
        parts: list[int] = []
        eventually(lambda: not _read(slow, parts))
    quick = hasty.connection()
    quick.request("GET", f"/api/changes/stream?cursor={cursor}", headers=bearer(token))
    response = quick.getresponse()
    lines = [response.readline() for _ in range(3 * EVENTS)]
    quick.close()
    assert sum(line.startswith(b"data: ") for line in lines) == EVENTS
    assert sum(parts) < sum(map(len, lines)) / 2


def _read(connection: socket.socket, parts: list[int]) -> int:
    """Read a little; returns how much, which is 0 if the server has disconnected."""
    try:
        parts.append(len(connection.recv(32)))
    except ConnectionError:
        return 0
    return parts[-1]
