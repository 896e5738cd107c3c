"""The rate limit on guests' writes: per network, for all processes and servers together, and reported in header fields."""

from itertools import count
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from kalends.http.rate_limit import MAX_REFUSALS, RateLimit, guest_writes
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply, form_time
from tests.conftest import Clock
from tests.http.conftest import Stage, act

pytestmark = pytest.mark.on_one_database

MOST = 5

_numbers = count(1)


def an_address() -> str:
    """An IPv4 address that no other test uses."""
    number = next(_numbers)
    return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


def _write(ctx: Context) -> dict[str, bool]:
    """Something that guests may write."""
    return {"written": True}


@pytest.fixture
def book(limited: Client, stage: Stage) -> Client:
    """A guest book, with a small limit."""
    entry = act("POST", "/api/entries", _write, status=201, guests=True, rate_limited=True)
    return stage(entry, act("GET", "/api/entries", _write, guests=True), rate_limits="on", guest_writes_per_minute=MOST)


def write(book: Client, address: str, **more: Any) -> Reply:
    return book.post("/api/entries", remote_addr=address, **more)


def _event_without_mail(cast: Cast) -> dict[str, Any]:
    """A public event whose guests get no mail, which would be counted too."""
    return an_event(cast.alice, public=True, calendar_id=a_calendar(cast.alice, confirmations="off")["id"])


def uses(db: Database) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT sum(uses) FROM rate_counters") or 0)


def test_a_guest_writes_a_few_times_a_minute(book: Client, clock: Clock) -> None:
    address = an_address()
    assert [write(book, address).status for _ in range(MOST + 1)] == [201] * MOST + [429]
    assert write(book, an_address()).status == 201
    assert book.get("/api/entries", remote_addr=address).status == 200
    refused = write(book, address)
    assert refused.json["detail"] == (
        "Too many changes from your network without an account: the limit is 5 a minute. Wait a minute, or sign in."
    )
    clock.ahead(int(refused.headers["Retry-After"]) - 1)
    assert write(book, address).status == 429
    clock.ahead(1)
    assert write(book, address).status == 201


def test_the_addresses_of_an_ipv6_network_count_as_one(book: Client) -> None:
    number = next(_numbers)
    statuses = [write(book, f"2001:db8:5:{number:x}::{host:x}").status for host in range(1, MOST + 2)]
    assert statuses == [201] * MOST + [429]
    assert write(book, f"2001:db8:6:{number:x}::1").status == 201


def test_the_limit_holds_across_processes_and_servers(cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock) -> None:
    event = an_event(cast.alice, public=True)
    processes = [
        Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=MOST), clock)) for _ in range(2)
    ]
    address = an_address()
    statuses = [
        processes[turn % 2].post("/api/responses", json=response_fields(event["id"], turn), remote_addr=address).status
        for turn in range(MOST + 2)
    ]
    assert statuses == [201] * MOST + [429] * 2


def response_fields(event_id: int, number: int) -> dict[str, Any]:
    return {"event_id": event_id, "email_address": f"guest{number}@example.org", "response": "YES"}


def test_failed_guest_writes_count_too(cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock) -> None:
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=MOST), clock))
    address = an_address()
    registration = {"user_name": cast.alice.user_name, "email_address": "new@example.org", "password": "long enough 7x"}
    for fields, status in [({}, 422), (registration, 409)] * 2:
        assert guest.post("/api/users", json=fields, remote_addr=address).status == status
    assert guest.post("/api/responses", json=response_fields(9_999_999, 1), remote_addr=address).status == 404
    assert guest.post("/api/users", json=registration, remote_addr=address).status == 429


def test_a_guest_write_is_counted_once(cast: Cast, db: Database, limited: Client) -> None:
    event = _event_without_mail(cast)
    assert limited.post("/api/responses", json=response_fields(event["id"], 1), remote_addr=an_address()).status == 201
    # For the network, and for the event.
    assert uses(db) == 2
    assert limited.post("/api/responses", json={}, remote_addr=an_address()).status == 422
    assert uses(db) == 3


