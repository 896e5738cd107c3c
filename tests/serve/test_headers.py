"""Headers, as the server's edge hands them to the application."""

import socket

from tests.serve.running import Running, bearer


def status_line(service: Running, *headers: bytes) -> bytes:
    """The status line of the reply to a public request with these headers."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(b"\r\n".join([b"GET /api/openapi.json HTTP/1.1", b"Host: calendar", b"Connection: close", *headers, b"", b""]))
        return b"".join(iter(lambda: connection.recv(65536), b"")).split(b"\r\n")[0]


def test_unusual_headers_do_no_harm(plain: Running) -> None:
    assert status_line(plain) == b"HTTP/1.1 200 OK"
    assert status_line(plain, b"X-Strange: caf\xc3\xa9 \xff") == b"HTTP/1.1 200 OK"
    assert status_line(plain, b"Authorization: Bearer wrong") == b"HTTP/1.1 401 Unauthorized"
    assert status_line(plain, b"Authorization: Bearer caf\xc3\xa9") == b"HTTP/1.1 401 Unauthorized"
    assert status_line(plain, b"Cookie: a=1", b"Cookie: kalends_session=stale") == b"HTTP/1.1 200 OK"
    assert status_line(plain, b"Content-Length: -1") == b"HTTP/1.1 400 Bad Request"


def test_a_non_ascii_idempotency_key_is_refused_rather_than_ignored(plain: Running) -> None:
    """Granian drops such a value; without its key, the request would be processed twice."""
    token = plain.sign_up("hal")
    reply = plain.post("/api/calendars", {"name": "Jazz"}, headers=bearer(token) | {"Idempotency-Key": "clé-1".encode().decode("latin-1")})
    assert reply.status == 400
