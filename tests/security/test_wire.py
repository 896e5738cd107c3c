"""The wire: sizes, paths, methods, hosts and protocols that no client library sends. The service replies, refuses or hangs up."""

import re
import socket
from select import select

import pytest

from kalends.app.application import ENDPOINTS
from tests.security.wire import calendars, connected, exchange, first, received, request, statuses
from tests.serve.running import Running, bearer

pytestmark = pytest.mark.usefixtures("unharmed")

MIB = 1024 * 1024
GIGABYTE = 1_000_000_000
PATHS = sorted({re.sub(r"{\w+}", "1", endpoint.url) for endpoint in ENDPOINTS})


def test_a_gigabyte_is_refused_before_it_is_sent_whatever_the_path(started: Running) -> None:
    for path in PATHS:
        for method in ("POST", "GET"):
            head = request(f"{method} {path} HTTP/1.1", f"Content-Length: {GIGABYTE}", "Content-Type: application/json")
            assert first(started, head) == 413, (method, path)


def test_a_content_length_beyond_63_bits_is_refused(started: Running) -> None:
    for length in (2**63, 2**64, 10**400):
        assert first(started, request("POST /api/session HTTP/1.1", f"Content-Length: {length}")) in (400, 413)


@pytest.mark.parametrize(
    "path", ["/api/session", pytest.param("/sign-in", marks=pytest.mark.soak), pytest.param("/static/style.css", marks=pytest.mark.soak)]
)
@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
def test_a_gigabyte_in_chunks_is_refused(started: Running, path: str, kind: str) -> None:
    """It is read and discarded for a moment, so that the client sees why."""
    (server,) = started.servers
    before = _memory(server)
    with connected(started) as connection:
        connection.sendall(request(f"POST {path} HTTP/1.1", "Transfer-Encoding: chunked", f"Content-Type: {kind}"))
        bytes_sent = _send_chunks(connection)
        reply = received(connection)
    assert bytes_sent < GIGABYTE
    assert reply == b"" or reply.startswith(b"HTTP/1.1 413")
    assert _memory(server) - before < 64


def _send_chunks(connection: socket.socket) -> int:
    """Send a gigabyte, or as much of it as is accepted before the reply."""
    chunk = b"100000\r\n" + b"x" * MIB + b"\r\n"
    for offset in range(0, GIGABYTE, MIB):
        try:
            connection.sendall(chunk)
        except OSError:
            return offset
        if select([connection], [], [], 0)[0]:
            return offset
    return GIGABYTE


