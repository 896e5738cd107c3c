"""PUT /api/events/<id>/remove: the event leaves a calendar; when it leaves its home, another becomes the home."""

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared
from tests.client import Answer
from tests.events.listing import listed


def _add(actor: Person, event: int, calendar: int) -> None:
    assert actor.put(f"/api/events/{event}/add", json={"calendar_id": calendar}).status == 200


def _remove(actor: Person, event: int, calendar: int) -> Answer:
    return actor.put(f"/api/events/{event}/remove", json={"calendar_id": calendar})


def test_an_event_leaves_a_calendar_and_stays_on_the_others(cast: Cast) -> None:
    home, other = cast.alice.primary_calendar_id, a_calendar(cast.alice)["id"]
    event = an_event(cast.alice)["id"]
    _add(cast.alice, event, other)
    answer = _remove(cast.alice, event, other)
    assert (answer.status, answer.json["calendar_ids"]) == (200, [home])
    assert (listed(cast.alice, calendar_id=other), listed(cast.alice, calendar_id=home)) == ([], [event])
    assert _remove(cast.alice, event, other).json == answer.json


def test_without_a_calendar_it_is_ones_primary_one(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    _add(cast.carol, event, cast.carol.primary_calendar_id)
    assert cast.carol.put(f"/api/events/{event}/remove").json["calendar_ids"] == []
    assert listed(cast.carol) == []


def test_the_last_calendar_stays(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    answer = _remove(cast.alice, event, cast.alice.primary_calendar_id)
    assert answer.status == 409
    assert listed(cast.alice) == [event]


def test_a_calendar_on_which_a_mere_viewer_placed_it_is_no_home(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])["id"]
    _add(cast.vera, event, cast.vera.primary_calendar_id)
    assert _remove(cast.alice, event, calendar["id"]).status == 409
    assert listed(cast.vera, calendar_id=calendar["id"]) == [event]


def test_the_longest_standing_other_calendar_becomes_the_home(cast: Cast) -> None:
    """Its editors may change the event from then on, and those of the old home may not."""
    home, second, third = (a_calendar(owner) for owner in (cast.alice, cast.bob, cast.carol))
    for owner, calendar in ((cast.bob, second), (cast.carol, third)):
        shared(owner, calendar, cast.alice, "editor")
    shared(cast.alice, home, cast.dave, "editor")
    shared(cast.alice, home, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.vera, event, cast.vera.primary_calendar_id)
    _add(cast.alice, event, second["id"])
    _add(cast.alice, event, third["id"])

    def may_edit() -> set[str]:
        return {name for name in ("alice", "bob", "carol", "dave") if getattr(cast, name).get(f"/api/events/{event}/edit").status == 200}

    assert may_edit() == {"alice", "dave"}
    assert _remove(cast.dave, event, home["id"]).status == 200
    assert may_edit() == {"alice", "bob"}
    assert cast.vera.get(f"/api/events/{event}").status == 404
    _add(cast.bob, event, cast.bob.primary_calendar_id)
    assert _remove(cast.bob, event, second["id"]).json["calendar_ids"] == [cast.bob.primary_calendar_id]
    assert may_edit() == {"alice", "carol"}
    assert _remove(cast.carol, event, third["id"]).status == 200
    assert may_edit() == {"alice", "bob"}
    assert _remove(cast.bob, event, cast.bob.primary_calendar_id).status == 409


def test_one_who_saw_it_on_that_calendar_alone_may_take_it_off(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "editor")
    event = an_event(cast.alice, title="Blue Train")["id"]
    _add(cast.alice, event, calendar["id"])
    answer = _remove(cast.bob, event, calendar["id"])
    assert (answer.status, answer.json["title"], answer.json["calendar_ids"], answer.json["can_edit"]) == (200, "Blue Train", [], False)
    assert listed(cast.bob) == []
    assert cast.bob.get(f"/api/events/{event}").status == 404
    assert listed(cast.alice, calendar_id=calendar["id"]) == []
    assert cast.alice.get(f"/api/events/{event}").json["calendar_ids"] == [cast.alice.primary_calendar_id]


def test_an_editor_of_the_home_may_send_it_away(cast: Cast) -> None:
    """Bob edits alice's calendar and nothing else: once the event is at home elsewhere he does not see it."""
    home, other = a_calendar(cast.alice), a_calendar(cast.alice)
    shared(cast.alice, home, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=home["id"])["id"]
    _add(cast.alice, event, other["id"])
    answer = _remove(cast.bob, event, home["id"])
    assert (answer.status, answer.json["can_edit"]) == (200, False)
    assert cast.bob.get(f"/api/events/{event}").status == 404
    assert listed(cast.alice, calendar_id=other["id"]) == [event]


@pytest.mark.parametrize(("actor", "status"), [("alice", 200), ("bob", 200), ("vera", 403), ("carol", 403), ("anonymous", 401)])
def test_editors_of_the_calendar_remove(cast: Cast, actor: str, status: int) -> None:
    """Whoever owns the event: what stands on a calendar is the matter of those who edit it."""
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.dave, public=True)["id"]
    _add(cast.bob, event, calendar["id"])
    assert _remove(getattr(cast, actor), event, calendar["id"]).status == status
    assert listed(cast.vera, calendar_id=calendar["id"]) == ([] if status == 200 else [event])


def test_the_owner_of_the_event_alone_may_not_take_it_off_another_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.bob, public=True)["id"]
    event = an_event(cast.alice, public=True)["id"]
    _add(cast.bob, event, calendar)
    assert _remove(cast.alice, event, calendar).status == 403
