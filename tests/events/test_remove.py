"""PUT /api/events/<id>/remove: the event leaves a calendar; when it leaves its home, another becomes the home."""

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.client import Reply
from tests.events.listing import listed


def _add(actor: Person, event: int, calendar: int) -> None:
    assert actor.put(f"/api/events/{event}/add", json={"calendar_id": calendar}).status == 200


def _remove(actor: Person, event: int, calendar: int) -> Reply:
    return actor.put(f"/api/events/{event}/remove", json={"calendar_id": calendar})


def test_an_event_leaves_a_calendar_and_stays_on_the_others(cast: Cast) -> None:
    home, other = cast.alice.primary_calendar_id, a_calendar(cast.alice)["id"]
    event = an_event(cast.alice)["id"]
    _add(cast.alice, event, other)
    reply = _remove(cast.alice, event, other)
    assert (reply.status, reply.json["calendar_ids"]) == (200, [home])
    assert (listed(cast.alice, calendar_id=other), listed(cast.alice, calendar_id=home)) == ([], [event])
    assert _remove(cast.alice, event, other).json == reply.json


def test_without_a_calendar_the_event_is_removed_from_the_primary_one(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    _add(cast.carol, event, cast.carol.primary_calendar_id)
    assert cast.carol.put(f"/api/events/{event}/remove").json["calendar_ids"] == []
    assert listed(cast.carol) == []


def test_the_last_calendar_stays(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    reply = _remove(cast.alice, event, cast.alice.primary_calendar_id)
    assert reply.status == 409
    assert listed(cast.alice) == [event]


def test_a_calendar_on_which_a_mere_viewer_placed_it_is_no_home(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])["id"]
    _add(cast.vera, event, cast.vera.primary_calendar_id)
    assert _remove(cast.alice, event, calendar["id"]).status == 409
    assert listed(cast.vera, calendar_id=calendar["id"]) == [event]


def test_the_owners_longest_standing_other_calendar_becomes_the_home(cast: Cast) -> None:
    """Its editors may change the event from then on, and those of the old home may not."""
    home, foreign, second, third = a_calendar(cast.alice), a_calendar(cast.bob), a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.bob, foreign, cast.alice, "editor")
    shared(cast.alice, home, cast.dave, "editor")
    shared(cast.alice, second, cast.carol, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    for calendar in (foreign, second, third):
        _add(cast.alice, event, calendar["id"])

    def may_edit() -> set[str]:
        return {name for name in ("alice", "bob", "carol", "dave") if getattr(cast, name).get(f"/api/events/{event}/edit").status == 200}

    assert may_edit() == {"alice", "dave"}
    assert _remove(cast.dave, event, home["id"]).status == 200
    assert may_edit() == {"alice", "carol"}
    assert _remove(cast.carol, event, second["id"]).status == 200
    assert may_edit() == {"alice"}
    assert _remove(cast.alice, event, third["id"]).status == 409
    assert listed(cast.bob, calendar_id=foreign["id"]) == [event]


def test_an_editor_cannot_make_their_own_calendar_the_home(cast: Cast) -> None:
    home = a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.bob, event, cast.bob.primary_calendar_id)
    assert _remove(cast.bob, event, home["id"]).status == 409
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [home["id"], cast.bob.primary_calendar_id]


def test_grants_of_editors_end_when_the_home_moves(cast: Cast) -> None:
    home, other, carols = a_calendar(cast.alice), a_calendar(cast.alice), a_calendar(cast.carol)
    shared(cast.alice, home, cast.bob, "editor")
    shared(cast.carol, carols, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.alice, event, other["id"])
    _add(cast.bob, event, carols["id"])
    assert listed(cast.carol, calendar_id=carols["id"]) == [event]
    assert _remove(cast.alice, event, home["id"]).status == 200
    assert listed(cast.carol, calendar_id=carols["id"]) == []
    assert cast.carol.get(f"/api/events/{event}").status == 404


def test_a_user_who_saw_the_event_on_that_calendar_alone_may_remove_it(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "editor")
    event = an_event(cast.alice, title="Blue Train")["id"]
    _add(cast.alice, event, calendar["id"])
    reply = _remove(cast.bob, event, calendar["id"])
    assert (reply.status, reply.json["title"], reply.json["calendar_ids"], reply.json["can_edit"]) == (200, "Blue Train", [], False)
    assert listed(cast.bob) == []
    assert cast.bob.get(f"/api/events/{event}").status == 404
    assert listed(cast.alice, calendar_id=calendar["id"]) == []
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [cast.alice.primary_calendar_id]


def test_an_editor_of_the_home_calendar_may_remove_the_event_from_it(cast: Cast) -> None:
    """Bob edits alice's calendar and nothing else: once the event is at home elsewhere he does not see it."""
    home, other = a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.alice, event, other["id"])
    reply = _remove(cast.bob, event, home["id"])
    assert (reply.status, reply.json["can_edit"]) == (200, False)
    assert cast.bob.get(f"/api/events/{event}").status == 404
    assert listed(cast.alice, calendar_id=other["id"]) == [event]


@pytest.mark.parametrize(("actor", "status"), [("alice", 200), ("bob", 200), ("vera", 403), ("carol", 403), ("anonymous", 401)])
def test_editors_of_the_calendar_remove(cast: Cast, actor: str, status: int) -> None:
    """Editors of a calendar decide which events are on it, no matter who owns the event."""
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.dave, public=True)["id"]
    _add(cast.bob, event, calendar["id"])
    assert _remove(getattr(cast, actor), event, calendar["id"]).status == status
    assert listed(cast.vera, calendar_id=calendar["id"]) == ([] if status == 200 else [event])


def test_an_editor_of_the_event_takes_it_off_any_calendar_that_they_know_of(cast: Cast) -> None:
    visible, hidden = a_calendar(cast.bob, public=True)["id"], a_calendar(cast.carol)["id"]
    event = an_event(cast.alice, public=True)["id"]
    _add(cast.bob, event, visible)
    _add(cast.carol, event, hidden)
    assert _remove(cast.alice, event, visible).status == 200
    assert listed(cast.bob, calendar_id=visible) == []
    assert _remove(cast.alice, event, hidden).status == 404
    assert listed(cast.carol, calendar_id=hidden) == [event]


def test_the_owner_sees_and_ends_what_an_editor_granted(cast: Cast) -> None:
    """Also on a private calendar of a stranger's: the owner must know who lets others see the event."""
    home, foreign = a_calendar(cast.alice), a_calendar(cast.carol, name="Carol's own")
    shared(cast.alice, home, cast.bob, "editor")
    shared(cast.carol, foreign, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.bob, event, foreign["id"])
    assert {"id": foreign["id"], "name": "Carol's own"} in cast.alice.get(f"/api/events/{event}").json["calendars"]
    reply = _remove(cast.alice, event, foreign["id"])
    assert (reply.status, reply.json["calendar_ids"]) == (200, [home["id"]])
    assert listed(cast.carol, calendar_id=foreign["id"]) == []
