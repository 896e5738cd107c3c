"""Requests whose client has disconnected: a queued one is not begun, and a running read is interrupted."""

import socket
from urllib.parse import quote

from tests.serve.conftest import Start
from tests.serve.running import Running, bearer

# Each phrase is searched for in every field, at 20,000 places that nearly match, and matches the last one. A star makes it a pattern of
# LIKE, which takes longer.
PHRASES = [f"{'a' * 60} {letter}" for letter in "bcdefghijklmnopqrst"]
PATTERNS = [f"a*{phrase[1:]}" for phrase in PHRASES]
SEARCH = "/api/events?text=" + quote(" ".join(f'"{pattern}"' for pattern in PATTERNS))


def test_a_search_stops_when_its_client_disconnects(start: Start, database: str) -> None:
    """Each takes seconds. While the only thread is held, others are refused after ten seconds."""
    service = start(threads=1, queue=64, read_timeout=600, database=database)
    _write_much(service)
    for _ in range(15):
        _ask_and_leave(service, SEARCH)
    assert service.get("/api/events?limit=1").status == 200


def test_a_search_that_times_out_is_refused_with_an_explanation(start: Start, database: str) -> None:
    service = start(read_timeout=1, database=database)
    _write_much(service)
    refused = service.get(SEARCH)
    assert (refused.status, "takes too long" in refused.json["detail"]) == (503, True)
    assert service.get("/api/events?limit=1").status == 200


def _write_much(service: Running) -> None:
    alice = bearer(service.sign_up("alice"))
    fields = {"title": "x", "start_time": "2027-01-01T10:00", "public": True, "description": "a" * 20_000, "tag_list": PHRASES}
    for _ in range(2):
        event = service.post("/api/events", fields, headers=alice)
        assert event.status == 201
        rule = {"frequency": "DAILY", "end_date": "2027-02-14"}
        assert service.request("PUT", f"/api/events/{event.json['id']}/repeat", rule, headers=alice).json["occurrences"] == 45


def _ask_and_leave(service: Running, path: str) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
