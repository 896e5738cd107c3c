"""Who sees an event: the public, its owner, and the members of the calendars on which it was placed by one who may edit it."""

from typing import Any

import pytest

from tests.cast import PASSWORD, Cast, Person, a_calendar, an_event, shared
from tests.client import Client
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

ACTORS = ("anonymous", "alice", "bob", "vera", "carol", "dave")


class Scene:
    """Alice's event on her calendar, which bob edits and vera views. Carol has a calendar that dave views; alice, bob and
    vera may edit it, so that each of them may place the event there."""

    def __init__(self, cast: Cast, *, public: bool):
        self.cast = cast
        self.home = a_calendar(cast.alice, name="Home")
        self.other = a_calendar(cast.carol, name="Other")
        shared(cast.alice, self.home, cast.bob, "editor")
        shared(cast.alice, self.home, cast.vera, "viewer")
        shared(cast.carol, self.other, cast.dave, "viewer")
        for editor in (cast.alice, cast.bob, cast.vera):
            shared(cast.carol, self.other, editor, "editor")
        self.event: int = an_event(cast.alice, calendar_id=self.home["id"], public=public, title=f"word{cast.alice.id}")["id"]

    def actor(self, name: str) -> Client:
        actor: Client = getattr(self.cast, name)
        return actor

    def placed(self, by: Client, calendar: dict[str, Any] | None = None) -> None:
        reply = by.put(f"/api/events/{self.event}/add", json={"calendar_id": (calendar or self.other)["id"]})
        assert reply.status == 200, reply

    def sees(self, actor: Client) -> bool:
        """Whether the actor sees the event; show, ids, count and the search of a calendar must agree."""
        status = actor.get(f"/api/events/{self.event}").status
        assert status in (200, 404)
        by_id = actor.get("/api/events", query={"ids": self.event, "count": "true"}).json
        assert len(by_id["events"]) == by_id["total"] == (status == 200)
        for calendar in (self.home, self.other):
            within = {"calendar_id": calendar["id"], "count": "true"}
            for query in (within, within | {"title": f"word{self.cast.alice.id}"}):
                reply = actor.get("/api/events", query=query)
                if reply.status == 200:
                    assert len(reply.json["events"]) == reply.json["total"]
                    assert status == 200 or reply.json["total"] == 0
        return status == 200

    def seeing(self) -> set[str]:
        return {name for name in ACTORS if self.sees(self.actor(name))}


MEMBERS = {"alice", "bob", "vera"}
EVERYONE = set(ACTORS)


@pytest.mark.parametrize(
    ("public", "placer", "seen_by"),
    [
        (False, None, MEMBERS),
        (False, "alice", MEMBERS | {"carol", "dave"}),
        (False, "bob", MEMBERS | {"carol", "dave"}),
        (False, "vera", MEMBERS),
        (True, None, EVERYONE),
        (True, "alice", EVERYONE),
        (True, "vera", EVERYONE),
        (True, "carol", EVERYONE),
    ],
)
def test_an_event_is_visible_to_the_expected_readers(cast: Cast, public: bool, placer: str | None, seen_by: set[str]) -> None:
    scene = Scene(cast, public=public)
    if placer:
        scene.placed(scene.actor(placer))
    assert scene.seeing() == seen_by