def _memory(pid: int) -> int:
    """The resident memory of the process, in MiB."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))


@pytest.mark.parametrize("length", [7_000, 60_000, 200_000])
def test_a_long_path_query_or_header_is_accepted_or_refused(started: Running, length: int) -> None:
    long = "x" * length
    for line, header in [
        (f"GET /{long} HTTP/1.1", "X-A: b"),
        (f"GET /api/{long} HTTP/1.1", "X-A: b"),
        (f"GET /api/openapi?{long}={long} HTTP/1.1", "X-A: b"),
        ("GET /api/openapi.json HTTP/1.1", f"X-A: {long}"),
        ("GET /api/openapi.json HTTP/1.1", f"{long}: a"),
        ("GET /api/openapi.json HTTP/1.1", f"Cookie: {long}"),
        (f"{long} /healthz HTTP/1.1", "X-A: b"),
    ]:
        codes = statuses(started, request(line, header, "Connection: close"))
        assert codes == [] or codes[0] in (200, 400, 404, 405, 413, 414, 422, 431), (line[:40], header[:40], codes)


def test_ten_thousand_headers_are_refused(started: Running) -> None:
    codes = statuses(started, request("GET /healthz HTTP/1.1", *(f"X-{i}: a" for i in range(10_000))))
    assert codes in ([], [400], [431])


@pytest.mark.parametrize(
    "path",
    [
        *("/%", "/%zz", "/%00", "/%ff", "/api/events/%00", "/api/%e2%28%a1", "//", "//evil.example/", "/\\evil.example", "/./../..", "*"),
        *("/static/../../../etc/passwd", "/static/..%2f..%2f..%2fetc%2fpasswd", "/static/%2e%2e/%2e%2e/secret", "/static/....//secret"),
        *(
            "/static/.%00./x",
            "/static//etc/passwd",
            "/static/",
            "/static",
            "/.git/config",
            "/.env",
            "/kalends.toml",
            "/data/secret",
            "/secret",
        ),
        *("http://evil.example/", "http://evil.example/static/style.css", "evil.example:443", "/api/events/1;a=b", "/api/events?x#y", "/é"),
    ],
)
def test_no_path_leads_out_of_the_service(started: Running, path: str) -> None:
    codes = statuses(started, request(f"GET {path} HTTP/1.1", "Connection: close"))
    assert codes == [] or codes[0] in (200, 303, 400, 404, 405), (path, codes)
    if codes in ([200], [303]):
        # Whatever host they name, they are our own start page (which leads to the form for the first account), list and style.
        assert path in (
            "//",
            "http://evil.example/",
            "http://evil.example/static/style.css",
            "/api/events?x#y",
            "/./../..",
            "evil.example:443",
        ), path


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "PROPFIND", "DEBUG", "get", "G\u00cbT", "GET\t", "DELETE\x00", "PRI"])
@pytest.mark.parametrize("path", ["/", "/api/events", "/api/session/current", "/static/style.css", "/healthz"])
def test_other_methods_are_refused(started: Running, method: str, path: str) -> None:
    codes = statuses(started, request(f"{method} {path} HTTP/1.1", "X-Secret: told", "Connection: close"))
    # PROPFIND asks for a login: programs that know the host alone look for CalDAV there.
    assert codes == [] or codes[0] in ((400, 404, 405) if method != "PROPFIND" or path != "/" else (401,)), codes


def test_no_header_overrides_the_method(started: Running, alice: str) -> None:
    token = alice.rpartition(" ")[2]
    calendar = started.post("/api/calendars", {"name": "Stays"}, headers=bearer(token)).json
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"):
        for method, query in (("GET", "?_method=DELETE"), ("POST", "?_method=DELETE"), ("PUT", "")):
            statuses(
                started, request(f"{method} /api/calendars/{calendar['id']}{query} HTTP/1.1", alice, f"{name}: DELETE", "Connection: close")
            )
    assert calendars(started, alice, "Stays") == 1


@pytest.mark.parametrize("host", ["evil.example", "evil.example:1", "calendar@evil.example", "", "a b", "[::1", "x" * 5_000, "é", "\x00"])
def test_no_host_header_gets_into_a_reply(started: Running, host: str) -> None:
    for path in ("/api/openapi.json", "/", "/sign-in", "/account", "/api/calendars/", "/nowhere"):
        content = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n"
        reply = exchange(started, content.encode("latin-1"))
        assert b"evil.example" not in reply
        assert reply == b"" or not reply.startswith(b"HTTP/1.1 5")


@pytest.mark.parametrize(
    "hosts",
    [[], ["calendar", "calendar"], ["calendar", "evil.example"], ["calendar, evil.example"], ["calendar@evil.example"], ["a b"], ["[::1"]],
    ids=repr,
)
@pytest.mark.parametrize("line", ["GET /healthz", "GET /api/events/1", "POST /api/session", "GET http://calendar/healthz"])
def test_a_request_names_one_host_or_is_400(started: Running, line: str, hosts: list[str]) -> None:
    """RFC 9112, 3.2."""
    head = [f"{line} HTTP/1.1", *(f"Host: {host}" for host in hosts), "Content-Length: 0", "", ""]
    assert first(started, "\r\n".join(head).encode()) == 400


@pytest.mark.parametrize("host", ["calendar", "calendar:8000", "cal_1.example.org", "127.0.0.1:80", "[::1]:8000", ""])
def test_any_one_host_is_served_and_http_1_0_needs_none(started: Running, host: str) -> None:
    assert first(started, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()) == 200
    assert first(started, b"GET /healthz HTTP/1.0\r\n\r\n") == 200


def test_a_head_of_more_than_64_kib_is_431(started: Running) -> None:
    for size, status in ((60_000, 200), (66_000, 431), (100_000, 431)):
        assert first(started, request("GET /healthz HTTP/1.1", f"X-A: {'x' * size}")) == status
    assert first(started, request("GET /healthz HTTP/1.1", *(f"X-{i}: {'x' * 1_000}" for i in range(80)))) == 431


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"\x00" * 5_000,
            b"\r\n" * 5_000,
        ),
        *(b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/0.9\r\n\r\n", b"GET /\r\n", b"GET  /  HTTP/1.1\r\n\r\n", b"\xff\xfe" * 500),
        *(b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"),
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nConnection: Upgrade, HTTP2-Settings, close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, nonsense\r\nConnection: close\r\n\r\n",
    ],
)
def test_other_protocols_are_refused(started: Running, content: bytes) -> None:
    assert all(status < 500 or status == 505 for status in statuses(started, content))
