"""PUT /api/events?uid=: create the event with this UID, or change it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.changes.follower import find_cursor, read_changes
from tests.client import Client, Reply
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database

NOBODY = {"email": 0, "sms": 0, "skipped": 0}
FIELDS: dict[str, Any] = {"title": "Concert", "start_time": "2026-06-01T20:00", "end_time": "2026-06-01T22:00", "tag_list": "jazz,late"}
UID = "concert-7@example.org"


def put(who: Client, uid: str = UID, headers: dict[str, str] | None = None, uid_in_body: str | None = None, **fields: Any) -> Reply:
    required = {"title": "Concert", "start_time": "2026-06-01T20:00"} | ({"uid": uid_in_body} if uid_in_body else {})
    return who.put("/api/events", query={"uid": uid}, json=required | fields, headers=headers or {})


def test_the_first_request_creates_the_event_and_the_next_changes_it(cast: Cast, clock: Clock) -> None:
    created = put(cast.alice, **FIELDS)
    path = f"/api/events/{created.json['id']}"
    assert (created.status, created.headers["Location"], created.json["uid"]) == (201, path, UID)
    assert cast.alice.get(path).json == created.json
    clock.ahead(60)
    changed = put(cast.alice, title="Concerto", start_time=FIELDS["start_time"], description="Doors at seven")
    assert (changed.status, changed.json["id"]) == (200, created.json["id"])
    expected = created.json | {"title": "Concerto", "description": "Doors at seven", "updated_at": changed.json["updated_at"]}
    assert cast.alice.get(path).json == expected
    assert changed.json == expected | {"notified": NOBODY}
    assert changed.json["updated_at"] > created.json["updated_at"]
    assert changed.headers["ETag"] == cast.alice.get(path).headers["ETag"]


def test_the_same_again_changes_nothing(cast: Cast, clock: Clock) -> None:
    created = put(cast.alice, **FIELDS, location="Blue Note, 131 W 3rd St, New York, NY 10012, USA", public=True)
    cursor = find_cursor(cast.alice)
    clock.ahead(60)
    again = put(cast.alice, **FIELDS, location="Blue Note, 131 W 3rd St, New York, NY 10012, USA")
    assert (again.status, again.json, again.headers["ETag"]) == (200, created.json | {"notified": NOBODY}, created.headers["ETag"])
    assert read_changes(cast.alice, f"cursor={cursor}")["changes"] == []
    assert put(cast.alice, capacity=5).json["capacity"] == 5


def test_uid_title_and_start_are_required(cast: Cast) -> None:
    assert cast.alice.put("/api/events", json={"description": "Doors at seven"}).broken == ["title", "start_time", "uid"]


def test_the_uid_of_the_body_is_that_of_the_address(cast: Cast) -> None:
    reply = put(cast.alice, uid_in_body="another@example.org")
    assert (reply.status, reply.broken) == (422, ["uid"])
    assert cast.alice.get("/api/events").json["events"] == []
    assert put(cast.alice, uid_in_body=UID).json["uid"] == UID
    assert cast.alice.put("/api/events", json=FIELDS | {"uid": "another@example.org"}).status == 201


def test_conditions_are_checked(cast: Cast) -> None:
    assert put(cast.alice, headers={"If-Match": '"1-1"'}, **FIELDS).status == 412
    created = put(cast.alice, headers={"If-None-Match": "*"}, **FIELDS)
    assert created.status == 201
    assert put(cast.alice, headers={"If-None-Match": "*"}, title="Another").status == 412
    assert put(cast.alice, headers={"If-Match": created.headers["ETag"]}, title="Changed").status == 200
    assert put(cast.alice, headers={"If-Match": created.headers["ETag"]}, title="Changed again").status == 412
    assert cast.alice.get(f"/api/events/{created.json['id']}").json["title"] == "Changed"


def test_each_calendar_has_its_own_event_with_the_uid(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    first, second = put(cast.alice, **FIELDS), put(cast.alice, **FIELDS, calendar_id=calendar["id"])
    assert (first.status, second.status) == (201, 201)
    changed = put(cast.bob, title="By Bob", calendar_id=calendar["id"])
    assert (changed.status, changed.json["id"], changed.json["owner"]["id"]) == (200, second.json["id"], cast.alice.id)
    assert put(cast.bob, **FIELDS).status == 201


def test_an_event_that_was_placed_on_the_calendar_needs_the_right_to_edit_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    cast.bob.put(f"/api/events/{event['id']}/add")
    assert put(cast.bob, event["uid"], title="Mine now").status == 403
    assert put(cast.alice, event["uid"], title="Still hers").json["id"] == event["id"]


def test_the_uid_of_a_series_changes_the_whole_series(cast: Cast) -> None:
    event = put(cast.alice, **FIELDS).json
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    changed = put(cast.alice, title="Concerto", start_time="2026-06-01T19:00")
    assert (changed.status, changed.json["id"], changed.json["uid"]) == (200, event["id"], UID)
    events = cast.alice.get(f"/api/events?uid={UID}").json["events"]
    assert [(each["title"], each["start_time"][8:16]) for each in events] == [("Concerto", f"0{day}T19:00") for day in (1, 2, 3)]


def test_of_concurrent_requests_one_creates_the_event(cast: Cast) -> None:
    alice = cast.alice
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda n: put(Client(alice.app, alice.token), **FIELDS | {"title": f"{n}"}), range(4)))
    assert sorted(reply.status for reply in replies) == [200, 200, 200, 201]
    assert len({reply.json["id"] for reply in replies}) == 1


@pytest.mark.parametrize("exception", ["deleted", "moved to another day", "moved to another time"])
def test_what_happened_to_the_first_date_of_a_series_does_not_move_the_others(cast: Cast, exception: str) -> None:
    event = put(cast.alice, **FIELDS).json
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    if exception == "deleted":
        cast.alice.delete(f"/api/events/{event['id']}")
    else:
        times = ("2026-06-02T20:00", "2026-06-02T22:00") if exception.endswith("day") else ("2026-06-01T18:00", "2026-06-01T19:00")
        cast.alice.put(f"/api/events/{event['id']}", json=dict(zip(("start_time", "end_time"), times, strict=True)))
    before = spans(cast.alice)
    assert put(cast.alice, **FIELDS).status == 200
    assert spans(cast.alice) == before
    again = {"start_time": before[0][0], "end_time": before[0][1]}
    assert [put(cast.alice, **FIELDS | again).status, spans(cast.alice)] == [200, before]
    later = {"start_time": "2026-06-01T20:30+00:00", "end_time": "2026-06-01T23:00+00:00"}
    assert put(cast.alice, **FIELDS | later).status == 200
    assert spans(cast.alice)[-2:] == [(f"2026-06-{day}T20:30:00+00:00", f"2026-06-{day}T23:00:00+00:00") for day in ("08", "15")]


def spans(who: Client) -> list[tuple[str, str]]:
    return [(each["start_time"], each["end_time"]) for each in who.get(f"/api/events?uid={UID}").json["events"]]
