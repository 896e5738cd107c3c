"""DELETE /api/events?uid=: delete the event or the series with this UID."""

import pytest

from tests.cast import Cast, a_calendar, a_response, an_event, shared
from tests.client import Client

pytestmark = pytest.mark.on_one_database

UID = "concert-7@example.org"


def _ids(who: Client) -> list[int]:
    return [event["id"] for event in who.get("/api/events?limit=500").json["events"]]


def test_the_event_with_the_uid_is_deleted_and_no_other(cast: Cast) -> None:
    event, other = an_event(cast.alice, uid=UID), an_event(cast.alice)
    reply = cast.alice.delete("/api/events", query={"uid": UID})
    assert (reply.status, reply.json["deleted"], _ids(cast.alice)) == (200, [event["id"]], [other["id"]])
    again = cast.alice.delete("/api/events", query={"uid": UID})
    assert (again.status, again.broken, again.json["errors"][0]["code"]) == (404, ["uid"], "not_found")
    assert cast.alice.delete("/api/events", query={"uid": other["uid"]}).json["deleted"] == [other["id"]]


def test_the_whole_series_goes_with_its_uid(cast: Cast) -> None:
    event = an_event(cast.alice, uid=UID)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 4}).status == 200
    assert len(cast.alice.delete("/api/events", query={"uid": UID}).json["deleted"]) == 4
    assert _ids(cast.alice) == []


def test_the_uid_is_looked_for_on_one_calendar_that_one_may_edit(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    event = an_event(cast.alice, uid=UID, calendar_id=calendar["id"])
    assert cast.alice.delete("/api/events", query={"uid": UID}).status == 404
    here = {"uid": UID, "calendar_id": calendar["id"]}
    assert [person.delete("/api/events", query=here).status for person in (cast.bob, cast.carol, cast.anonymous)] == [403, 404, 401]
    assert cast.alice.delete("/api/events", query=here).json["deleted"] == [event["id"]]


def test_a_uid_is_required(cast: Cast) -> None:
    an_event(cast.alice)
    assert cast.alice.delete("/api/events").broken == ["uid"]
    assert len(_ids(cast.alice)) == 1


def test_the_version_is_checked_and_the_guests_are_notified(cast: Cast) -> None:
    event = an_event(cast.alice, uid=UID, public=True)
    a_response(cast.carol, event)
    assert cast.alice.delete("/api/events", query={"uid": UID}, headers={"If-Match": '"0-0"'}).status == 412
    preview = cast.alice.delete("/api/events", query={"uid": UID, "dry_run": "true"})
    assert (preview.status, _ids(cast.alice)) == (200, [event["id"]])
    etag = cast.alice.get(f"/api/events/{event['id']}").headers["ETag"]
    reply = cast.alice.delete("/api/events", query={"uid": UID, "notify": "none"}, headers={"If-Match": etag})
    assert (reply.status, reply.json["deleted"]) == (200, [event["id"]])
