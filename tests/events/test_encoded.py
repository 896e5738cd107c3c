"""The cache of the JSON of events: its replies are those that would be encoded anew, after every change and for every reader."""

from collections.abc import Iterator
from typing import Any

import pytest

from kalends.db import Database
from kalends.events import encoded, present
from kalends.settings import Settings
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply

EVENT = "/api/events/{id}"
WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("PUT", EVENT, {"title": "Giant Steps"}),
    ("PUT", EVENT, {"description": "With a quartet"}),
    ("PUT", EVENT, {"start_time": "2026-07-01T20:00:00Z"}),
    ("PUT", EVENT, {"tag_list": "jazz,live"}),
    ("PUT", EVENT, {"visibility": "link"}),
    ("PUT", EVENT, {"status": "cancelled", "status_note": "Snow"}),
    ("PUT", EVENT, {"capacity": 3}),
    ("PUT", EVENT, {"party_max": 2}),
    ("PUT", EVENT, {"show_counts": False}),
    ("PUT", f"{EVENT}/repeat", {"frequency": "DAILY", "end_date": "2026-06-03"}),
    ("POST", "/api/comments?event_id={id}", {"comment": "See you there"}),
    ("POST", "/api/responses?event_id={id}", {"response": "YES", "email_address": "gus@example.org", "name": "Gus"}),
]


@pytest.fixture(autouse=True)
def no_cached_events() -> Iterator[None]:
    """The rows of other tests are not found."""
    encoded.clear()
    yield
    encoded.clear()


def _read(reader: Client, event_id: int, calendar_id: int) -> list[Reply]:
    return [reader.get(f"/api/events/{event_id}"), reader.get("/api/events", query={"calendar_id": calendar_id})]


def _content(replies: list[Reply]) -> list[tuple[bytes, str | None]]:
    """The content and the ETag of each; of an error, which has a number of its own, nothing."""
    return [(reply.content if reply.status == 200 else b"", reply.headers.get("ETag")) for reply in replies]


@pytest.mark.parametrize(("method", "path", "change"), WRITES, ids=[str(fields) for _, _, fields in WRITES])
def test_what_is_cached_is_what_would_be_encoded_now(cast: Cast, method: str, path: str, change: dict[str, Any]) -> None:
    calendar = a_calendar(cast.alice, name="Jazz", public=True)["id"]
    event = an_event(cast.alice, calendar_id=calendar, public=True, start_time="2026-06-01T20:00:00Z")["id"]
    readers = (cast.alice, cast.carol, cast.anonymous)
    before = [_content(_read(reader, event, calendar)) for reader in readers]
    assert [_content(_read(reader, event, calendar)) for reader in readers] == before
    reply = cast.alice.request(method, path.format(id=event), json=change)
    assert reply.status < 300, reply
    cached = [_content(_read(reader, event, calendar)) for reader in readers]
    encoded.clear()
    assert [_content(_read(reader, event, calendar)) for reader in readers] == cached
    assert cached[0][0] != before[0][0]


def test_readers_with_different_rights_share_nothing(cast: Cast) -> None:
    public = a_calendar(cast.alice, public=True)["id"]
    private = a_calendar(cast.alice, public=False)["id"]
    event = an_event(cast.alice, calendar_id=public, public=True)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": private}).status == 200
    mine, theirs = (reader.get(f"/api/events/{event}").json for reader in (cast.alice, cast.anonymous))
    assert (mine["calendar_ids"], theirs["calendar_ids"]) == ([public, private], [public])
    assert (mine["can_edit"], theirs["can_edit"]) == (True, False)
    lists = [reader.get("/api/events", query={"calendar_id": public}).json["events"] for reader in (cast.alice, cast.anonymous)]
    assert [[each["calendar_ids"] for each in listed] for listed in lists] == [[[public, private]], [[public]]]


