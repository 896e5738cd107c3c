"""Managers of a calendar do all that its owner does, but delete it and hand it over."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import PASSWORD, Cast, Person, a_calendar, an_event, last_change, shared, verified
from tests.changes.follower import Follower
from tests.conftest import Clock


def _role(person: Person, calendar: dict[str, Any]) -> str | None:
    reply = person.get(f"/api/calendars/{calendar['id']}")
    return str(reply.json["role"]) if reply.status == 200 else None


def test_a_manager_changes_a_calendar_and_shares_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.mona, "manager")
    path = f"/api/calendars/{calendar['id']}"
    assert cast.mona.put(path, json={"name": "Blues"}).json["name"] == "Blues"
    event = an_event(cast.mona, calendar_id=calendar["id"])
    assert cast.mona.put(f"/api/events/{event['id']}", json={"title": "Late"}).status == 200
    shared(cast.mona, calendar, cast.bob, "editor")
    shares = cast.mona.get(path).json["shares"]
    assert {each["user_name"]: each["role"] for each in shares} == {cast.mona.user_name: "manager", cast.bob.user_name: "editor"}
    assert "shares" not in cast.bob.get(path).json
    assert cast.mona.get(path).json["feed_url"] == cast.alice.get(path).json["feed_url"]
    assert cast.mona.delete(path).status == 403
    assert (_role(cast.mona, calendar), _role(cast.bob, calendar)) == ("manager", "editor")


def test_what_a_manager_takes_over_becomes_the_owners(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.mona, "manager")
    shared(cast.mona, calendar, cast.bob, "editor")
    event = an_event(cast.bob, calendar_id=calendar["id"])
    reply = cast.mona.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert [each["id"] for each in reply.json["left"]["events"]] == [event["id"]]
    assert cast.alice.get(f"/api/events/{event['id']}").json["owner"]["id"] == cast.alice.id


@pytest.mark.parametrize("names_address", [False, True])
def test_a_manager_can_neither_share_with_the_owner_nor_remove_them(cast: Cast, db: Database, names_address: bool) -> None:
    """By the address, the reply does not tell that it is the owner's."""
    calendar = a_calendar(cast.alice)
    verified(db, cast.alice)
    shared(cast.alice, calendar, cast.mona, "manager")
    name = cast.alice.email_address if names_address else cast.alice.user_name
    reply = cast.mona.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": name, "role": "viewer"})
    assert reply.status == (200 if names_address else 409), reply
    assert cast.mona.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": name}).status == 200
    assert _role(cast.alice, calendar) == "owner"
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM calendar_shares WHERE calendar_id = :id", id=calendar["id"]) == 1
    own = cast.mona.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": cast.mona.user_name, "role": "viewer"})
    assert (own.status, _role(cast.mona, calendar)) == (409, "manager")


@pytest.mark.parametrize(("role", "resets"), [("manager", False), ("editor", False), ("viewer", True)])
def test_a_manager_can_be_given_another_role(cast: Cast, role: str, resets: bool) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    shared(cast.alice, calendar, cast.mona, "manager")
    before = cast.alice.get(path).json["feed_url"]
    shared(cast.alice, calendar, cast.mona, role)
    assert _role(cast.mona, calendar) == role
    assert (cast.alice.get(path).json["feed_url"] != before) == resets
    assert cast.mona.put(path, json={"name": "Blues"}).status == (200 if role == "manager" else 403)


def test_the_strongest_of_several_shares_counts(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice)
    verified(db, cast.mona)
    shared(cast.alice, calendar, cast.mona, "viewer")
    share = f"/api/calendars/{calendar['id']}/share"
    assert cast.alice.put(share, json={"user_name": cast.mona.email_address, "role": "manager"}).status == 200
    assert _role(cast.mona, calendar) == "manager"
    assert cast.alice.put(share, json={"user_name": cast.mona.email_address, "role": "editor"}).status == 200
    assert _role(cast.mona, calendar) == "editor"


def test_a_new_role_is_a_change_of_the_calendar_for_its_bearer(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.mona, "editor")
    follower = Follower(cast.mona)
    shared(cast.alice, calendar, cast.mona, "manager")
    assert [(each["kind"], each["id"]) for each in follower.follow()] == [("calendar", calendar["id"])]


def test_managers_undo_changes_of_the_calendar_and_former_ones_do_not(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/api/calendars/{calendar['id']}"
    shared(cast.alice, calendar, cast.mona, "manager")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    for undoer, status in ((cast.mona, 200), (cast.mona, 404)):
        seq = last_change(cast.mona, event) if status == 200 else last_change(cast.alice, event)
        assert undoer.post(f"/api/changes/{seq}/undo").status == status
        if status == 200:
            assert cast.mona.put(f"{path}/unshare", json={"user_name": cast.mona.user_name}).status == 200


def test_a_calendar_goes_to_the_longest_serving_manager_before_any_editor(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice)
    for person, role in ((cast.bob, "editor"), (cast.mona, "manager"), (cast.dave, "manager")):
        shared(cast.alice, calendar, person, role)
        clock.ahead(1)
    reply = cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD})
    assert [each["user_name"] for each in reply.json["calendars"] if each["calendar_id"] == calendar["id"]] == [cast.mona.user_name]
    assert [_role(each, calendar) for each in (cast.mona, cast.dave, cast.bob)] == ["owner", "manager", "editor"]
