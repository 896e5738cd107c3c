"""A withdrawn invitation takes the event off the calendar of a guest who has an account, wherever it is withdrawn."""

from collections.abc import Callable
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, an_event, shared, verified
from tests.changes.follower import Follower
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import FUTURE, event_of, invited, names_of
from tests.dav.test_write import RULE, ics, put
from tests.responses.mail import an_invitation_token


@pytest.fixture
def bob(cast: Cast, db: Database) -> Person:
    """Bob shares a calendar with Alice, so that her invitations are on his at once."""
    shared(cast.bob, a_calendar(cast.bob), cast.alice, "viewer")
    return verified(db, cast.bob)


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


def by_api(alice: Person, path: str, event_id: object, invitation_id: int) -> None:
    assert alice.delete(f"/api/events/{event_id}/invitations/{invitation_id}").status == 200


def by_page(alice: Person, path: str, event_id: object, invitation_id: int) -> None:
    assert alice.request("POST", f"/events/{event_id}/invitations/{invitation_id}/withdraw", data={}).status == 303


def by_caldav(alice: Person, path: str, event_id: object, invitation_id: int) -> None:
    more = RULE if len(alice.get("/api/events", query={"calendar_id": path.split("/")[-2]}).json["events"]) > 1 else ""
    assert put(alice, f"{path}a.ics", ics(start=FUTURE, title="Dinner", more=more)).status == 204


def invitation_ids(owner: Person, event_id: object) -> list[int]:
    return [each["id"] for each in owner.get(f"/api/events/{event_id}/invitations").json["invitations"]]


def ids_seen(person: Person) -> list[int]:
    return [each["id"] for each in person.get("/api/events", query={"past": "yes"}).json["events"]]


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
@pytest.mark.parametrize("withdraw", [by_api, by_page, by_caldav])
def test_a_guest_whose_invitation_was_withdrawn_sees_nothing_of_the_event(
    cast: Cast, path: str, bob: Person, more: str, withdraw: Callable[..., None]
) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, bob, more=more))
    event = event_of(alice, path)
    assert event["id"] in ids_seen(bob)
    assert len(names_of(bob, calendar_path(bob))) == 1
    follower = Follower(bob)
    follower.follow()
    withdraw(alice, path, event["id"], invitation_ids(alice, event["id"])[0])
    later = {"title": "a secret", "description": "secret", "location": "secret"}
    assert alice.put(f"/api/events/{event['id']}", json=later).status == 200
    assert bob.get(f"/api/events/{event['id']}").status == 404
    [message] = names_of(bob, f"/dav/users/{bob.id}/inbox/")
    cancellation = bob.get(f"/dav/users/{bob.id}/inbox/{message}").text
    assert "METHOD:CANCEL" in cancellation
    assert cancellation.count("BEGIN:VEVENT") == cancellation.count("\nUID:") == cancellation.count("STATUS:CANCELLED") == 1
    assert ("secret" in cancellation, "DTSTART" in cancellation) == (False, False)
    assert bob.get(f"/events/{event['id']}").status == 404
    assert ids_seen(bob) == []
    assert names_of(bob, calendar_path(bob)) == []
    entries = follower.follow()
    record = ("series", event["series_id"]) if more else ("event", event["id"])
    assert {each["op"] for each in entries if (each["kind"], each["id"]) == record} == {"gone"}
    assert "secret" not in str(entries)


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_a_guest_who_is_invited_again_has_the_event_again(cast: Cast, path: str, bob: Person, more: str) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, bob, more=more))
    event = event_of(alice, path)
    put(alice, f"{path}a.ics", ics(start=FUTURE, title="Dinner", more=more))
    assert ids_seen(bob) == []
    put(alice, f"{path}a.ics", invited(alice, bob, more=more))
    assert event["id"] in ids_seen(bob)
    assert len(names_of(bob, calendar_path(bob))) == 1


def test_what_a_guest_moved_to_another_calendar_goes_too(cast: Cast, path: str, bob: Person) -> None:
    alice, other = cast.alice, calendar_path(bob, a_calendar(bob)["id"])
    put(alice, f"{path}a.ics", invited(alice, bob))
    event = event_of(alice, path)
    [name] = names_of(bob, calendar_path(bob))
    moved = bob.request("MOVE", f"{calendar_path(bob)}{name}", headers={"Destination": f"{other}mine.ics"})
    assert moved.status == 201
    assert event["id"] in ids_seen(bob)
    by_api(alice, path, event["id"], invitation_ids(alice, event["id"])[0])
    assert (ids_seen(bob), names_of(bob, other)) == ([], [])