def test_a_page_of_which_some_events_are_cached_has_all_in_order(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    ids = [an_event(cast.alice, calendar_id=calendar, title=f"Day {day}", start_time=f"2026-06-0{day}")["id"] for day in range(1, 7)]

    def titles(**query: Any) -> list[str]:
        events = cast.alice.get("/api/events", query={"calendar_id": calendar} | query).json["events"]
        return [event["title"] for event in events]

    assert titles(limit=1) == ["Day 1"]
    assert titles(start_time="2026-06-03", end_time="2026-06-04") == ["Day 3", "Day 4"]
    assert titles() == [f"Day {day}" for day in range(1, 7)]
    assert cast.alice.put(f"/api/events/{ids[3]}", json={"title": "Changed"}).status == 200
    assert titles() == ["Day 1", "Day 2", "Day 3", "Changed", "Day 5", "Day 6"]
    assert titles(order="-start_time")[:3] == ["Day 6", "Day 5", "Changed"]


@pytest.mark.parametrize(
    "change",
    [
        "title = 'Changed'",
        "start_at = start_at - 60",
        "end_at = end_at + 60",
        "all_day = TRUE",
        "time_zone = 'Asia/Tokyo'",
        "location = NULL",
        "image_url = 'https://example.org/new.jpg'",
        "tags = 'funk'",
        "status = 'cancelled'",
        "status_note = 'Later'",
        "public = FALSE",
        "updated_at = updated_at + 1",
        "uid = 'other@example.org'",
        "version = version + 1, title = 'Changed'",
    ],
)
def test_no_change_of_a_row_is_missed(cast: Cast, db: Database, change: str) -> None:
    """Even one that forgets the version, as no statement of the service does."""
    calendar = a_calendar(cast.alice, public=True)["id"]
    fields = {"end_time": "2026-06-01T22:00:00Z", "location": "Berlin", "status": "postponed"}
    an_event(cast.alice, calendar_id=calendar, start_time="2026-06-01T20:00:00Z", tag_list="jazz", public=True, **fields)

    def items() -> bytes:
        return cast.alice.get("/api/events", query={"calendar_id": calendar}).content

    before = [items() for _ in range(3)]
    assert len(set(before)) == 1
    with db.write() as tx:
        assert tx.run(f"UPDATE events SET {change} WHERE calendar_id = :calendar", calendar=calendar) == 1
        [(version,)] = tx.rows("SELECT version FROM events WHERE calendar_id = :calendar", calendar=calendar)
    after = items()
    encoded.clear()
    assert (items(), after != before[0]) == (after, True)
    assert version == (1 if change.startswith(("public", "updated_at", "uid")) else 2)


def test_a_list_of_cached_events_presents_none(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once all events of a list were cached, the next ones read the keys alone where no round trip is saved by reading the rows too."""
    calendar, other = (a_calendar(cast.alice)["id"] for _ in range(2))
    first, second = (an_event(cast.alice, calendar_id=each)["id"] for each in (calendar, other))

    def ids(calendar_id: int) -> list[int]:
        return [event["id"] for event in cast.alice.get("/api/events", query={"calendar_id": calendar_id}).json["events"]]

    assert [ids(calendar) for _ in range(2)] == [[first]] * 2
    monkeypatch.setattr(present, "items", _fail)
    assert ids(calendar) == [first]
    monkeypatch.undo()
    # One that is not cached is found after its key was not; and then both are.
    assert [ids(other), ids(calendar), ids(other)] == [[second], [first], [second]]
    assert ids(a_calendar(cast.alice)["id"]) == []
    assert cast.alice.get("/api/events", query={"calendar_id": 999_999}).status == 404


def _fail(*_: object) -> None:
    raise AssertionError("an event is presented")


def test_the_cache_is_bounded(cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded, "MAX_ENTRIES", 3)
    ids = [an_event(cast.alice)["id"] for _ in range(5)]
    for event in ids:
        assert cast.alice.get(f"/api/events/{event}").json["id"] == event
        assert len(cast.alice.get("/api/events", query={"ids": event}).json["events"]) == 1
        assert len(encoded._details(settings)) <= 3
        assert len(encoded._items(settings)) <= 3


def test_a_large_event_is_encoded_each_time(cast: Cast, settings: Settings) -> None:
    small, large = an_event(cast.alice)["id"], an_event(cast.alice, description="x" * encoded.MAX_BYTES)["id"]
    for event in (small, large):
        assert cast.alice.get(f"/api/events/{event}").status == 200
    assert [event.id for event in encoded._details(settings)] == [small]
