"""POST /api/events with a JSON array: create all of its events, or none."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, an_event
from tests.changes.follower import find_cursor, read_changes
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

MOST = 500


def fields(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"title": f"Concert {number}", "start_time": f"2026-06-01T20:{number % 60:02}"} | more


def create(who: Client, batch: list[Any], **query: Any) -> Reply:
    return who.post("/api/events", json=batch, query=query)


def test_the_reply_has_the_events_in_the_order_of_the_list(cast: Cast) -> None:
    other = a_calendar(cast.alice, public=True)["id"]
    batch = [fields(number, uid=f"c{number}", calendar_id=other if number % 2 else None) for number in reversed(range(MOST))]
    batch[3] |= {"location": "Blue Note, 131 W 3rd St, New York, NY 10012, USA", "capacity": 9, "tag_list": "jazz,late"}
    cursor = find_cursor(cast.alice)
    reply = create(cast.alice, batch)
    assert reply.status == 201
    assert [(event["title"], event["uid"]) for event in reply.json] == [(each["title"], each["uid"]) for each in batch]
    for event in (reply.json[0], reply.json[3], reply.json[-1]):
        assert cast.alice.get(f"/api/events/{event['id']}").json == event
    assert (reply.json[3]["city"], reply.json[3]["capacity"], reply.json[3]["tags"]) == ("New York", 9, ["jazz", "late"])
    assert {event["public"] for event in reply.json if event["calendar_ids"] == [other]} == {True}
    changes = read_changes(cast.alice, f"cursor={cursor}&limit=500")["changes"]
    assert {change["id"] for change in changes} == {event["id"] for event in reply.json}


def test_all_invalid_fields_are_named_with_their_position_and_nothing_is_created(cast: Cast) -> None:
    batch = [fields(), {"title": " "}, fields(start_time="never"), fields(end_time="2026-01-01")]
    reply = create(cast.alice, batch)
    assert (reply.status, reply.broken) == (422, ["[1][title]", "[1][start_time]", "[2][start_time]"])
    assert create(cast.alice, batch[::3]).broken == ["[1][end_time]"]
    assert create(cast.alice, [fields(), 5]).broken == ["[1]"]
    assert create(cast.alice, [fields(), fields(file="a.ics")]).broken == ["[1][file]"]
    assert listed(cast.alice) == []


def test_uids_are_free_and_differ(cast: Cast) -> None:
    event = an_event(cast.alice, uid="taken")
    reply = create(cast.alice, [fields(), fields(uid="taken")])
    assert (reply.status, reply.broken, reply.json["event_id"]) == (409, ["[1][uid]"], event["id"])
    reply = create(cast.alice, [fields(uid="same"), fields(), fields(uid="same")])
    assert (reply.status, reply.broken) == (422, ["[2][uid]"])
    assert create(cast.alice, [fields(uid="same"), fields(uid="same", calendar_id=a_calendar(cast.alice)["id"])]).status == 201


def test_each_calendar_must_be_ones_own_to_edit(cast: Cast) -> None:
    hidden, public = a_calendar(cast.bob)["id"], a_calendar(cast.bob, public=True)["id"]
    for calendar, status in ((hidden, 404), (public, 403)):
        reply = create(cast.alice, [fields(), fields(calendar_id=calendar)])
        assert (reply.status, reply.broken) == (status, ["[1][calendar_id]"])
    assert create(cast.anonymous, [fields()]).status == 401
    assert listed(cast.alice) == []


def test_parameters_of_the_query_hold_for_all(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    reply = create(cast.alice, [fields(), fields(calendar_id=cast.alice.primary_calendar_id)], calendar_id=calendar)
    assert [event["calendar_ids"] for event in reply.json] == [[calendar], [cast.alice.primary_calendar_id]]


@pytest.mark.on_one_database
def test_a_list_has_one_to_500_events(cast: Cast) -> None:
    assert create(cast.alice, []).status == 422
    assert create(cast.alice, [fields()] * (MOST + 1)).status == 422
    assert cast.alice.post("/api/events", body=b"[" + b" " * 1024 * 1024 + b"]", headers={"Content-Type": "application/json"}).status == 413
    assert cast.alice.put(f"/api/events/{an_event(cast.alice)['id']}", json=[fields()]).status == 422
    assert len(listed(cast.alice)) == 1


def test_a_list_beyond_the_quota_creates_nothing(db: Database, settings: Settings, clock: Clock) -> None:
    alice = Cast(Client(application(db, structs.replace(settings, quota_events=3), clock))).alice
    reply = create(alice, [fields(number) for number in range(4)])
    assert (reply.status, reply.json["type"]) == (409, "/docs/errors#quota-reached")
    assert listed(alice) == []
    assert create(alice, [fields(number) for number in range(3)]).status == 201
