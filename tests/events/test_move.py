"""PUT /api/events/<id> with calendar_id: the event moves to another calendar, with all that belongs to it."""

import pytest

from tests.cast import Cast, a_calendar, a_comment, a_response, an_event, shared
from tests.dav.clients import calendar_path, sync
from tests.events.listing import listed


def _repeated(cast: Cast, **fields: object) -> list[int]:
    """The ids of three dates of a series."""
    event = an_event(cast.alice, start_time="2026-07-01T20:00", **fields)["id"]
    assert cast.alice.put(f"/api/events/{event}/repeat", json={"frequency": "DAILY", "count": 3}).status == 200
    series_id = cast.alice.get(f"/api/events/{event}").json["series_id"]
    return listed(cast.alice, series_id=series_id)


def test_an_event_moves_with_its_guests_its_link_and_its_other_calendars(cast: Cast) -> None:
    home, other, third = cast.alice.primary_calendar_id, a_calendar(cast.alice)["id"], a_calendar(cast.alice)["id"]
    event = an_event(cast.alice, visibility="link")
    path = f"/api/events/{event['id']}"
    a_response(cast.alice, event)
    a_comment(cast.alice, event)
    assert cast.alice.put(f"{path}/add", json={"calendar_id": third}).status == 200
    before = cast.alice.get(path)
    reply = cast.alice.put(path, json={"calendar_id": other})
    assert (reply.status, sorted(reply.json["calendar_ids"])) == (200, sorted([other, third]))
    after = cast.alice.get(path)
    assert {name: after.json[name] for name in ("link_url", "responses", "visibility")} == {
        name: before.json[name] for name in ("link_url", "responses", "visibility")
    }
    assert after.headers["etag"] != before.headers["etag"]
    assert (listed(cast.alice, calendar_id=home), listed(cast.alice, calendar_id=other)) == ([], [event["id"]])
    assert cast.alice.put(path, json={"calendar_id": other}).json["calendar_ids"] == reply.json["calendar_ids"]


def test_a_calendar_on_which_the_event_is_already_becomes_its_home(cast: Cast) -> None:
    other = a_calendar(cast.alice)["id"]
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": other}).status == 200
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": other, "title": "Moved"}).json["calendar_ids"] == [other]
    assert cast.alice.get(f"/api/events/{event}").json["title"] == "Moved"


