"""The cache of replies: its replies are those that would be made now."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kalends import policy
from kalends.app import application
from kalends.db import Database, Retry, open_database
from kalends.db.sqlite.database import Sqlite
from kalends.http.paging import paginate
from kalends.http.reply_cache import ALLOWANCE, MAX_BYTES, ReplyCache
from kalends.reply import Reply
from kalends.settings import Settings
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.conftest import Clock

# Of six requests, the replies to the first two are made; on a database server, which tells no version of its data, all are.
ASKED, MADE = 6, {True: 2, False: 6}


class Made:
    """Counts the replies that are made."""

    def __init__(self, clock: Clock) -> None:
        self.number = 0
        self._clock = clock

    def of(self, reader: Client, path: str, times: int, **options: Any) -> int:
        before = self.number
        for _ in range(times):
            assert reader.get(path, **options).status in (200, 304)
        return self.number - before

    def in_a_second(self, reader: Client, path: str, **options: Any) -> int:
        self._clock.ahead(1)
        return self.of(reader, path, ASKED, **options)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Made:
    made = Made(clock)

    def counted(function: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            made.number += 1
            return function(*args, **options)

        return call

    monkeypatch.setattr(policy, "event_with_counts", counted(policy.event_with_counts))
    monkeypatch.setattr("kalends.events.api.paginate", counted(paginate))
    return made


@pytest.fixture
def event(cast: Cast) -> dict[str, Any]:
    """A public event that is long enough to be compressed."""
    return an_event(cast.alice, calendar_id=a_calendar(cast.alice, public=True)["id"], public=True, description="Jazz. " * 200)


def _paths(event: dict[str, Any]) -> list[str]:
    return [f"/api/events/{event['id']}", f"/api/events?calendar_id={event['calendar_ids'][0]}"]


def test_a_reply_is_made_twice_a_second(db: Database, cast: Cast, made: Made, event: dict[str, Any]) -> None:
    for path in _paths(event):
        for reader in (cast.alice, cast.carol, cast.anonymous):
            assert made.in_a_second(reader, path) == MADE[db.is_embedded]


def test_what_is_sent_again_is_the_same_reply(cast: Cast, event: dict[str, Any]) -> None:
    for path in _paths(event):
        first, *others = (cast.alice.get(path) for _ in range(4))
        ids = {reply.headers["X-Request-Id"] for reply in (first, *others)}
        assert len(ids) == 4
        for reply in others:
            assert reply.content == first.content
            assert {**reply.headers, "x-request-id": ""} == {**first.headers, "x-request-id": ""}


def test_a_change_is_seen_immediately(cast: Cast, made: Made, event: dict[str, Any]) -> None:
    show, index = _paths(event)
    for number in range(8):
        made.of(cast.anonymous, show, 3)
        made.of(cast.anonymous, index, 3)
        assert cast.alice.put(show, json={"title": f"Take {number}"}).status == 200
        assert cast.anonymous.get(show).json["title"] == f"Take {number}"
        assert [each["title"] for each in cast.anonymous.get(index).json["events"]] == [f"Take {number}"]


def test_a_change_by_another_process_is_seen_immediately(
    cast: Cast, made: Made, settings: Settings, clock: Clock, event: dict[str, Any]
) -> None:
    show, index = _paths(event)
    elsewhere = open_database(settings)
    alice = Client(application(elsewhere, settings, clock), cast.alice.token)
    try:
        for number in range(8):
            made.of(cast.anonymous, show, 3)
            made.of(cast.anonymous, index, 3)
            assert alice.put(show, json={"title": f"Take {number}"}).status == 200
            assert cast.anonymous.get(show).json["title"] == f"Take {number}"
            assert [each["title"] for each in cast.anonymous.get(index).json["events"]] == [f"Take {number}"]
    finally:
        elsewhere.close()


def test_a_right_that_ends_ends_immediately(cast: Cast, made: Made) -> None:
    private = an_event(cast.alice, public=False)
    [path, _] = _paths(private)
    made.of(cast.alice, path, 3)
    assert cast.anonymous.get(path).status == cast.carol.get(path).status == 404
    assert cast.alice.delete(f"/api/session/{cast.alice.session_id}").status < 300
    assert cast.alice.get(path).status == 401


def test_a_session_that_expires_expires_in_its_second(cast: Cast, made: Made, clock: Clock, event: dict[str, Any]) -> None:
    path, _ = _paths(event)
    made.of(cast.alice, path, 3)
    clock.ahead(400 * 24 * 3600)
    assert cast.alice.get(path).status == 401


def test_a_wrong_bearer_token_is_not_a_wrong_cookie(db: Database, client: Client, made: Made, event: dict[str, Any]) -> None:
    path, _ = _paths(event)
    assert made.in_a_second(client, path, headers={"Cookie": "kalends_session=wrong"}) == MADE[db.is_embedded]
    assert client.get(path, headers={"Authorization": "Bearer wrong"}).status == 401


def test_each_client_gets_it_as_it_asks(db: Database, cast: Cast, made: Made, event: dict[str, Any]) -> None:
    path, index = _paths(event)
    made.of(cast.alice, path, 3)
    etag = cast.alice.get(path).headers["ETag"]
    assert cast.alice.get(path, headers={"If-None-Match": etag}).status == 304
    packed = cast.alice.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    plain = cast.alice.get(path)
    assert (plain.headers.get("Content-Encoding"), plain.headers["ETag"], plain.json["id"]) == (None, etag, event["id"])
    assert made.in_a_second(cast.alice, path, headers={"If-None-Match": etag}) == MADE[db.is_embedded]
    made.of(cast.alice, index, 3)
    strict = cast.alice.get(f"{index}&colour=red", headers={"Prefer": "handling=strict"})
    assert strict.status == 422


def test_the_head_of_a_reply_that_is_sent_again(cast: Cast, made: Made, event: dict[str, Any]) -> None:
    path, _ = _paths(event)
    made.of(cast.alice, path, 3)
    head = cast.alice.request("HEAD", path)
    assert (head.status, head.content) == (200, b"")
    assert cast.alice.get(path).json["id"] == event["id"]


def test_errors_are_not_sent_again(cast: Cast) -> None:
    path = f"/api/events/{2**60}"
    assert {cast.alice.get(path).status for _ in range(4)} == {404}
    ids = {cast.alice.get(path).json["request_id"] for _ in range(4)}
    assert len(ids) == 4


class Recent:
    """A cache on a database of its own."""

    def __init__(self, path: Path):
        self.db = Sqlite(path)
        self.replies = ReplyCache(self.db)
        with self.db.write() as tx:
            tx.run("CREATE TABLE pebbles (id INTEGER PRIMARY KEY)")

    def ask(self, path: str, second: int = 1, *, size: int = 10) -> bool:
        """Whether a reply is sent again; if not, one is made."""
        key = (path, "", None, False, "")
        if self.replies.find(second, key):
            return True
        self.replies.add(key, Reply(200, "text/plain", b"x" * size, {}), None)
        return False

    def change(self) -> None:
        with self.db.write() as tx:
            tx.run("INSERT INTO pebbles DEFAULT VALUES")


@pytest.fixture
def recent(tmp_path: Path) -> Iterator[Recent]:
    recent = Recent(tmp_path / "pebbles.db")
    yield recent
    recent.db.close()


def test_a_reply_is_sent_again_until_the_data_or_the_second_changes(recent: Recent) -> None:
    assert [recent.ask("/a") for _ in range(4)] == [False, False, True, True]
    recent.change()
    assert [recent.ask("/a") for _ in range(3)] == [False, True, True]
    assert [recent.ask("/a", second=2) for _ in range(3)] == [False, False, True]


def test_another_thread_makes_its_own(recent: Recent) -> None:
    assert [recent.ask("/a") for _ in range(3)] == [False, False, True]
    with ThreadPoolExecutor(1) as thread:
        assert list(thread.map(recent.ask, ["/a"] * 3)) == [False, False, True]


def test_the_database_is_not_asked_about_what_comes_once(recent: Recent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sqlite, "data_version", lambda _: pytest.fail("it was asked"))
    assert not any(recent.ask(f"/{number}") for number in range(100))


def test_the_database_is_not_asked_about_what_cannot_be_sent_again(recent: Recent, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (MAX_BYTES // 2, MAX_BYTES):
        [recent.ask(f"/{size}", size=size) for _ in range(2)]
    assert recent.ask(f"/{MAX_BYTES // 2}")
    monkeypatch.setattr(Sqlite, "data_version", lambda _: pytest.fail("it was asked"))
    assert not any(recent.ask(f"/{MAX_BYTES}", size=MAX_BYTES) for _ in range(4))
    # An error is no reply.
    assert not any(recent.replies.find(1, ("/error", "", None, False, "")) for _ in range(4))


def test_a_reply_is_made_if_the_version_is_not_known(recent: Recent, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Sqlite) -> None:
        raise Retry

    recent.ask("/a")
    monkeypatch.setattr(Sqlite, "data_version", interrupted)
    assert [recent.ask("/a") for _ in range(3)] == [False] * 3


def test_the_cache_needs_bounded_memory(recent: Recent) -> None:
    large = MAX_BYTES // 2 - 2 * ALLOWANCE
    paths = ["/a", "/b", "/c"]
    for path in paths:
        recent.ask(path, size=large)
    assert [[recent.ask(path, size=large) for _ in range(3)] for path in paths] == [[False, True, True]] * 2 + [[False] * 3]
    for _ in range(3):
        recent.change()
        # The reply that is made after a change takes the place of the one before.
        assert [[recent.ask(path, size=large) for _ in range(2)] for path in paths[:2]] == [[False, True]] * 2


def test_a_long_request_counts(recent: Recent) -> None:
    keys: list[tuple[str, str, str | None, bool, str]] = [
        ("/a", f"{number}" + "x" * 60_000, "y" * 60_000, False, "") for number in range(100)
    ]
    for _ in range(2):
        for key in keys:
            recent.replies.find(1, key)
            recent.replies.add(key, Reply(200, "text/plain", b"", {}), None)
    assert 0 < sum(recent.replies.find(1, key) is not None for key in keys) <= MAX_BYTES // 120_000
