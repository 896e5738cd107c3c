"""PUT /api/events/<id>/add: add the event to one more calendar."""

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database


def test_an_event_is_added_to_a_calendar(cast: Cast) -> None:
    first, second = a_calendar(cast.alice)["id"], a_calendar(cast.alice, name="Second")
    event = an_event(cast.alice, calendar_id=first)["id"]
    reply = cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": second["id"]})
    assert (reply.status, reply.json["calendar_ids"]) == (200, [first, second["id"]])
    assert reply.json["calendars"][1] == {"id": second["id"], "name": "Second"}
    assert listed(cast.alice, calendar_id=first) == listed(cast.alice, calendar_id=second["id"]) == [event]


def test_the_list_of_each_calendar_has_the_others(cast: Cast) -> None:
    first, second = a_calendar(cast.alice)["id"], a_calendar(cast.alice)["id"]
    event = an_event(cast.alice, calendar_id=first)["id"]

    def calendars(calendar: int) -> list[int]:
        [item] = cast.alice.get("/api/events", query={"calendar_id": calendar}).json["events"]
        return sorted(item["calendar_ids"])

    assert calendars(first) == [first]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": second}).status == 200
    assert calendars(first) == calendars(second) == [first, second]
    removed = cast.alice.put(f"/api/events/{event}/remove", json={"calendar_id": first})
    assert (removed.status, calendars(second)) == (200, [second])
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": first}).status == 200
    assert calendars(first) == calendars(second) == [first, second]


def test_without_a_calendar_the_event_is_added_to_the_primary_one(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    reply = cast.carol.put(f"/api/events/{event}/add")
    assert (reply.status, reply.json["calendar_ids"]) == (200, [cast.carol.primary_calendar_id])
    assert listed(cast.carol) == [event]


def test_adding_twice_changes_nothing(cast: Cast) -> None:
    second = a_calendar(cast.alice)["id"]
    event = an_event(cast.alice)["id"]
    once, twice = (cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": second}) for _ in range(2))
    assert (once.status, once.json) == (twice.status, twice.json)
    assert once.headers["ETag"] == twice.headers["ETag"]
    home = cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": cast.alice.primary_calendar_id})
    assert home.json == once.json
    assert listed(cast.alice) == [event]


def test_an_event_that_moves_does_so_on_all_its_calendars(cast: Cast) -> None:
    calendars = [cast.alice.primary_calendar_id, a_calendar(cast.alice)["id"]]
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": calendars[1]}).status == 200
    assert cast.alice.put(f"/api/events/{event}", json={"start_time": "2027-01-01"}).status == 200
    for calendar in calendars:
        assert listed(cast.alice, calendar_id=calendar, end_time="2026-12-31") == []
        assert listed(cast.alice, calendar_id=calendar, start_time="2027-01-01") == [event]


def test_adding_needs_an_event_that_one_sees_and_a_calendar_that_one_may_edit(cast: Cast) -> None:
    public, private = an_event(cast.alice, public=True)["id"], an_event(cast.alice)["id"]
    visible, hidden = a_calendar(cast.alice, public=True), a_calendar(cast.alice)
    edited = a_calendar(cast.alice)
    shared(cast.alice, edited, cast.bob, "editor")
    shared(cast.alice, visible, cast.vera, "viewer")

    def status(actor: str, event: int, calendar: dict[str, int] | None = None) -> int:
        fields = {"calendar_id": calendar["id"]} if calendar else {}
        return int(getattr(cast, actor).put(f"/api/events/{event}/add", json=fields).status)

    assert status("bob", public, edited) == 200
    assert status("bob", private, edited) == 404
    assert status("vera", public, visible) == 403
    assert status("carol", public, visible) == 403
    assert status("carol", public, hidden) == 404
    assert status("anonymous", public) == 401
    assert status("anonymous", public, visible) == 401
    assert status("anonymous", private) == 404


def test_adding_an_event_does_not_permit_changing_it(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    assert cast.carol.put(f"/api/events/{event}/add").json["can_edit"] is False
    assert cast.carol.put(f"/api/events/{event}", json={"title": "Mine"}).status == 403


def test_a_stranger_who_adds_a_public_event_is_not_shown_to_its_owner(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    assert cast.carol.put(f"/api/events/{event}/add").status == 200
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [cast.alice.primary_calendar_id]


def test_the_calendars_of_an_event_have_their_names_as_they_were_typed(cast: Cast) -> None:
    names = ['The "Blue" Note', r"C:\jazz, {live} & %s", "Ünïcode\N{SAXOPHONE}"]
    first, *others = (a_calendar(cast.alice, name=name)["id"] for name in names)
    event = an_event(cast.alice, calendar_id=first)["id"]
    for calendar in others:
        assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": calendar}).status == 200
    assert [calendar["name"] for calendar in cast.alice.get(f"/api/events/{event}").json["calendars"]] == names
