"""Bodies: slow ones delay nobody and are cut off in time, large ones are refused, and half ones are not acted upon."""

import socket
import time
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest

from tests.client import Answer
from tests.serve.running import Running, ask, bearer

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("bodies"), "--no-work", body_timeout=4, access_log="off")
    yield running.ready()
    running.stop()


@pytest.fixture(scope="module")
def alice(service: Running) -> dict[str, str]:
    """The header by which alice is known."""
    return bearer(service.sign_up("alice"))


def opened(service: Running, *headers: str, path: str = "/api/session", kind: str = "application/json") -> socket.socket:
    """A connection on which a request has begun, up to its body."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=20)
    lines = [f"POST {path} HTTP/1.1", "Host: calendar", f"Content-Type: {kind}", *headers]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return connection


def answered(connection: socket.socket) -> Answer:
    """The answer, after which the server must have closed the connection."""
    response = HTTPResponse(connection)
    response.begin()
    answer = Answer(response.status, response.headers, response.read())
    assert connection.recv(1) == b"", "the connection is still open"
    connection.close()
    return answer


def latencies(service: Running, seconds: float) -> list[float]:
    """How long an honest client waits for each of its answers."""
    honest, found, end = service.connection(), [], time.monotonic() + seconds
    while (began := time.monotonic()) < end:
        assert ask(honest, "GET", "/readyz").status == 200
        found.append(time.monotonic() - began)
    honest.close()
    return found


def test_two_hundred_clients_that_trickle_delay_no_honest_one(service: Running) -> None:
    alone = max(latencies(service, 0.5))
    slow = [opened(service, "Content-Length: 1000") for _ in range(200)]
    beside = 0.0
    for _ in range(3):
        for connection in slow:
            connection.send(b" ")
        beside = max(beside, *latencies(service, 1))
    for connection in slow:
        connection.close()
    assert beside < alone + 0.5


def test_a_body_that_takes_too_long_is_cut_off(service: Running) -> None:
    connection = opened(service, "Content-Length: 100")
    connection.sendall(b"{")
    answer = answered(connection)
    assert answer.status == 408
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["X-Request-Id"] == answer.json["request_id"]


def test_too_long_a_body_is_refused_before_it_is_sent(service: Running) -> None:
    answer = answered(opened(service, f"Content-Length: {MIB + 1}"))
    assert answer.status == 413
    assert "1 MiB" in answer.json["detail"]


def test_an_upload_may_be_longer(service: Running) -> None:
    """The edge lets it pass, and the application has the last word."""
    form = "multipart/form-data; boundary=x"
    connection = opened(service, f"Content-Length: {9 * MIB}", "Connection: close", path="/healthz", kind=form)
    connection.sendall(bytes(9 * MIB))
    assert answered(connection).status == 405
    assert answered(opened(service, f"Content-Length: {11 * MIB}", path="/healthz", kind=form)).status == 413


def test_a_client_that_sends_too_much_still_sees_why(service: Running) -> None:
    """It is read on for a while after the answer, since a connection that is cut while it sends would lose the answer."""
    answer = service.post("/api/session", {"user_name": "x" * 5 * MIB})
    assert answer.status == 413


def test_a_chunked_body_is_refused_where_it_exceeds_the_limit(service: Running) -> None:
    connection = opened(service, "Transfer-Encoding: chunked")
    for _ in range(20):
        connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
    connection.sendall(b"0\r\n\r\n")
    assert answered(connection).status == 413


@pytest.mark.parametrize("framing", ["Content-Length: 1000", "Transfer-Encoding: chunked"])
def test_half_a_body_is_not_acted_upon(service: Running, framing: str, alice: dict[str, str]) -> None:
    sent = b'{"name": "Half"}'
    connection = opened(service, framing, *(f"{name}: {value}" for name, value in alice.items()), path="/api/calendars")
    connection.sendall(sent if "Length" in framing else b"%x\r\n%s\r\n" % (len(sent), sent))
    connection.shutdown(socket.SHUT_WR)
    assert answered(connection).status == 400
    assert "Half" not in [calendar["name"] for calendar in service.get("/api/calendars", headers=alice).json["calendars"]]


def test_a_chunked_body_is_read(service: Running, alice: dict[str, str]) -> None:
    connection = service.connection()
    connection.request(
        "POST", "/api/calendars", iter([b'{"name": ', b'"Whole"}']), {"Content-Type": "application/json"} | alice, encode_chunked=True
    )
    assert connection.getresponse().status == 201
    connection.close()
