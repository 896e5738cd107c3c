"""GET /api/changes?wait= and /api/changes/stream: the reply comes when something changes, and no thread waits for it."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.sync_reader import SyncReader
from kalends.http.serving import followers, notifier
from tests import loops, recorded_statements
from tests.cast import Cast, a_calendar, an_event, shared
from tests.changes.follower import find_cursor
from tests.changes.waiting import THREADS, Service, until
from tests.client import Client
from tests.conftest import Clock

Play = Callable[[Callable[[Service], Coroutine[Any, Any, None]]], None]


@pytest.fixture
def play(app: tuple[Any, Clock], settings: Settings, db: Database) -> Play:
    """Run a story about a service, which then stops."""

    def run(story: Callable[[Service], Coroutine[Any, Any, None]]) -> None:
        async def report() -> None:
            service = Service(app[0], settings, db)
            await story(service)
            service.edge._followers.stop()
            service.edge._queue.shutdown()

        loops.run(report())

    return run


def _wait(client: Client, query: str = "", seconds: int = 60) -> str:
    """The URL of a long poll from now on."""
    cursor = find_cursor(client, query)
    return f"/api/changes?{query}&cursor={cursor}&wait={seconds}"


def test_a_wait_ends_with_the_change(play: Play, cast: Cast) -> None:
    url = _wait(cast.alice)

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, url) as (exchange, task):
            await service.until_waiting()
            assert exchange.status == 0
            event = await asyncio.to_thread(an_event, cast.alice)
            await task
        assert [(change["op"], change["id"]) for change in exchange.json["changes"]] == [("put", event["id"])]

    play(story)


def test_a_wait_ends_without_a_change_when_its_time_is_over(play: Play, cast: Cast) -> None:
    url = _wait(cast.alice, seconds=1)

    async def story(service: Service) -> None:
        reply = await service.get(cast.alice, url)
        assert (reply.status, reply.json["changes"]) == (200, [])
        assert len(service.runs) > 1
        assert cast.alice.get(f"/api/changes?cursor={reply.json['cursor']}").status == 200

    play(story)


def test_those_who_wait_hold_no_thread(play: Play, cast: Cast) -> None:
    url = _wait(cast.alice)

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, url), service.requesting(cast.alice, url), service.requesting(cast.alice, url):
            await service.until_waiting(3)
            assert THREADS < 3
            reply = await service.get(cast.alice, "/api/calendars")
            assert reply.status == 200

    play(story)


def test_a_change_wakes_only_those_whom_it_concerns(play: Play, cast: Cast) -> None:
    alices, bobs = _wait(cast.alice), _wait(cast.bob)

    async def story(service: Service) -> None:
        with service.requesting(cast.bob, bobs) as (bob, _):
            await service.until_waiting()
            # The notifier knows every change from now on.
            await until(lambda: service.edge._followers._notifier._known_since != (0, 0))
            for _ in range(3):
                with service.requesting(cast.alice, alices) as (_, task):
                    await asyncio.to_thread(an_event, cast.alice)
                    await task
            assert bob.status == 0
        assert service.runs.count("/api/changes") < 10

    play(story)


@pytest.mark.parametrize("change", ["share", "calendar"])
def test_a_calendar_that_comes_to_somebody_wakes_them(play: Play, cast: Cast, change: str) -> None:
    calendar = a_calendar(cast.alice)
    url = _wait(cast.bob)

    async def story(service: Service) -> None:
        with service.requesting(cast.bob, url) as (exchange, task):
            await service.until_waiting()
            if change == "share":
                await asyncio.to_thread(shared, cast.alice, calendar, cast.bob, "viewer")
            else:
                await asyncio.to_thread(a_calendar, cast.bob)
            await task
        assert exchange.json["changes"][0]["kind"] == "calendar"

    play(story)


def test_a_change_between_the_reading_and_the_waiting_is_not_missed(play: Play, cast: Cast) -> None:
    first, second = _wait(cast.alice), _wait(cast.alice)

    async def story(service: Service) -> None:
        for url in (first, second):
            service.after_run = partial(an_event, cast.alice)
            reply = await service.get(cast.alice, url)
            assert reply.json["changes"]

    play(story)


def test_who_leaves_waits_no_longer(play: Play, cast: Cast) -> None:
    url = _wait(cast.alice)

    async def story(service: Service) -> None:
        for path in (url, "/api/changes/stream"):
            with service.requesting(cast.alice, path) as (exchange, task):
                await service.until_waiting()
                exchange.leave()
                await task
            await service.until_waiting(0)

    play(story)


def test_beyond_the_limits_nobody_waits(play: Play, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    calendar = a_calendar(cast.alice, public=True)
    url = _wait(cast.anonymous, f"calendar_id={calendar['id']}")
    monkeypatch.setattr(followers, "MAX_FOLLOWERS", 2)
    monkeypatch.setattr(followers, "MAX_GUESTS_PER_NETWORK", 1)
    monkeypatch.setattr(followers, "RESERVED", 0)

    async def story(service: Service) -> None:
        with service.requesting(cast.anonymous, url):
            await service.until_waiting()
            refused = await service.get(cast.anonymous, url)
            assert (refused.status, int(refused.headers["Retry-After"]) > 0) == (503, True)
            with service.requesting(cast.alice, _wait(cast.alice)):
                await service.until_waiting(2)
                assert (await service.get(cast.bob, _wait(cast.bob))).status == 503
        await service.until_waiting(0)

    play(story)


def test_the_last_places_are_for_accounts_that_hold_few(play: Play, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    calendar = a_calendar(cast.alice, public=True)
    as_guest = _wait(cast.anonymous, f"calendar_id={calendar['id']}")
    monkeypatch.setattr(followers, "MAX_FOLLOWERS", 6)
    monkeypatch.setattr(followers, "RESERVED", 3)

    async def story(service: Service) -> None:
        with ExitStack() as waiting:
            for number in range(3):
                waiting.enter_context(service.requesting(cast.alice, _wait(cast.alice)))
                await service.until_waiting(number + 1)
            assert (await service.get(cast.alice, _wait(cast.alice))).status == 503
            assert (await service.get(cast.anonymous, as_guest)).status == 503
            for number in range(2):
                waiting.enter_context(service.requesting(cast.bob, _wait(cast.bob)))
                await service.until_waiting(4 + number)
            assert (await service.get(cast.bob, _wait(cast.bob))).status == 503
            waiting.enter_context(service.requesting(cast.carol, _wait(cast.carol)))
            await service.until_waiting(6)
        await service.until_waiting(0)
        assert not service.edge._followers._held

    play(story)


def test_a_stop_ends_every_wait(play: Play, cast: Cast) -> None:
    url = _wait(cast.alice)

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, url) as (poll, first), service.requesting(cast.alice, "/api/changes/stream") as (_, second):
            await service.until_waiting(2)
            service.edge._followers.stop()
            await asyncio.gather(first, second)
        assert poll.json["changes"] == []

    play(story)


def test_a_stream_sends_each_change_with_the_cursor_to_go_on_from(play: Play, cast: Cast) -> None:
    async def story(service: Service) -> None:
        with service.requesting(cast.alice, "/api/changes/stream") as (stream, _):
            await service.until_waiting()
            assert (stream.status, stream.headers["Content-Type"], stream.events) == (200, "text/event-stream; charset=utf-8", [])
            assert "Content-Length" not in stream.headers
            assert stream.content.startswith(b"retry: ")
            start = stream.last_id
            first = await asyncio.to_thread(an_event, cast.alice)
            await stream.until_events(1)
            assert (stream.events[0]["op"], stream.events[0]["id"]) == ("put", first["id"])
            cursor = stream.last_id
        second = await asyncio.to_thread(an_event, cast.alice)
        with service.requesting(cast.alice, f"/api/changes/stream?cursor={start}", last_event_id=cursor) as (stream, _):
            await stream.until_events(1)
            assert stream.events[0]["id"] == second["id"]

    play(story)


def test_a_stream_sends_what_fits_into_no_batch_in_several(play: Play, cast: Cast) -> None:
    cursor = find_cursor(cast.alice)
    ids = [an_event(cast.alice)["id"] for _ in range(5)]

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, f"/api/changes/stream?cursor={cursor}&limit=2") as (stream, _):
            await until(lambda: len(stream.events) == 5)
            assert [event["id"] for event in stream.events] == ids

    play(story)


def test_streams_that_get_the_same_run_once_for_all(play: Play, cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/changes/stream?calendar_id={calendar['id']}"

    async def story(service: Service) -> None:
        with ExitStack() as stack:
            streams = [stack.enter_context(service.requesting(cast.anonymous, path))[0] for _ in range(5)]
            own, _ = stack.enter_context(service.requesting(cast.alice, path))
            await service.until_waiting(6)
            event = await asyncio.to_thread(partial(an_event, cast.alice, calendar_id=calendar["id"], public=True))
            await asyncio.gather(*(stream.until_event("put") for stream in (*streams, own)))
            runs = len(service.runs)
            await asyncio.to_thread(partial(cast.alice.put, f"/api/events/{event['id']}", json={"public": False}))
            await asyncio.gather(*(stream.until_event("gone") for stream in streams))
            assert own.events[-1]["op"] == "put"
            assert len(service.runs) - runs < 6

    play(story)


def test_a_stream_has_a_heartbeat(play: Play, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followers, "HEARTBEAT_SECONDS", 0.01)

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, "/api/changes/stream") as (stream, _):
            await until(lambda: stream.content.count(b"\n:\n\n") > 2)
        assert service.runs.count("/api/changes/stream") < 3

    play(story)


def test_a_deleted_session_ends_the_stream_before_anything_is_sent(play: Play, cast: Cast) -> None:
    calendars = [a_calendar(cast.bob), a_calendar(cast.bob)]

    async def story(service: Service) -> None:
        with service.requesting(cast.alice, "/api/changes/stream") as (stream, task):
            await service.until_waiting()
            await asyncio.to_thread(shared, cast.bob, calendars[0], cast.alice, "viewer")
            await stream.until_events(1)
            assert cast.alice.delete(f"/api/session/{cast.alice.session_id}").status in (200, 204)
            await asyncio.to_thread(shared, cast.bob, calendars[1], cast.alice, "viewer")
            await task
        assert len(stream.events) == 1

    play(story)


def test_a_stream_refuses_what_a_listing_refuses(play: Play, cast: Cast) -> None:
    async def story(service: Service) -> None:
        assert (await service.get(cast.anonymous, "/api/changes/stream")).status == 401
        assert (await service.get(cast.alice, "/api/changes/stream?cursor=x")).status == 422
        assert (await service.get(cast.alice, "/api/changes/stream", last_event_id="x")).status == 422
        epoch, _, rest = cast.alice.get("/api/changes").json["cursor"].partition(".")
        expired = await service.get(cast.alice, "/api/changes/stream", last_event_id=f"{int(epoch) - 1}.{rest}")
        assert expired.status == 410

    play(story)


def test_a_notifier_without_anybody_to_notify_stops(play: Play, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "IDLE_POLLS", 1)
    monkeypatch.setattr(notifier, "POLL_SECONDS", 0.01)

    async def story(service: Service) -> None:
        sentinel = service.edge._followers._notifier
        for _ in range(2):
            with service.requesting(cast.alice, "/api/changes/stream"):
                await service.until_waiting()
                assert sentinel._task
            await until(lambda: sentinel._task is None)

    play(story)


def _enter(tx: Any, calendar_id: int) -> None:
    tx.run("INSERT INTO sync_entries (calendar_id, kind, record_id) VALUES (:id, 'event', 1)", id=calendar_id)


def test_an_entry_that_is_committed_late_is_read(db: Database, settings: Settings) -> None:
    """On PostgreSQL, where an older transaction holds it up. With SQLite there is one writer at a time."""
    reader = SyncReader()
    with recorded_statements.during("the notifier"):
        for _ in range(4):
            reader.read(db)
        assert reader.read(db) == set()
    with db.write(alone=True) as slow:
        _enter(slow, 1_000_001)
        if settings.database:
            with db.write(alone=True) as quick:
                _enter(quick, 1_000_002)
            for _ in range(4):
                assert reader.read(db) == set()
    with recorded_statements.during("the notifier"):
        topics = reader.read(db)
    assert topics is not None
    assert ("calendar 1000001" in topics, "calendar 1000002" in topics) == (True, bool(settings.database))
