"""The HTTP client: connections that stay open, and content that ends early or does not end."""

from http.client import HTTPException

import pytest

from kalends.core.net.deadline import Deadline
from kalends.core.net.http_connection import Connection, TooLong, _is_readable, read_content, target
from tests.contacts.providers.stand import Request, Stand, _received
from tests.serve.running import TIMEOUT, eventually

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def _connect(stand: Stand, deadline: Deadline) -> Connection:
    host, _, port = stand.host.partition(":")
    return Connection("http", host, int(port), deadline)


def _get(connection: Connection, limit: int = 100) -> bytes:
    connection.open()
    connection.request("GET", "/")
    return read_content(connection.getresponse(), limit)


def test_a_connection_is_used_again() -> None:
    def reply_twice(request: Request) -> None:
        request.connection.sendall(REPLY)
        if _received(request.connection):
            request.connection.sendall(REPLY.replace(b"ok", b"yo"))

    with Stand(reply_twice) as stand, Deadline(TIMEOUT, TIMEOUT) as deadline:
        connection = _connect(stand, deadline)
        assert (_get(connection), _get(connection)) == (b"ok", b"yo")
        assert len(stand.requests) == 1


def test_a_connection_that_the_server_closed_is_opened_again() -> None:
    with Stand(lambda request: request.connection.sendall(REPLY)) as stand, Deadline(TIMEOUT, TIMEOUT) as deadline:
        connection = _connect(stand, deadline)
        assert _get(connection) == b"ok"
        eventually(lambda: _is_readable(connection.sock))
        assert _get(connection) == b"ok"
        assert len(stand.requests) == 2


def test_content_that_ends_early_is_an_error() -> None:
    def stop_early(request: Request) -> None:
        request.connection.sendall(REPLY[:-1])

    with Stand(stop_early) as stand, Deadline(TIMEOUT, TIMEOUT) as deadline, pytest.raises(HTTPException):
        _get(_connect(stand, deadline))


def test_content_beyond_the_limit_is_an_error() -> None:
    with Stand(lambda request: request.reply(200, "ok")) as stand, Deadline(TIMEOUT, TIMEOUT) as deadline:
        assert _get(_connect(stand, deadline), limit=2) == b"ok"
        with pytest.raises(TooLong):
            _get(_connect(stand, deadline), limit=1)


def test_a_target_is_encoded_once() -> None:
    assert target("https://example.org") == "/"
    assert target("https://example.org/my book/%C3%A9?a=é&b=/") == "/my%20book/%C3%A9?a=%C3%A9&b=/"
