"""Request smuggling: framing that a proxy might read otherwise than the service makes no second request of a body."""

import pytest

from tests.security.wire import calendars, request, statuses
from tests.serve.running import Running

pytestmark = pytest.mark.usefixtures("unharmed")

LENGTH, CHUNKED = "Content-Length: 5", "Transfer-Encoding: chunked"
BAD_FRAMING = {
    "two lengths": ("Content-Length: 3", "Content-Length: 30"),
    "a list of lengths": ("Content-Length: 3, 30",),
    "a length with a sign": ("Content-Length: +3",),
    "a length below nought": ("Content-Length: -3",),
    "a length in hexadecimal": ("Content-Length: 0x3",),
    "a length of two words": ("Content-Length: 3 3",),
    "an unknown coding": ("Transfer-Encoding: xchunked",),
    "chunked, but not at last": ("Transfer-Encoding: chunked, gzip",),
    "no coding": ("Transfer-Encoding: identity",),
    "a space before the colon": ("Transfer-Encoding : chunked", "Content-Length: 3"),
    "a folded header": ("X-A: b\r\n Transfer-Encoding: chunked", "Content-Length: 3"),
    "a bare line feed": ("X-A: b\nTransfer-Encoding: chunked", "Content-Length: 3"),
    "a bare carriage return": ("X-A: b\rTransfer-Encoding: chunked", "Content-Length: 3"),
    "a NUL": ("X-A: b\x00", "Content-Length: 3"),
    "a header without a name": (": chunked", "Content-Length: 3"),
    "a header without a colon": ("Transfer-Encoding chunked", "Content-Length: 3"),
}


@pytest.mark.parametrize("shape", BAD_FRAMING)
def test_framing_that_others_would_read_otherwise_smuggles_nothing(started: Running, alice: str, shape: str) -> None:
    """The three bytes that the length counts are a body; what follows would be a request of its own if they were not agreed upon."""
    marked = f"smuggled {list(BAD_FRAMING).index(shape):02}"
    inner = _inner(alice, marked)
    head = request("POST /api/session HTTP/1.1", "Content-Type: application/json", *BAD_FRAMING[shape])
    codes = statuses(started, head + b"0\r\n\r\n" + inner)
    assert len(codes) <= 1, codes
    assert all(400 <= status < 500 or status == 501 for status in codes), codes
    assert calendars(started, alice, marked) == 0


def _inner(alice: str, name: str) -> bytes:
    body = b'{"name": "%s"}' % name.encode()
    return request("POST /api/calendars HTTP/1.1", alice, "Content-Type: application/json", f"Content-Length: {len(body)}", body=body)


@pytest.mark.parametrize("both", [(LENGTH, CHUNKED), (CHUNKED, LENGTH)], ids=["length first", "chunks first"])
def test_a_length_beside_chunks_is_refused_or_ends_the_connection(started: Running, alice: str, both: tuple[str, str]) -> None:
    """RFC 9112, 6.1: chunks count, not the length, and the connection ends with the reply, so that nothing is smuggled behind it."""
    marked = f"behind {both[0]}"
    head = request("POST /api/session HTTP/1.1", "Content-Type: application/json", *both)
    codes = statuses(started, head + b"0\r\n\r\n" + _inner(alice, marked))
    assert len(codes) == 1, codes
    assert 400 <= codes[0] < 500
    assert calendars(started, alice, marked) == 0


@pytest.mark.parametrize(
    "chunks",
    [
        *(
            b"-1\r\nx\r\n0\r\n\r\n",
            b"g\r\nx\r\n0\r\n\r\n",
            b"FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n",
            b"\r\n0\r\n\r\n",
            b"0x3\r\nabc\r\n0\r\n\r\n",
        ),
        *(b"3\nabc\n0\n\n", b"3;" + b"e" * 50_000 + b"\r\nabc\r\n0\r\n\r\n", b"2\r\nabc\r\n0\r\n\r\n", b"5\r\nabc\r\n0\r\n\r\n", b"3"),
        b"0\r\n" + b"X-Trailer: y\r\n" * 5_000 + b"\r\n",
    ],
)
def test_broken_chunks_are_refused(started: Running, alice: str, chunks: bytes) -> None:
    head = request("POST /api/calendars HTTP/1.1", alice, "Content-Type: application/json", "Transfer-Encoding: chunked")
    codes = statuses(started, head + chunks)
    assert all(400 <= status < 500 for status in codes), codes


def test_trailers_set_no_header(started: Running, alice: str) -> None:
    """Credentials come before the body, or not at all."""
    head = request("POST /api/calendars HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked", "Trailer: Authorization")
    assert statuses(started, head + b'10\r\n{"name": "late"}\r\n0\r\n' + alice.encode() + b"\r\n\r\n") in ([400], [401])
    assert calendars(started, alice, "late") == 0
