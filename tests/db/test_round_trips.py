"""How often a request waits for PostgreSQL: each round trip costs a network's latency, and CPU time on both sides."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kalends.db import Database
from kalends.db.postgres import transaction
from kalends.db.postgres.connection import Connection
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, Person, a_calendar, an_event
from tests.client import Client, Reply


class RoundTrips:
    """How often a connection has waited for the server. It does not wait for the end of a read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.number = 0
        execute_together = Connection.execute_together

        def count(connection: Connection, *args: Any, **kwargs: Any) -> Any:
            self.number += 1
            return execute_together(connection, *args, **kwargs)

        monkeypatch.setattr(Connection, "execute_together", count)


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> RoundTrips:
    return RoundTrips(monkeypatch)


@pytest.fixture
def db(postgres_url: str) -> Iterator[Postgres]:
    db = Postgres(postgres_url)
    yield db
    db.close()


@pytest.fixture
def alice(db: Postgres, guest_on: Callable[[Database], Client]) -> Person:
    return Cast(guest_on(db)).alice


def _round_trips(trips: RoundTrips, request: Callable[[], Reply], status: int = 200) -> int:
    """Those of the second request: the first may find quotas and statistics that are not cached."""
    assert request().status == status
    before = trips.number
    assert request().status == status
    return trips.number - before


def test_show_takes_two(trips: RoundTrips, alice: Person) -> None:
    event = an_event(alice)
    assert _round_trips(trips, lambda: alice.get(f"/api/events/{event['id']}")) == 2


def test_show_takes_a_guest_two(trips: RoundTrips, alice: Person) -> None:
    """One of them asks whether the site is for members only."""
    event = an_event(alice, public=True)
    guest = Client(alice.app)
    assert _round_trips(trips, lambda: guest.get(f"/api/events/{event['id']}")) == 2


@pytest.mark.parametrize("query", ["calendar_id={0}&start_time=2026-01-01T00:00:00Z&limit=50", "scope=public"])
def test_index_takes_two(trips: RoundTrips, alice: Person, query: str) -> None:
    calendar = a_calendar(alice)
    an_event(alice, calendar_id=calendar["id"])
    assert _round_trips(trips, lambda: alice.get(f"/api/events?{query.format(calendar['id'])}")) == 2


def test_index_of_several_calendars_takes_four(trips: RoundTrips, alice: Person) -> None:
    """The list is merged from the first events of each calendar."""
    an_event(alice, calendar_id=a_calendar(alice)["id"])
    assert _round_trips(trips, lambda: alice.get("/api/events")) == 4


def test_a_text_search_takes_three(trips: RoundTrips, alice: Person) -> None:
    """The second asks the planner how many events have the words."""
    an_event(alice, title="Zanzibar")
    words = iter(("zanzi", "zanzibar"))
    assert _round_trips(trips, lambda: alice.get(f"/api/events?text={next(words)}&limit=50")) == 3


@pytest.mark.parametrize(("seconds", "round_trips"), [(60, 2), (0, 3)])
def test_the_same_text_search_takes_two_until_its_estimate_expires(
    trips: RoundTrips, alice: Person, monkeypatch: pytest.MonkeyPatch, seconds: int, round_trips: int
) -> None:
    monkeypatch.setattr(transaction, "ESTIMATE_SECONDS", seconds)
    an_event(alice, title="Zanzibar")

    def search() -> Reply:
        reply = alice.get("/api/events?text=zanzibar&limit=50")
        assert [event["title"] for event in reply.json["events"]] == ["Zanzibar"]
        return reply

    assert _round_trips(trips, search) == round_trips


def test_create_takes_five(trips: RoundTrips, alice: Person) -> None:
    fields = {"title": "Concert", "start_time": "2026-06-01T20:00", "calendar_id": a_calendar(alice)["id"]}
    assert _round_trips(trips, lambda: alice.post("/api/events", json=fields), 201) == 5


def test_a_transaction_sends_begin_with_its_first_statement(trips: RoundTrips, db: Postgres) -> None:
    with db.write() as tx:
        before = trips.number
        assert tx.value("SELECT 1") == 1
        assert tx.value("SELECT 2") == 2
    # And COMMIT.
    assert trips.number == before + 3


def test_a_read_does_not_wait_for_its_end(db: Postgres) -> None:
    """The first statement of the next transaction goes without a wait in between."""
    for _ in range(2):
        with db.read() as tx:
            assert tx.value("SELECT 1") == 1
    [connection] = db._idle
    assert connection._has_unread