def test_refused_calls_write_nothing(book: Client, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    address = an_address()
    assert [write(book, address).status for _ in range(MOST + 1)][-1] == 429
    monkeypatch.setattr(type(db), "write", lambda *arguments, **more: pytest.fail("a refused call wrote"))
    assert [write(book, address).status for _ in range(3)] == [429] * 3


def test_rate_limit_headers_have_the_limit_and_the_remaining_writes(book: Client) -> None:
    address = an_address()
    first, second = write(book, address), write(book, address)
    assert first.headers["RateLimit-Policy"] == second.headers["RateLimit-Policy"] == '"guest-writes";q=5;w=60'
    assert [reply.headers["RateLimit"].rpartition(";t=")[0] for reply in (first, second)] == [
        '"guest-writes";r=4',
        '"guest-writes";r=3',
    ]
    assert [write(book, address).status for _ in range(4)][-1] == 429
    refused = write(book, address)
    assert refused.headers["RateLimit"] == f'"guest-writes";r=0;t={refused.headers["Retry-After"]}'
    assert "RateLimit" not in book.get("/api/entries", remote_addr=address).headers


def test_the_guests_of_a_venue_may_share_a_network(cast: Cast, limited: Client) -> None:
    """Unless the operator says otherwise, a hundred of them respond and comment within a minute."""
    event = _event_without_mail(cast)
    reply = limited.post("/api/responses", json=response_fields(event["id"], 1), remote_addr=an_address())
    assert '"guest-writes";q=300;w=60' in reply.headers["RateLimit-Policy"]


def test_a_forged_cookie_does_not_evade_the_limit(book: Client) -> None:
    address = an_address()
    forged = [{"Cookie": f"kalends_session=forged{i}", "Sec-Fetch-Site": "same-origin"} for i in range(MOST + 1)]
    assert [write(book, address, headers=headers).status for headers in forged] == [201] * MOST + [429]
    assert write(book, address).status == 429


@pytest.mark.parametrize("carrier", ["token", "cookie"])
def test_signed_in_people_are_not_limited(cast: Cast, book: Client, carrier: str) -> None:
    address = an_address()
    cookie = {"Cookie": f"kalends_session={cast.alice.token}", "Sec-Fetch-Site": "same-origin"}
    headers = cookie if carrier == "cookie" else {"Authorization": f"Bearer {cast.alice.token}"}
    replies = [write(book, address, headers=headers) for _ in range(MOST + 2)]
    assert [reply.status for reply in replies] == [201] * (MOST + 2)
    assert "RateLimit" not in replies[0].headers


@pytest.mark.parametrize("form", ["respond", "comment", "send"])
def test_a_refused_form_keeps_what_was_typed(
    cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock, form: str
) -> None:
    event = an_event(cast.alice, public=True)
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_minute=1), clock))
    address = an_address()
    typed = {"email_address": "typed@example.org", "response": "YES", "name": "Typed", "comment": "typed@example.org"}
    typed["email"] = "typed@example.org"
    path, headers = f"/events/{event['id']}/{form}", {"Accept": "text/html"}
    typed["form_time"] = form_time(guest.get(f"/events/{event['id']}"), path)
    clock.ahead(2)
    assert guest.post(path, data=typed, remote_addr=address, headers=headers).status == 303
    # The first refusal comes from the database, the second from memory.
    for _ in range(2):
        refused = guest.post(path, data=typed, remote_addr=address, headers=headers)
        assert refused.status == 429
        assert "typed@example.org" in refused.text
        assert "Wait a minute, or sign in." in refused.text
        assert int(refused.headers["Retry-After"]) > 0


def test_expired_counters_are_deleted(cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock) -> None:
    event = _event_without_mail(cast)
    limited.post("/api/responses", json=response_fields(event["id"], 1), remote_addr=an_address())
    clean_up(Context(db, settings, clock.now))
    # For the network, and for the event.
    assert uses(db) == 2
    clean_up(Context(db, settings, clock.now + 120))
    assert uses(db) == 1
    clean_up(Context(db, settings, clock.now + 7200))
    assert uses(db) == 0


def test_no_counter_discloses_the_address(cast: Cast, db: Database, limited: Client) -> None:
    event = _event_without_mail(cast)
    limited.post("/api/responses", json=response_fields(event["id"], 1), remote_addr="10.98.76.54")
    with db.read() as tx:
        rows = tx.rows("SELECT subject FROM rate_counters")
    assert len(rows) == 2
    assert "10.98" not in str(rows)


def test_refusals_are_bounded_in_memory() -> None:
    limit = RateLimit(Settings(secret="x" * 32), guest_writes(Settings()))
    for number in range(MAX_REFUSALS + 10):
        limit._remember(f"subject {number}", 1000, 1060)
    assert len(limit._refused_until) == MAX_REFUSALS
    limit._remember("later", 1060, 1120)
    assert list(limit._refused_until) == ["later"]


def test_all_guests_together_write_to_an_event_a_limited_number_of_times(
    cast: Cast, db: Database, settings: Settings, limited: Client, clock: Clock
) -> None:
    guest = Client(application(db, structs.replace(settings, rate_limits="on", guest_writes_per_event_per_hour=MOST), clock))
    event, other = _event_without_mail(cast), _event_without_mail(cast)
    statuses = [
        guest.post("/api/responses", json=response_fields(event["id"], turn), remote_addr=an_address()).status for turn in range(MOST + 1)
    ]
    assert statuses == [201] * MOST + [429]
    comment = {"event_id": event["id"], "email_address": "guest@example.org", "comment": "Hello"}
    assert guest.post("/api/comments", json=comment, remote_addr=an_address()).status == 429
    assert guest.post("/api/responses", json=response_fields(other["id"], 1), remote_addr=an_address()).status == 201
    assert cast.bob.post("/api/comments", json={"event_id": event["id"], "comment": "Hello"}).status == 201
    clock.ahead(7200)
    assert guest.post("/api/responses", json=response_fields(event["id"], 1), remote_addr=an_address()).status == 201
