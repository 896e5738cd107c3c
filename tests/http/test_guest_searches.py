"""The rate limit on guests' searches: per network, counted in memory, so that no read writes."""

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http import rate_limit
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.http.test_guest_writes import an_address

MOST = 4


@pytest.fixture
def guest(db: Database, settings: Settings, clock: Clock) -> Client:
    return Client(application(db, structs.replace(settings, rate_limits="on", guest_searches_per_minute=MOST), clock))


@pytest.mark.parametrize(
    "path", ["/api/events?text=jazz", "/api/events?city=Paris", "/api/events.ics?text=jazz", "/?text=jazz", "/feed.xml?text=jazz"]
)
def test_a_network_searches_a_limited_number_of_times_a_minute(guest: Client, clock: Clock, path: str) -> None:
    address = an_address()
    replies = [guest.get(path, remote_addr=address) for _ in range(MOST + 3)]
    assert [reply.status for reply in replies] == [200] * MOST + [429] * 3
    assert guest.get(path, remote_addr=an_address()).status == 200
    assert guest.get("/api/events", remote_addr=address).status == 200
    assert guest.get("/", remote_addr=address).status == 200
    clock.ahead(int(replies[-1].headers["Retry-After"]))
    assert guest.get(path, remote_addr=address).status == 200


def test_searches_of_all_kinds_count_together(guest: Client) -> None:
    address = an_address()
    paths = ["/api/events?text=jazz", "/?text=jazz", "/feed.xml?text=jazz", "/api/events.ics?text=jazz", "/?text=jazz"]
    assert [guest.get(path, remote_addr=address).status for path in paths] == [200] * MOST + [429]


def test_people_with_an_account_search_as_often_as_they_like(guest: Client, cast: Cast) -> None:
    bob = Client(guest.app, cast.bob.token)
    assert {bob.get("/api/events?text=jazz&scope=public").status for _ in range(MOST + 2)} == {200}


def test_a_search_counts_without_a_write(guest: Client, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(db), "write", lambda *arguments, **more: pytest.fail("a search wrote"))
    address = an_address()
    assert [guest.get("/api/events?text=jazz", remote_addr=address).status for _ in range(MOST + 1)][-1] == 429


def test_counters_of_searches_need_bounded_memory(guest: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MAX_SEARCHERS", 3)
    counters = rate_limit.SearchCounters()
    monkeypatch.setattr("kalends.features.events.listing.store.listing.search_counters", counters)
    for _ in range(10):
        assert guest.get("/api/events?text=jazz", remote_addr=an_address()).status == 200
    assert len(counters._windows) == 3
