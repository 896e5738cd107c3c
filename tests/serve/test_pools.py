"""Costly work in pools of its own: passwords and imports delay no other request."""

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from select import select

import pytest

from kalends.http.serving.password_clients import ACCOUNT
from tests.cast import PASSWORD
from tests.http.multipart import multipart
from tests.serve.prepared import SlowLogins
from tests.serve.running import TIMEOUT, Running, bearer, eventually

JSON = {"Content-Type": "application/json"}
BROWSER = {"Sec-Fetch-Site": "same-origin"}
ANOTHER_NETWORK = "127.0.0.2"
LOGIN = b'{"user_name": "alice", "password": "%s"}' % PASSWORD.encode()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """With one thread for requests: whatever held it would hold up all."""
    running = SlowLogins(tmp_path_factory.mktemp("pools"), "--no-work", threads=1, access_log="off", rate_limits="off")
    yield running.ready()
    running.end()


@pytest.fixture(scope="module")
def alice(service: Running) -> dict[str, str]:
    return bearer(service.sign_up("alice"))


def send_request(
    service: Running, path: str, body: bytes, headers: dict[str, str] = JSON, more: dict[str, str] | None = None
) -> socket.socket:
    """A connection on which a request was sent, and the reply not read yet."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=TIMEOUT)
    lines = [f"{name}: {value}" for name, value in {"Host": "calendar", "Content-Length": len(body), **headers, **(more or {})}.items()]
    connection.sendall("\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""]).encode() + body)
    return connection


def replies(connections: list[socket.socket]) -> list[HTTPResponse]:
    received = []
    for connection in connections:
        reply = HTTPResponse(connection)
        reply.begin()
        reply.read()
        connection.close()
        received.append(reply)
    return received


def test_a_list_does_not_wait_for_logins(service: Running, alice: dict[str, str]) -> None:
    logins = [send_request(service, "/api/session", LOGIN) for _ in range(8)]
    assert service.get("/api/events", headers=alice).status == 200
    done, _, _ = select(logins, [], [], 0)
    assert len(done) < len(logins)
    # On a busy machine, some of them wait too long for a thread.
    assert 201 in {reply.status for reply in replies(logins)} <= {201, 503}


@pytest.fixture(scope="module")
def victim(service: Running) -> str:
    """The cookie of a device on which bob has signed in."""
    service.sign_up("bob")
    return str(service.sign_in("bob", headers=BROWSER).headers.get_all("Set-Cookie")).partition("kalends_device=")[2].partition(";")[0]


def _log_in(service: Running, name: str, address: str = ANOTHER_NETWORK, **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", service.port, timeout=TIMEOUT, source_address=(address, 0))
    connection.request("POST", "/api/session", json.dumps({"user_name": name, "password": PASSWORD}), JSON | headers)
    status = connection.getresponse().status
    connection.close()
    return status


@contextmanager
def _flood(service: Running, names: Callable[[int], str]) -> Iterator[list[int]]:
    """Twelve networks with two connections each, on which someone logs in again and again; the statuses of the replies."""
    statuses: list[int] = []
    is_over = threading.Event()

    def log_in(number: int) -> None:
        while not is_over.is_set():
            status = _log_in(service, names(number), f"127.0.{10 + number // 2}.1")
            statuses.append(status)
            # A client that is refused comes back soon.
            is_over.wait(0 if status == 201 else 0.02)

    clients = [threading.Thread(target=log_in, args=(number,)) for number in range(24)]
    for client in clients:
        client.start()
    try:
        eventually(lambda: len(statuses) > 24)
        yield statuses
    finally:
        is_over.set()
        for client in clients:
            client.join(TIMEOUT)


def test_one_account_on_many_networks_keeps_nobody_from_signing_in(service: Running, alice: dict[str, str], victim: str) -> None:
    with _flood(service, lambda number: "alice") as statuses:
        assert [_log_in(service, "bob") for _ in range(8)] == [201] * 8
        assert 503 in statuses


def test_many_names_on_many_networks_keep_nobody_from_signing_in(service: Running, alice: dict[str, str], victim: str, soak: bool) -> None:
    """Neither on a device that is known, also on a network of theirs, nor on a new one of another network."""
    with _flood(service, lambda number: f"nobody{number}"):
        for _ in range(3 if soak else 1):
            assert _log_in(service, "bob") == 201
            assert _log_in(service, "bob", "127.0.10.1", Cookie=f"kalends_device={victim}") == 201


def test_logins_beyond_an_accounts_limit_are_refused_and_another_network_signs_in(
    service: Running, alice: dict[str, str], victim: str
) -> None:
    logins = [send_request(service, "/api/session", LOGIN) for _ in range(24)]
    # On a busy machine, even the next one may wait too long for a thread.
    assert 201 in (_log_in(service, "bob") for _ in range(5))
    login_replies = replies(logins)
    statuses = Counter(reply.status for reply in login_replies)
    assert set(statuses) == {201, 503}
    assert statuses[201] >= ACCOUNT.threads
    assert {reply.getheader("Retry-After") for reply in login_replies if reply.status == 503} <= {"1", "2"}


def test_a_refused_browser_gets_a_page_with_its_form(service: Running, alice: dict[str, str]) -> None:
    logins = [send_request(service, "/api/session", LOGIN) for _ in range(24)]
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    browsers = [send_request(service, "/sign-in", b"user_name=alice&password=wrong&next=/contacts", headers) for _ in range(8)]
    refused = [reply for reply in replies(browsers) if reply.status == 503]
    replies(logins)
    assert refused
    assert {reply.getheader("Content-Type") for reply in refused} == {"text/html; charset=utf-8"}
    assert {reply.getheader("Retry-After") for reply in refused} <= {"1", "2"}


def test_concurrent_imports_block_neither_lists_nor_each_other_without_end(service: Running, alice: dict[str, str]) -> None:
    rows = "".join(f'Name {i},u{i}@bücher{i}.example,"{",".join(map(str, range(40)))}"\n' for i in range(2_000))
    file = multipart(files=[("file", "many.csv", f"name,email_address,tags\n{rows}".encode())])
    imports = [send_request(service, "/api/contacts", **file, more=alice) for _ in range(8)]
    assert service.get("/api/events", headers=alice).status == 200
    done, _, _ = select(imports, [], [], 0)
    assert len(done) < len(imports)
    statuses = Counter(reply.status for reply in replies(imports))
    assert set(statuses) == {201, 503}
    assert service.get("/api/contacts?count=true&limit=1", headers=alice).json["total"] == 2_000


def test_fields_in_multipart_are_no_import(service: Running, alice: dict[str, str]) -> None:
    fields = multipart({"title": "Gig", "start_time": "2026-06-01"})
    connections = [send_request(service, "/api/events", **fields, more=alice) for _ in range(8)]
    assert [reply.status for reply in replies(connections)] == [201] * 8
