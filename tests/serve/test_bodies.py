"""Bodies: slow ones delay nobody and are cut off in time, large ones are refused, and half ones are not acted upon."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPResponse
from pathlib import Path
from select import select

import pytest

from tests.client import Reply
from tests.serve.hasty import Hasty
from tests.serve.prepared import Prepared
from tests.serve.running import Running, ask, bearer

MIB = 1024 * 1024
FORM = "multipart/form-data; boundary=x"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Prepared(tmp_path_factory.mktemp("bodies"), "--no-work", body_timeout=600, access_log="off")
    yield running.ready()
    running.end()


@pytest.fixture(scope="module")
def alice(service: Running) -> dict[str, str]:
    """The header by which alice is known."""
    return bearer(service.sign_up("alice"))


def opened(
    service: Running, *headers: str, path: str = "/api/session", kind: str = "application/json", method: str = "POST"
) -> socket.socket:
    """A connection on which a request has begun, up to its body."""
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=20)
    lines = [f"{method} {path} HTTP/1.1", "Host: calendar", f"Content-Type: {kind}", *headers]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    return connection


def read_reply(connection: socket.socket, *, hang_up: bool = True) -> Reply:
    """The reply, after which the server must close the connection: at once if the client hangs up, and else when it has read on
    for two seconds."""
    response = HTTPResponse(connection)
    response.begin()
    reply = Reply(response.status, response.headers, response.read())
    if hang_up:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
    assert connection.recv(1) == b"", "the connection is still open"
    connection.close()
    return reply


def test_two_hundred_slow_uploads_delay_no_other_client(service: Running) -> None:
    """Another client gets its replies while all of them are still sending: none will end for ten minutes."""
    slow = [opened(service, "Content-Length: 1000") for _ in range(200)]
    other = service.connection()
    for _ in range(3):
        for connection in slow:
            connection.send(b" ")
        assert ask(other, "GET", "/readyz").status == 200
    assert select(slow, [], [], 0)[0] == []
    for connection in slow:
        connection.close()
    other.close()


def test_a_body_that_takes_too_long_is_cut_off(tmp_path: Path) -> None:
    service = Hasty(tmp_path, body_timeout=1).ready()
    try:
        connection = opened(service, "Content-Length: 100")
        connection.sendall(b"{")
        reply = read_reply(connection)
    finally:
        service.stop()
    assert reply.status == 408
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["X-Request-Id"] == reply.json["request_id"]


def test_too_long_a_body_is_refused_before_it_is_sent(service: Running) -> None:
    reply = read_reply(opened(service, f"Content-Length: {MIB + 1}"), hang_up=False)
    assert reply.status == 413
    assert "1 MiB" in reply.json["detail"]


@pytest.mark.parametrize(("folder", "space"), [("calendars/1/a.ics", "caldav"), ("books/contacts/a.vcf", "carddav")])
def test_too_long_a_file_of_a_device_is_refused_with_its_precondition(
    service: Running, alice: dict[str, str], folder: str, space: str
) -> None:
    known = (f"Authorization: {alice['Authorization']}", f"Content-Length: {2 * MIB}")
    reply = read_reply(opened(service, *known, method="PUT", path=f"/dav/users/1/{folder}", kind="text/plain"))
    assert (reply.status, reply.headers["Content-Type"]) == (413, "application/xml; charset=utf-8")
    assert f'max-resource-size xmlns:{"C" if space == "caldav" else "CR"}="urn:ietf:params:xml:ns:{space}"' in reply.text
    assert reply.headers["X-Request-Id"]


def test_an_upload_may_be_longer_where_a_file_is_accepted(service: Running, alice: dict[str, str]) -> None:
    known = f"Authorization: {alice['Authorization']}"
    with_file = opened(service, known, f"Content-Length: {9 * MIB}", "Connection: close", path="/api/contacts", kind=FORM)
    with_file.sendall(bytes(9 * MIB))
    assert read_reply(with_file).status == 400
    for path, size in (("/api/contacts", 11 * MIB), ("/api/calendars", 2 * MIB), ("/sign-in", 2 * MIB), ("/healthz", 2 * MIB)):
        assert read_reply(opened(service, known, f"Content-Length: {size}", path=path, kind=FORM)).status == 413, path


@pytest.mark.parametrize("credential", ["X-None: 1", "Authorization: Bearer nobody", "Cookie: kalends_session=nobody"])
@pytest.mark.parametrize("length", [f"Content-Length: {9 * MIB}", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", ["/api/contacts", "/api/events.json", "/api/events/1/image", "/contacts/upload", "/contacts/upload/"])
def test_nobody_uploads_without_a_credential(service: Running, path: str, length: str, credential: str) -> None:
    """They are refused before a byte of the body was sent."""
    reply = read_reply(opened(service, credential, length, path=path, kind=FORM))
    # A cookie without an origin is refused whatever its value.
    assert reply.status == (403 if "Cookie" in credential else 401)


def test_a_large_body_that_stops_arriving_is_cut_off(tmp_path: Path) -> None:
    service = Hasty(tmp_path, body_timeout=600).ready()
    try:
        known = f"Authorization: {bearer(service.sign_up('alice'))['Authorization']}"
        upload = opened(service, known, f"Content-Length: {MIB}", path="/api/contacts", kind=FORM)
        upload.sendall(bytes(100_000))
        assert read_reply(upload).status == 408
    finally:
        service.stop()


def test_a_client_that_sends_too_much_still_sees_why(service: Running) -> None:
    """The server reads on for a while after the reply, since a connection that is cut while the client sends would lose the reply."""
    reply = service.post("/api/session", {"user_name": "x" * 5 * MIB})
    assert reply.status == 413


def test_a_chunked_body_is_refused_where_it_exceeds_the_limit(service: Running) -> None:
    connection = opened(service, "Transfer-Encoding: chunked")
    for _ in range(20):
        connection.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
    connection.sendall(b"0\r\n\r\n")
    assert read_reply(connection).status == 413


@pytest.mark.parametrize("framing", ["Content-Length: 1000", "Transfer-Encoding: chunked"])
def test_half_a_body_is_not_acted_upon(service: Running, framing: str, alice: dict[str, str]) -> None:
    body = b'{"name": "Half"}'
    connection = opened(service, framing, *(f"{name}: {value}" for name, value in alice.items()), path="/api/calendars")
    connection.sendall(body if "Length" in framing else b"%x\r\n%s\r\n" % (len(body), body))
    connection.shutdown(socket.SHUT_WR)
    assert read_reply(connection).status == 400
    assert "Half" not in [calendar["name"] for calendar in service.get("/api/calendars", headers=alice).json["calendars"]]


def test_a_chunked_body_is_read(service: Running, alice: dict[str, str]) -> None:
    connection = service.connection()
    connection.request(
        "POST", "/api/calendars", iter([b'{"name": ', b'"Whole"}']), {"Content-Type": "application/json"} | alice, encode_chunked=True
    )
    assert connection.getresponse().status == 201
    connection.close()