def test_an_event_placed_by_a_mere_viewer_is_on_the_calendar_for_those_who_see_it_anyway(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    scene.placed(cast.vera)
    for actor in (cast.alice, cast.bob, cast.vera):
        assert listed(actor, calendar_id=scene.other["id"]) == [scene.event]
    for actor in (cast.carol, cast.dave):
        assert listed(actor, calendar_id=scene.other["id"]) == listed(actor) == []


def test_an_event_placed_later_by_an_editor_is_visible_to_all_members(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    scene.placed(cast.vera)
    scene.placed(cast.vera)
    assert scene.seeing() == MEMBERS
    scene.placed(cast.bob)
    assert scene.seeing() == MEMBERS | {"carol", "dave"}
    scene.placed(cast.vera)
    assert scene.seeing() == MEMBERS | {"carol", "dave"}


def test_an_event_that_was_public_when_a_stranger_placed_it_is_hidden_again(cast: Cast) -> None:
    scene = Scene(cast, public=True)
    scene.placed(cast.carol)
    assert listed(cast.dave, calendar_id=scene.other["id"]) == [scene.event]
    assert cast.alice.put(f"/api/events/{scene.event}", json={"public": False}).status == 200
    assert scene.seeing() == MEMBERS
    assert listed(cast.dave, calendar_id=scene.other["id"]) == []


def test_only_calendars_that_the_reader_sees_are_named(cast: Cast) -> None:
    scene = Scene(cast, public=True)
    scene.placed(cast.bob)
    open_calendar = a_calendar(cast.bob, name="Open", public=True)
    scene.placed(cast.bob, open_calendar)
    home, other, third = (calendar["id"] for calendar in (scene.home, scene.other, open_calendar))
    expected = {
        "anonymous": [third],
        "alice": [home, other, third],
        "bob": [home, other, third],
        "vera": [home, other, third],
        "carol": [other, third],
        "dave": [other, third],
    }
    for name, ids in expected.items():
        event = scene.actor(name).get(f"/api/events/{scene.event}").json
        item = scene.actor(name).get("/api/events", query={"ids": scene.event}).json["events"][0]
        assert event["calendar_ids"] == item["calendar_ids"] == [calendar["id"] for calendar in event["calendars"]] == ids, name
    assert [calendar["name"] for calendar in cast.bob.get(f"/api/events/{scene.event}").json["calendars"]] == ["Home", "Other", "Open"]


def test_unsharing_a_calendar_hides_its_events(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    scene.placed(cast.alice)
    for friend in (cast.bob, cast.vera):
        for owner, calendar in ((cast.alice, scene.home), (cast.carol, scene.other)):
            gone = owner.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": friend.user_name})
            assert gone.status == 200
    assert scene.seeing() == {"alice", "carol", "dave"}


@pytest.mark.parametrize(("actor", "can_edit"), [("alice", True), ("bob", True), ("vera", False), ("carol", False), ("anonymous", False)])
def test_only_editors_of_an_event_may_edit_it(cast: Cast, actor: str, can_edit: bool) -> None:
    """Members of a calendar on which it is placed besides may not, whatever they may do there."""
    scene = Scene(cast, public=True)
    scene.placed(cast.alice)
    event = scene.actor(actor).get(f"/api/events/{scene.event}").json
    assert event["can_edit"] == can_edit
    changed = scene.actor(actor).put(f"/api/events/{scene.event}", json={"title": "Changed"}).status
    assert changed == (200 if can_edit else 401 if actor == "anonymous" else 403)


def _deleted(person: Person) -> None:
    gone = person.delete(f"/api/users/{person.id}", json={"current_password": PASSWORD})
    assert gone.status == 200, gone


def test_deleting_a_calendar_takes_its_events_off_and_deletes_those_with_nowhere_else_to_be(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    alone, visible_only = (an_event(owner, calendar_id=scene.home["id"])["id"] for owner in (cast.bob, cast.alice))
    visiting, placed = an_event(cast.vera, public=True)["id"], an_event(cast.alice, calendar_id=scene.home["id"])["id"]
    second = a_calendar(cast.alice)
    for calendar in (scene.other, second):
        scene.placed(cast.alice, calendar)
    assert cast.alice.put(f"/api/events/{placed}/add", json={"calendar_id": scene.other["id"]}).status == 200
    assert cast.vera.put(f"/api/events/{visible_only}/add", json={"calendar_id": scene.other["id"]}).status == 200
    assert cast.bob.put(f"/api/events/{visiting}/add", json={"calendar_id": scene.home["id"]}).status == 200
    assert listed(cast.alice, calendar_id=scene.home["id"]) == [scene.event, alone, visible_only, visiting, placed]
    assert cast.alice.delete(f"/api/calendars/{scene.home['id']}").status == 200
    assert cast.alice.get(f"/api/events/{scene.event}").json["calendar_ids"] == [scene.other["id"], second["id"]]
    assert scene.seeing() == MEMBERS | {"carol", "dave"}
    # A home moves to no calendar but the owner's.
    assert cast.carol.put(f"/api/events/{scene.event}", json={"title": "At home here"}).status == 403
    assert [cast.alice.get(f"/api/events/{event}").status for event in (alone, visible_only, placed)] == [404, 404, 404]
    assert listed(cast.alice) == [scene.event]
    assert cast.vera.get(f"/api/events/{visiting}").json["calendar_ids"] == [cast.vera.primary_calendar_id]


def test_deleting_a_user_deletes_their_events_but_those_on_calendars_of_others(cast: Cast) -> None:
    scene = Scene(cast, public=False)
    scene.placed(cast.alice)
    guesting, own = an_event(cast.alice, calendar_id=scene.other["id"])["id"], an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{own}/add", json={"calendar_id": scene.other["id"]}).status == 200
    _deleted(cast.alice)
    # Bob, who edited the calendar of the first, has it now, and answers for where its events are placed.
    assert listed(cast.carol) == listed(cast.carol, ids=f"{scene.event},{guesting},{own}") == [scene.event, guesting]
    assert cast.bob.get(f"/api/events/{scene.event}").status == 200


def test_calendars_that_others_edit_stay_with_their_events_when_the_owner_is_deleted(cast: Cast) -> None:
    first, second = a_calendar(cast.alice), a_calendar(cast.alice)
    for calendar in (first, second):
        shared(cast.alice, calendar, cast.bob, "editor")
    moves, goes, stays, ends = (an_event(cast.bob, calendar_id=first["id"])["id"] for _ in range(4))
    visits = an_event(cast.bob)["id"]

    def place(event: int, *calendars: int) -> None:
        for calendar in calendars:
            assert cast.bob.put(f"/api/events/{event}/add", json={"calendar_id": calendar}).status == 200

    place(moves, second["id"], cast.bob.primary_calendar_id)
    place(goes, second["id"])
    place(stays, cast.bob.primary_calendar_id)
    place(visits, first["id"])
    _deleted(cast.alice)
    assert listed(cast.bob) == [moves, goes, stays, ends, visits]
    for event in (moves, goes, stays, ends, visits):
        assert cast.bob.put(f"/api/events/{event}", json={"title": "Still mine"}).status == 200