def test_who_is_still_invited_to_the_series_keeps_the_date_of_a_withdrawn_invitation(
    cast: Cast, path: str, bob: Person, db: Database
) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", ics(start=FUTURE, title="Dinner", more=RULE))
    event = event_of(alice, path)
    alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [bob.email_address]})
    [alone] = invitation_ids(alice, event["id"])
    put(alice, f"{path}a.ics", invited(alice, bob, more=RULE))
    assert len(ids_seen(bob)) == 4
    by_api(alice, path, event["id"], alone)
    assert len(ids_seen(bob)) == 4


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_an_event_is_seen_by_invitation_while_there_is_one(cast: Cast, path: str, bob: Person, db: Database, more: str) -> None:
    """Also if the placement were left behind."""
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, bob, more=more))
    event = event_of(alice, path)
    feed = bob.get(f"/api/calendars/{calendar_path(bob).split('/')[-2]}").json["feed_url"]
    assert b"Dinner" in cast.anonymous.get(feed[feed.index("/api") :]).content
    with db.write() as tx:
        tx.run("UPDATE invitations SET state = 'withdrawn' WHERE email_key = :key", key=bob.email_address)
    assert bob.get(f"/api/events/{event['id']}").status == 404
    assert ids_seen(bob) == []
    assert names_of(bob, calendar_path(bob)) == []
    assert b"Dinner" not in bob.get(f"/calendars/{calendar_path(bob).split('/')[-2]}", query={"month": "2035-06"}).content


def test_a_second_account_of_an_ex_editor_sees_nothing_of_the_event(cast: Cast, bob: Person, db: Database) -> None:
    """mallory, an editor, invites her second account to alice's private event."""
    alice, mallory, calendar = cast.alice, verified(db, cast.carol), a_calendar(cast.alice)
    shared(alice, calendar, mallory, "editor")
    event = an_event(alice, calendar_id=calendar["id"], title="Dinner", start_time="2035-06-01T18:00:00Z")
    theirs = calendar_path(mallory, calendar["id"])
    reply = put(mallory, f"{theirs}event-{event['id']}.ics", invited(mallory, bob, uid=event["uid"]))
    assert reply.status in (201, 204)
    assert bob.get(f"/api/events/{event['id']}").status == 200
    alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": mallory.user_name})
    assert [bob.get(f"/api/events/{event['id']}").status, ids_seen(bob), names_of(bob, calendar_path(bob))] == [404, [], []]


def granters(db: Database, event: dict[str, Any]) -> list[Any]:
    with db.read() as tx:
        return tx.rows("SELECT granted_by FROM placements WHERE event_id = :id AND by_invitation", id=event["id"])


def test_the_actor_who_invites_grants_the_placement(cast: Cast, bob: Person, db: Database) -> None:
    alice, carol, calendar = cast.alice, verified(db, cast.carol), a_calendar(cast.alice)
    shared(alice, calendar, carol, "editor")
    event = an_event(alice, calendar_id=calendar["id"], title="Dinner", start_time="2035-06-01T18:00:00Z")
    put(carol, f"{calendar_path(carol, calendar['id'])}event-{event['id']}.ics", invited(carol, bob, uid=event["uid"]))
    assert granters(db, event) == [(carol.id,)]


def test_what_an_ex_editor_proposed_gives_no_access_when_it_is_accepted(cast: Cast, db: Database, settings: Settings) -> None:
    alice, mallory, second, calendar = cast.alice, verified(db, cast.carol), verified(db, cast.dave), a_calendar(cast.alice)
    shared(alice, calendar, mallory, "editor")
    event = an_event(alice, calendar_id=calendar["id"], title="Dinner", start_time="2035-06-01T18:00:00Z")
    put(mallory, f"{calendar_path(mallory, calendar['id'])}event-{event['id']}.ics", invited(mallory, second, uid=event["uid"]))
    alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": mallory.user_name})
    token = an_invitation_token(settings, invitation_ids(alice, event["id"])[0])
    assert second.post(f"/i/{token}", data={"response": "YES", "number": "1", "plus_n": "0"}).status == 303
    assert (second.get(f"/api/events/{event['id']}").status, ids_seen(second)) == (404, [])