def test_who_may_edit_it_follows_the_calendar(cast: Cast) -> None:
    """Its editors edit the event from then on; those of the calendar that it has left do not see it."""
    home, other = a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "editor")
    shared(cast.alice, other, cast.dave, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": other["id"]}).status == 200
    assert cast.bob.get(f"/api/events/{event}").status == 404
    assert cast.dave.get(f"/api/events/{event}/edit").status == 200


def test_moving_needs_the_right_to_edit_both_calendars(cast: Cast) -> None:
    home, foreign = a_calendar(cast.alice), a_calendar(cast.carol)
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    hidden = cast.bob.put(f"/api/events/{event}", json={"calendar_id": foreign["id"]})
    assert (hidden.status, hidden.broken) == (404, ["calendar_id"])
    shared(cast.carol, foreign, cast.bob, "viewer")
    forbidden = cast.bob.put(f"/api/events/{event}", json={"calendar_id": foreign["id"]})
    assert (forbidden.status, forbidden.broken) == (403, ["calendar_id"])


def test_an_editor_takes_no_event_out_of_its_owners_reach(cast: Cast) -> None:
    home = a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    reply = cast.bob.put(f"/api/events/{event}", json={"calendar_id": cast.bob.primary_calendar_id})
    assert (reply.status, reply.broken) == (422, ["calendar_id"])
    assert listed(cast.alice, calendar_id=home["id"]) == [event]
    common = a_calendar(cast.bob)
    shared(cast.bob, common, cast.alice, "editor")
    assert cast.bob.put(f"/api/events/{event}", json={"calendar_id": common["id"]}).json["calendar_ids"] == [common["id"]]


@pytest.mark.parametrize(("scope", "moved"), [("all", 3), ("following", 2)])
def test_the_dates_of_a_series_move_together(cast: Cast, scope: str, moved: int) -> None:
    home, other = a_calendar(cast.alice)["id"], a_calendar(cast.alice)["id"]
    dates = _repeated(cast, calendar_id=home)
    alone = cast.alice.put(f"/api/events/{dates[1]}", json={"calendar_id": other})
    assert (alone.status, alone.broken) == (422, ["calendar_id"])
    assert cast.alice.put(f"/api/events/{dates[1]}", json={"calendar_id": other, "scope": scope}).status == 200
    assert (len(listed(cast.alice, calendar_id=home)), len(listed(cast.alice, calendar_id=other))) == (3 - moved, moved)


def test_several_events_move_at_once_or_none(cast: Cast) -> None:
    other = a_calendar(cast.alice)["id"]
    one, two = an_event(cast.alice)["id"], an_event(cast.alice)["id"]
    date = _repeated(cast)[0]
    assert cast.alice.put(f"/api/events/{one}", json={"ids": [date], "calendar_id": other}).status == 422
    assert listed(cast.alice, calendar_id=other) == []
    assert cast.alice.put(f"/api/events/{one}", json={"ids": [two], "calendar_id": other}).status == 200
    assert sorted(listed(cast.alice, calendar_id=other)) == sorted([one, two])


def test_a_uid_that_the_new_calendar_has_already_is_replaced(cast: Cast) -> None:
    other = a_calendar(cast.alice)["id"]
    an_event(cast.alice, calendar_id=other, uid="rehearsal@example.org")
    event = an_event(cast.alice, uid="rehearsal@example.org")["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": other}).status == 200
    assert cast.alice.get(f"/api/events/{event}").json["uid"] != "rehearsal@example.org"


def test_the_move_is_undone(cast: Cast) -> None:
    home, other = cast.alice.primary_calendar_id, a_calendar(cast.alice)["id"]
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": other}).status == 200
    seq = cast.alice.get(f"/api/events/{event}/changes").json["changes"][0]["seq"]
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [home]
    assert (listed(cast.alice, calendar_id=home), listed(cast.alice, calendar_id=other)) == ([event], [])


def test_devices_learn_that_it_left_one_calendar_and_came_to_the_other(cast: Cast) -> None:
    other = a_calendar(cast.alice)["id"]
    paths = {"home": calendar_path(cast.alice), "other": calendar_path(cast.alice, other)}
    event = an_event(cast.alice)
    tokens = {name: sync(cast.alice, path)[1] for name, path in paths.items()}
    feed = cast.alice.get(f"/api/calendars/{other}.ics").headers["etag"]
    assert cast.alice.put(f"/api/events/{event['id']}", json={"calendar_id": other}).status == 200
    changed = {name: list(sync(cast.alice, path, tokens[name])[0].values()) for name, path in paths.items()}
    assert changed == {"home": [404], "other": [200]}
    assert cast.alice.get(f"/api/calendars/{other}.ics").headers["etag"] != feed


def test_the_history_has_a_move_as_one_entry_with_one_undo(cast: Cast) -> None:
    band = a_calendar(cast.alice, name="Band")["id"]
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": band}).status == 200
    page = cast.alice.get(f"/events/{event}/history").text
    assert "Moved from <bdi>Personal</bdi> to <bdi>Band</bdi>" in page
    assert page.count("/undo") == 2, "that of the move, and that of the event itself"
    assert "Edited" not in page
    assert "a calendar</strong>" not in page


def test_the_history_names_no_calendar_that_the_reader_cannot_see(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Band")
    shared(cast.alice, calendar, cast.bob, "editor")
    hidden, band = a_calendar(cast.alice, name="Surprise")["id"], calendar["id"]
    event = an_event(cast.alice, calendar_id=hidden)["id"]
    assert cast.alice.put(f"/api/events/{event}", json={"calendar_id": band}).status == 200
    page = cast.bob.get(f"/events/{event}/history").text
    assert "Moved to another calendar" in page
    assert "Surprise" not in page
