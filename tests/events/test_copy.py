"""PUT /api/events/<id>/copy: a new event of one's own with the same content."""

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.conftest import Clock
from tests.events.listing import listed
from tests.events.test_show import FULL

pytestmark = pytest.mark.on_one_database

OWN = {"id", "owner", "calendars", "calendar_ids", "public", "visibility", "uid", "url", "can_edit", "created_at", "updated_at"}


def test_a_copy_has_the_content_and_is_ones_own(cast: Cast, clock: Clock) -> None:
    event = an_event(cast.alice, **FULL)
    clock.ahead(3600)
    reply = cast.carol.put(f"/api/events/{event['id']}/copy")
    copy = reply.json
    assert (reply.status, reply.headers["Location"]) == (201, f"/api/events/{copy['id']}")
    assert {name: value for name, value in copy.items() if name not in OWN} == {n: v for n, v in event.items() if n not in OWN}
    assert copy["id"] != event["id"]
    assert (copy["owner"]["id"], copy["can_edit"], copy["calendar_ids"]) == (cast.carol.id, True, [cast.carol.primary_calendar_id])
    assert copy["created_at"] == copy["updated_at"] == "2026-05-28T21:26:40Z"
    assert cast.carol.get(reply.headers["Location"]).json == copy
    assert listed(cast.carol) == [copy["id"]]


def test_a_copy_and_its_original_go_their_own_ways(cast: Cast) -> None:
    event = an_event(cast.alice, title="Blue Train", tag_list="jazz", public=True)["id"]
    copy = cast.carol.put(f"/api/events/{event}/copy").json["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"title": "Cancelled", "tag_list": ""}).status == 200
    copied_event = cast.carol.get(f"/api/events/{copy}").json
    assert (copied_event["title"], copied_event["tags"]) == ("Blue Train", ["jazz"])
    assert cast.alice.delete(f"/api/events/{event}").status == 200
    assert cast.carol.get(f"/api/events/{copy}").status == 200


@pytest.mark.parametrize("start", ["2026-06-01", "2026-06-01T20:00[Asia/Tokyo]", "2026-10-25T02:30:00+01:00[Europe/Paris]"])
def test_a_copy_is_at_the_same_time_wherever_the_calendar_is(cast: Cast, start: str) -> None:
    event = an_event(cast.alice, start_time=start, end_time="2026-11-01", public=True)
    calendar = a_calendar(cast.carol, time_zone="America/New_York")["id"]
    copy = cast.carol.put(f"/api/events/{event['id']}/copy", json={"calendar_id": calendar}).json
    assert copy["calendar_ids"] == [calendar]
    for name in ("start_time", "end_time", "all_day", "time_zone"):
        assert copy[name] == event[name]


@pytest.mark.parametrize(("event", "calendar", "copy"), [(True, True, True), (True, False, False), (False, True, False)])
def test_a_copy_is_public_where_both_the_event_and_the_calendar_are(cast: Cast, event: bool, calendar: bool, copy: bool) -> None:
    """Copying must not publish what was private, nor a private calendar what was public."""
    original = an_event(cast.alice, public=event)["id"]
    onto = a_calendar(cast.alice, public=calendar)["id"]
    copied_event = cast.alice.put(f"/api/events/{original}/copy", json={"calendar_id": onto}).json
    assert copied_event["public"] is copy
    assert listed(cast.anonymous, ids=copied_event["id"]) == ([copied_event["id"]] if copy else [])


def test_a_user_who_sees_an_event_may_copy_it_to_a_calendar_that_they_edit(cast: Cast) -> None:
    private = a_calendar(cast.alice)
    shared(cast.alice, private, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=private["id"])["id"]
    assert cast.vera.put(f"/api/events/{event}/copy").status == 201
    assert cast.vera.put(f"/api/events/{event}/copy", json={"calendar_id": private["id"]}).status == 403
    assert cast.vera.put(f"/api/events/{event}/copy", json={"calendar_id": cast.carol.primary_calendar_id}).status == 404
    assert cast.carol.put(f"/api/events/{event}/copy").status == 404
    assert cast.anonymous.put(f"/api/events/{an_event(cast.alice, public=True)['id']}/copy").status == 401


def test_copying_again_creates_another_event(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    first, second = (cast.alice.put(f"/api/events/{event}/copy").json["id"] for _ in range(2))
    assert listed(cast.alice) == [event, first, second]
