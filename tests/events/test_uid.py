"""`uid`: the name by which other programs know an event. A client may choose it; a calendar has each once."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.changes.follower import find_cursor, read_changes
from tests.client import Client, Reply
from tests.events.importing import a_file, an_entry, counts, imported

FIELDS = {"title": "Concert", "start_time": "2026-06-01T20:00"}
UID = "concert-7@example.org"


def create(who: Client, **fields: Any) -> Reply:
    return who.post("/api/events", json=FIELDS | fields)


def feed_uids(who: Client, calendar_id: int) -> set[str]:
    return set(re.findall(r"^UID:(.*)\r$", who.get(f"/api/calendars/{calendar_id}.ics").text, re.MULTILINE))


def listed(who: Client, uid: str, **query: Any) -> list[int]:
    reply = who.get("/api/events", query={"uid": uid} | query)
    assert reply.status == 200, reply
    assert {event["uid"] for event in reply.json["events"]} <= {uid}
    return [event["id"] for event in reply.json["events"]]


def test_replies_feeds_and_changes_have_the_uid_that_was_sent(cast: Cast) -> None:
    cursor = find_cursor(cast.alice)
    event = an_event(cast.alice, uid=UID)
    assert event["uid"] == UID
    assert cast.alice.get(f"/api/events/{event['id']}").json["uid"] == UID
    assert listed(cast.alice, UID) == [event["id"]]
    assert feed_uids(cast.alice, cast.alice.primary_calendar_id) == {UID}
    assert read_changes(cast.alice, f"cursor={cursor}")["changes"][0]["event"]["uid"] == UID
    assert listed(cast.alice, "another@example.org") == []


def test_an_event_without_one_has_that_of_its_feed(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert feed_uids(cast.alice, cast.alice.primary_calendar_id) == {event["uid"]}
    assert listed(cast.alice, event["uid"]) == [event["id"]]
    series = an_event(cast.alice, start_time="2026-07-01T20:00")
    repeated = cast.alice.put(f"/api/events/{series['id']}/repeat", json={"frequency": "DAILY", "count": 3}).json
    assert feed_uids(cast.alice, cast.alice.primary_calendar_id) == {event["uid"], repeated["uid"]}
    assert len(listed(cast.alice, repeated["uid"], count="true")) == 3


def test_a_series_has_the_uid_of_the_event_that_was_repeated(cast: Cast) -> None:
    event = an_event(cast.alice, uid=UID)
    path = f"/api/events/{event['id']}"
    assert cast.alice.put(f"{path}/repeat", json={"frequency": "DAILY", "count": 3}).json["uid"] == UID
    ids = listed(cast.alice, UID)
    assert len(ids) == 3
    assert listed(cast.alice, UID, ids=f"{ids[1]},{an_event(cast.alice)['id']}") == [ids[1]]
    assert UID in feed_uids(cast.alice, cast.alice.primary_calendar_id)
    assert cast.alice.delete(path).status == 200
    assert create(cast.alice, uid=UID).json["event_id"] == ids[1]
    following = cast.alice.put(f"/api/events/{ids[2]}", json={"title": "Later", "scope": "following"}).json
    assert following["uid"] not in (UID, event["uid"])
    assert listed(cast.alice, UID) == [ids[1]]


def test_a_calendar_has_each_uid_once(cast: Cast) -> None:
    event, own = an_event(cast.alice, uid=UID), an_event(cast.alice)
    for existing in (event, own):
        reply = create(cast.alice, uid=existing["uid"])
        assert (reply.status, reply.json["type"], reply.broken) == (409, "/docs/errors#uid-taken", ["uid"])
        assert reply.json["event_id"] == existing["id"]
    assert create(cast.alice, uid=UID, calendar_id=a_calendar(cast.alice)["id"]).status == 201
    assert create(cast.bob, uid=UID).status == 201
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    assert create(cast.alice, uid=UID).status == 201


def test_nobody_learns_of_uids_on_calendars_that_they_may_not_edit(cast: Cast) -> None:
    calendar, uid = a_calendar(cast.alice, public=True), uuid4().hex
    shared(cast.alice, calendar, cast.vera, "viewer")
    an_event(cast.alice, calendar_id=calendar["id"], uid=uid, public=False)
    for who, sent in [(cast.carol, uid), (cast.carol, "none"), (cast.vera, uid)]:
        reply = create(who, uid=sent, calendar_id=calendar["id"])
        assert (reply.status, "event_id" in reply.json) == (403, False)
    assert listed(cast.carol, uid, calendar_id=calendar["id"]) == listed(cast.carol, uid, scope="public") == []
    assert len(listed(cast.vera, uid)) == 1


def test_of_concurrent_requests_one_creates_the_event(cast: Cast) -> None:
    alice: Person = cast.alice
    with ThreadPoolExecutor(5) as pool:
        replies = list(pool.map(lambda _: create(Client(alice.app, alice.token), uid=UID), range(5)))
    assert sorted(reply.status for reply in replies) == [201, 409, 409, 409, 409]
    assert len(listed(alice, UID)) == 1


@pytest.mark.on_one_database
@pytest.mark.parametrize("uid", ["a\nb", "a\x00b", "a\x7fb", "é" * 128, "x" * 256, 5])
def test_a_uid_is_short_and_clean(cast: Cast, uid: Any) -> None:
    assert create(cast.alice, uid=uid).broken == ["uid"]
    assert isinstance(uid, int) or cast.alice.get("/api/events", query={"uid": uid}).broken == ["uid"]


def test_an_import_finds_the_events_that_were_created_with_their_uid(cast: Cast) -> None:
    event = an_event(cast.alice, uid=UID)
    content = cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}.ics").text
    imported(cast.alice, content.replace("SUMMARY:Concert", "SUMMARY:Concerto"))
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    imported(cast.alice, content.replace("SUMMARY:Concert", "SUMMARY:Opera"))
    assert [item["title"] for item in cast.alice.get(f"/api/events?uid={UID}").json["events"]] == ["Opera", "Concerto", "Concerto"]
    exported = cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}.ics").text
    assert imported(cast.alice, exported)["unchanged"] == 1
    assert create(cast.alice, uid=UID).json["event_id"] == event["id"]


def test_an_event_that_moves_to_a_calendar_with_its_uid_gets_a_new_one(cast: Cast) -> None:
    first, second = (a_calendar(cast.alice)["id"] for _ in range(2))
    event, other = (an_event(cast.alice, calendar_id=each, uid=UID) for each in (first, second))
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": second})
    moved = cast.alice.put(f"/api/events/{event['id']}/remove", json={"calendar_id": first})
    assert (moved.status, moved.json["uid"] == UID) == (200, False)
    assert listed(cast.alice, UID) == [other["id"]]


@pytest.mark.parametrize("other", ["event", "series"])
def test_a_series_does_not_move_to_a_calendar_with_its_uid(cast: Cast, other: str) -> None:
    first, second = (a_calendar(cast.alice)["id"] for _ in range(2))
    event = an_event(cast.alice, calendar_id=first, uid=UID)
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": second})
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    dates = listed(cast.alice, UID)
    successor = an_event(cast.alice, calendar_id=second, uid=UID)
    if other == "series":
        cast.alice.put(f"/api/events/{successor['id']}/repeat", json={"frequency": "DAILY", "count": 2})
    reply = cast.alice.put(f"/api/events/{dates[1]}/remove", json={"calendar_id": first})
    assert (reply.status, reply.json["type"], reply.json["event_id"]) == (409, "/docs/errors#uid-taken", successor["id"])
    assert listed(cast.alice, UID, calendar_id=first) == dates
    # Nobody can be asked when their calendar is deleted: then the series gets a new one.
    assert cast.alice.delete(f"/api/calendars/{first}").status == 200
    moved = {cast.alice.get(f"/api/events/{event_id}").json["uid"] for event_id in dates}
    assert (len(moved), UID in moved) == (1, False)
    assert listed(cast.alice, UID)[0] == successor["id"]
    assert cast.alice.put("/api/events", query={"uid": UID, "calendar_id": second}, json=FIELDS).json["id"] == successor["id"]


@pytest.mark.parametrize("deleted", ["event", "series"])
@pytest.mark.parametrize("successor", ["event", "series"])
def test_what_was_deleted_is_not_restored_if_its_uid_was_taken(cast: Cast, deleted: str, successor: str) -> None:
    _make(cast.alice, deleted)
    event_ids = listed(cast.alice, UID)
    cast.alice.delete(f"/api/events/{event_ids[0]}?scope=all")
    seq = cast.alice.get("/api/trash").json["trash"][0]["seq"]
    _make(cast.alice, successor)
    taken_by = listed(cast.alice, UID)
    reply = cast.alice.post(f"/api/changes/{seq}/undo")
    assert (reply.status, "uid" in reply.json["detail"], listed(cast.alice, UID)) == (409, True, taken_by)
    cast.alice.delete(f"/api/events/{taken_by[0]}?scope=all")
    assert (cast.alice.post(f"/api/changes/{seq}/undo").status, listed(cast.alice, UID)) == (200, event_ids)


def _make(who: Client, kind: str) -> None:
    """An event, or a series of which no event has the UID itself."""
    if kind == "event":
        an_event(who, uid=UID)
    else:
        imported(who, a_file(an_entry(UID, "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY;COUNT=4")))
        who.delete(f"/api/events/{listed(who, UID)[0]}")


def test_a_file_may_have_the_uid_that_is_made_for_an_occurrence_of_another(cast: Cast) -> None:
    alone = an_entry("one", "DTSTART:20260602T180000Z", "RECURRENCE-ID:20260602T180000Z")
    assert counts(imported(cast.alice, a_file(alone, an_entry("one/2026-06-02")))) == (2, 0, 0, 0)
    assert len(listed(cast.alice, "one/2026-06-02")) == 1
