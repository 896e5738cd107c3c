"""Versions of an event: ETag, If-Match and If-None-Match, and concurrent changes."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.client import Client, Reply
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

TIMEOUT = 60
ROUNDS = 5
AT_ONCE = 6


def _at_once(*requests: Callable[[], Reply]) -> list[Reply]:
    """Send the requests at the same moment, each from a thread of its own."""
    ready = threading.Barrier(len(requests))

    def send(request: Callable[[], Reply]) -> Reply:
        ready.wait(TIMEOUT)
        return request()

    with ThreadPoolExecutor(len(requests)) as threads:
        return [done.result(TIMEOUT) for done in [threads.submit(send, request) for request in requests]]


def _etag(reader: Client, path: str) -> str:
    return str(reader.get(path).headers["ETag"])


@pytest.mark.parametrize("action", ["", "/edit"])
def test_an_unchanged_event_is_a_304_for_its_etag(cast: Cast, action: str) -> None:
    path = f"/api/events/{an_event(cast.alice)['id']}{action}"
    etag = _etag(cast.alice, path)
    for header in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        known = cast.alice.get(path, headers={"If-None-Match": header})
        assert (known.status, known.content, known.headers["ETag"]) == (304, b"", etag)
    assert cast.alice.get(path, headers={"If-None-Match": '"other"'}).status == 200


@pytest.mark.parametrize(
    "change",
    [
        lambda cast, event, calendar: cast.alice.put(f"/api/events/{event}", json={"title": "Changed"}),
        lambda cast, event, calendar: cast.alice.put(f"/api/events/{event}", json={"tag": "new"}),
        lambda cast, event, calendar: cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": a_calendar(cast.alice)["id"]}),
        lambda cast, event, calendar: cast.alice.put(f"/api/events/{event}/remove", json={"calendar_id": calendar}),
        lambda cast, event, calendar: cast.alice.put(f"/api/calendars/{calendar}", json={"name": "Renamed"}),
        lambda cast, event, calendar: cast.alice.put(f"/api/users/{cast.alice.id}", json={"name": "Alice B."}),
    ],
    ids=["title", "tag", "add", "remove", "the calendar's name", "the owner's name"],
)
def test_the_etag_changes_with_every_part_of_the_reply(cast: Cast, change: Callable[[Cast, int, int], Reply]) -> None:
    calendar, event = a_calendar(cast.alice)["id"], an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": calendar}).status == 200
    before = cast.alice.get(f"/api/events/{event}")
    assert cast.alice.get(f"/api/events/{event}").headers["ETag"] == before.headers["ETag"]
    assert change(cast, event, calendar).status == 200
    after = cast.alice.get(f"/api/events/{event}", headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status, after.json != before.json) == (200, True)


def test_readers_who_get_different_replies_get_different_etags(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    assert _etag(cast.alice, f"/api/events/{event}") != _etag(cast.anonymous, f"/api/events/{event}")


@pytest.mark.parametrize("source", ["show", "edit", "create", "update"])
def test_every_etag_of_the_event_serves_for_if_match(cast: Cast, source: str) -> None:
    created = cast.alice.post("/api/events", json={"title": "Concert", "start_time": "2026-06-01"})
    path = f"/api/events/{created.json['id']}"
    etag = {
        "show": lambda: _etag(cast.alice, path),
        "edit": lambda: _etag(cast.alice, f"{path}/edit"),
        "create": lambda: str(created.headers["ETag"]),
        "update": lambda: str(cast.alice.put(path, json={"title": "Again"}).headers["ETag"]),
    }[source]()
    changed = cast.alice.put(path, json={"title": "Changed"}, headers={"If-Match": etag})
    assert (changed.status, changed.json["title"]) == (200, "Changed")
    for stale in (etag, '"other"', '""', "x", ""):
        again = cast.alice.put(path, json={"title": "Too late"}, headers={"If-Match": stale})
        assert again.status == 412, stale
    assert cast.alice.get(path).json["title"] == "Changed"
    assert cast.alice.put(path, json={"title": "Any"}, headers={"If-Match": "*"}).status == 200
    assert cast.alice.put(path, json={"title": "Last"}, headers={"If-Match": f'"x", {_etag(cast.alice, path)}'}).status == 200


def test_the_etag_of_another_event_does_not_match(cast: Cast) -> None:
    """Not even one whose number begins alike."""
    events = [an_event(cast.alice)["id"] for _ in range(2)]
    etag = _etag(cast.alice, f"/api/events/{events[0]}/edit")
    assert cast.alice.put(f"/api/events/{events[1]}", json={"title": "x"}, headers={"If-Match": etag}).status == 412
    longer = f'{etag[:-1]}0"'
    assert cast.alice.put(f"/api/events/{events[0]}", json={"title": "x"}, headers={"If-Match": longer}).status == 412


def test_destroy_checks_if_match(cast: Cast) -> None:
    path = f"/api/events/{an_event(cast.alice)['id']}"
    stale = _etag(cast.alice, path)
    assert cast.alice.put(path, json={"title": "Changed"}).status == 200
    assert cast.alice.delete(path, headers={"If-Match": stale}).status == 412
    assert cast.alice.get(path).status == 200
    assert cast.alice.delete(path, headers={"If-Match": _etag(cast.alice, path)}).status == 200
    assert cast.alice.delete(path, headers={"If-Match": "*"}).status == 404


def test_if_match_speaks_of_the_event_in_the_path_and_holds_for_all(cast: Cast) -> None:
    first, second = an_event(cast.alice)["id"], an_event(cast.alice)["id"]
    stale = _etag(cast.alice, f"/api/events/{first}")
    changed = cast.alice.put(f"/api/events/{first}", json={"ids": second, "title": "Both"}, headers={"If-Match": stale})
    assert changed.status == 200
    for method in ("PUT", "DELETE"):
        reply = cast.alice.request(method, f"/api/events/{first}", json={"ids": second, "title": "No"}, headers={"If-Match": stale})
        assert reply.status == 412
    assert [cast.alice.get(f"/api/events/{event}").json["title"] for event in (first, second)] == ["Both", "Both"]


def test_one_of_concurrent_updates_to_the_same_version_succeeds(cast: Cast) -> None:
    path = f"/api/events/{an_event(cast.alice)['id']}"
    for _ in range(ROUNDS):
        held = {"If-Match": _etag(cast.alice, path)}
        replies = _at_once(*(partial(cast.alice.put, path, json={"title": f"By {i}"}, headers=held) for i in range(AT_ONCE)))
        assert Counter(reply.status for reply in replies) == {200: 1, 412: AT_ONCE - 1}
        won = next(reply for reply in replies if reply.status == 200)
        assert cast.alice.get(path).json.items() <= won.json.items()


def test_without_if_match_concurrent_updates_all_succeed_and_none_is_lost(cast: Cast) -> None:
    path = f"/api/events/{an_event(cast.alice)['id']}"
    tags: list[str] = []
    for number in range(ROUNDS):
        added = [f"tag {number} {i}" for i in range(AT_ONCE)]
        replies = _at_once(*(partial(cast.alice.put, path, json={"tag": tag}) for tag in added))
        assert [reply.status for reply in replies] == [200] * AT_ONCE
        tags += added
    assert set(cast.alice.get(path).json["tags"]) == set(tags)


def test_concurrent_updates_of_several_events_do_not_deadlock(cast: Cast) -> None:
    events = [an_event(cast.alice)["id"] for _ in range(10)]
    there, back = events, events[::-1]
    for number in range(ROUNDS):
        replies = _at_once(
            partial(cast.alice.put, f"/api/events/{there[0]}", json={"ids": there[1:], "tag": f"there {number}"}),
            partial(cast.alice.put, f"/api/events/{back[0]}", json={"ids": back[1:], "tag": f"back {number}"}),
        )
        assert [reply.status for reply in replies] == [200, 200]
    current = cast.alice.get("/api/events").json["events"]
    assert {frozenset(event["tags"]) for event in current} == {frozenset(f"{way} {i}" for way in ("there", "back") for i in range(ROUNDS))}


def test_one_of_concurrent_deletions_succeeds(cast: Cast) -> None:
    for _ in range(ROUNDS):
        path = f"/api/events/{an_event(cast.alice)['id']}"
        held = {"If-Match": _etag(cast.alice, path)}
        replies = _at_once(*(partial(cast.alice.delete, path, headers=held) for _ in range(AT_ONCE)))
        assert Counter(reply.status for reply in replies) == {200: 1, 404: AT_ONCE - 1}


def test_an_event_that_leaves_all_its_calendars_at_once_keeps_one(cast: Cast) -> None:
    home, other = a_calendar(cast.alice), a_calendar(cast.alice)
    for calendar in (home, other):
        shared(cast.alice, calendar, cast.vera, "viewer")
    for _ in range(ROUNDS):
        event = an_event(cast.alice, calendar_id=home["id"])["id"]
        assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": other["id"]}).status == 200
        remove = partial(cast.alice.put, f"/api/events/{event}/remove")
        replies = _at_once(*(partial(remove, json={"calendar_id": calendar["id"]}) for calendar in (home, other)))
        assert sorted(reply.status for reply in replies) == [200, 409]
        assert len(cast.vera.get(f"/api/events/{event}").json["calendar_ids"]) == 1
        assert event in listed(cast.vera)


def test_an_event_leaves_a_calendar_while_its_home_is_deleted(cast: Cast) -> None:
    """Either the other calendar was left first, and the event goes with its home, or it is the new home, and stays."""
    other = a_calendar(cast.alice)["id"]
    for _ in range(ROUNDS):
        home = a_calendar(cast.alice)["id"]
        event = an_event(cast.alice, calendar_id=home)["id"]
        assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": other}).status == 200
        removed, deleted = _at_once(
            partial(cast.alice.put, f"/api/events/{event}/remove", json={"calendar_id": other}),
            partial(cast.alice.delete, f"/api/calendars/{home}"),
        )
        assert (removed.status, deleted.status) in ((200, 200), (409, 200))
        stays = removed.status == 409
        assert cast.alice.get(f"/api/events/{event}").status == (200 if stays else 404)
        assert (event in listed(cast.alice, calendar_id=other)) == stays
