"""Bytes over a socket, as no client library would send them."""

import re
import socket
from contextlib import suppress

from tests.serve.running import Running, bearer

TIMEOUT = 20
LAST = b"GET /healthz HTTP/1.1\r\nHost: calendar\r\nConnection: close\r\n\r\n"


def statuses(service: Running, content: bytes) -> list[int]:
    """The statuses of all replies to these bytes, until the service hangs up."""
    return [int(status) for status in re.findall(rb"^HTTP/1\.[01] (\d{3})", exchange(service, content), re.MULTILINE)]


def first(service: Running, content: bytes) -> int:
    """The status of the first reply to these bytes, however long the service would go on reading."""
    with connected(service) as connection:
        connection.sendall(content)
        return int(connection.makefile("rb").readline().split()[1])


def exchange(service: Running, content: bytes) -> bytes:
    """All replies to these bytes, and to a last request behind them, which closes the connection."""
    with connected(service) as connection:
        # If it has hung up already, its earlier replies can still be read.
        with suppress(OSError):
            connection.sendall(content + LAST)
        return received(connection)


def connected(service: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", service.port), timeout=TIMEOUT)


def received(connection: socket.socket) -> bytes:
    """The bytes that arrive until the service hangs up."""
    content = b""
    try:
        while piece := connection.recv(65_536):
            content += piece
    except ConnectionResetError:
        pass
    return content


def request(line: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([line, "Host: calendar", *headers, "", ""]).encode("latin-1", "replace") + body


def calendars(service: Running, alice: str, name: str) -> int:
    """How many calendars of this name alice has."""
    token = alice.rpartition(" ")[2]
    listed = service.get("/api/calendars?limit=500", headers=bearer(token)).json["calendars"]
    return sum(calendar["name"] == name for calendar in listed)
