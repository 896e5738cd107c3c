"""How often a request waits for PostgreSQL: each round trip costs a network's latency, and CPU time on both sides."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from kalends.db import Database, UniqueViolation
from kalends.db.postgres import transaction
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client, Reply
from tests.faults.postgres import Proxy


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[Proxy]:
    proxy = Proxy(postgres_url)
    yield proxy
    proxy.close()


@pytest.fixture
def db(proxy: Proxy) -> Iterator[Postgres]:
    db = Postgres(proxy.database)
    yield db
    db.close()


@pytest.fixture
def alice(db: Postgres, guest_on: Callable[[Database], Client]) -> Person:
    return Cast(guest_on(db)).alice


def _round_trips(proxy: Proxy, request: Callable[[], Reply], status: int = 200) -> int:
    """Those of the second request: the first may find quotas and statistics that are not cached."""
    assert request().status == status
    before = proxy.round_trips
    assert request().status == status
    return proxy.round_trips - before


def test_show_takes_two(proxy: Proxy, alice: Person) -> None:
    event = an_event(alice)
    assert _round_trips(proxy, lambda: alice.get(f"/api/events/{event['id']}")) == 2


def test_show_takes_a_guest_one(proxy: Proxy, alice: Person) -> None:
    event = an_event(alice, public=True)
    guest = Client(alice.app)
    assert _round_trips(proxy, lambda: guest.get(f"/api/events/{event['id']}")) == 1


@pytest.mark.parametrize("query", ["calendar_id={0}&start_time=2026-01-01T00:00:00Z&limit=50", "scope=public"])
def test_index_takes_two(proxy: Proxy, alice: Person, query: str) -> None:
    calendar = a_calendar(alice)
    an_event(alice, calendar_id=calendar["id"])
    assert _round_trips(proxy, lambda: alice.get(f"/api/events?{query.format(calendar['id'])}")) == 2


def test_index_of_several_calendars_takes_four(proxy: Proxy, alice: Person) -> None:
    """The list is merged from the first events of each calendar."""
    an_event(alice, calendar_id=a_calendar(alice)["id"])
    assert _round_trips(proxy, lambda: alice.get("/api/events")) == 4


def test_a_text_search_takes_three(proxy: Proxy, alice: Person) -> None:
    """The second asks the planner how many events have the words."""
    an_event(alice, title="Zanzibar")
    words = iter(("zanzi", "zanzibar"))
    assert _round_trips(proxy, lambda: alice.get(f"/api/events?text={next(words)}&limit=50")) == 3


@pytest.mark.parametrize(("seconds", "round_trips"), [(60, 2), (0, 3)])
def test_the_same_text_search_takes_two_until_its_estimate_expires(
    proxy: Proxy, alice: Person, monkeypatch: pytest.MonkeyPatch, seconds: int, round_trips: int
) -> None:
    monkeypatch.setattr(transaction, "ESTIMATE_SECONDS", seconds)
    an_event(alice, title="Zanzibar")

    def search() -> Reply:
        reply = alice.get("/api/events?text=zanzibar&limit=50")
        assert [event["title"] for event in reply.json["events"]] == ["Zanzibar"]
        return reply

    assert _round_trips(proxy, search) == round_trips


def test_statements_after_a_known_estimate_are_in_one_transaction(db: Postgres) -> None:
    for _ in range(2):
        with db.read() as tx:
            tx.separate_read().ids_if_selective("events", "search", ["zanzibar"], 2_000)
            assert tx.value("SELECT transaction_timestamp()") == tx.value("SELECT transaction_timestamp()")


def test_create_takes_three(proxy: Proxy, alice: Person) -> None:
    fields = {"title": "Concert", "start_time": "2026-06-01T20:00", "calendar_id": a_calendar(alice)["id"]}
    assert _round_trips(proxy, lambda: alice.post("/api/events", json=fields), 201) == 3


def test_a_transaction_sends_begin_with_its_first_statement(proxy: Proxy, db: Postgres) -> None:
    with db.write() as tx:
        before = proxy.round_trips
        assert tx.value("SELECT 1") == 1
        assert tx.value("SELECT 2") == 2
        assert tx.final_write().value("SELECT 3") == 3
    assert proxy.round_trips == before + 3


def test_a_read_does_not_wait_for_its_end(proxy: Proxy, db: Postgres) -> None:
    """The first statement of the next transaction goes without a wait in between."""
    for _ in range(2):
        with db.read() as tx:
            assert tx.value("SELECT 1") == 1
    [connection] = db._idle
    assert connection._has_unread


def test_a_failed_final_statement_commits_nothing(db: Postgres) -> None:
    with db.write() as tx:
        tx.script("CREATE TABLE IF NOT EXISTS pebbles (id BIGINT PRIMARY KEY)")
        tx.script("TRUNCATE pebbles")
    with suppress(UniqueViolation), db.write() as tx:
        tx.run("INSERT INTO pebbles VALUES (1)")
        tx.final_write().run("INSERT INTO pebbles VALUES (1)")
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM pebbles") == 0


def test_a_final_read_does_not_commit_a_write(db: Postgres) -> None:
    """A list may be read within a larger action."""
    with suppress(ZeroDivisionError), db.write() as tx:
        tx.script("CREATE TABLE shells (id BIGINT PRIMARY KEY)")
        assert tx.final_read().value("SELECT count(*) FROM shells") == 0
        tx.run("INSERT INTO shells VALUES (1)")
        raise ZeroDivisionError
    with db.read() as tx:
        assert not tx.has_table("shells")
