"""A guest who has, or had, an own event with the UID of an invitation."""

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, shared, verified
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import FUTURE, addresses, event_of, invited, names_of
from tests.dav.test_write import RULE, ics, put


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


@pytest.fixture
def bob(cast: Cast, db: Database) -> Person:
    return verified(db, cast.bob)


def inbox(person: Person) -> list[str]:
    return names_of(person, f"/dav/users/{person.id}/inbox/")


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "stranger"])
def test_a_deleted_event_of_the_guest_does_not_keep_the_invitation_off_the_calendar(
    cast: Cast, bob: Person, path: str, more: str, *, is_known: bool
) -> None:
    alice, own = cast.alice, calendar_path(bob)
    if is_known:
        shared(bob, a_calendar(bob), alice, "viewer")
    assert put(bob, f"{own}mine.ics", ics(start=FUTURE, more=more)).status == 201
    assert bob.request("DELETE", f"{own}mine.ics").status == 204
    put(alice, f"{path}a.ics", invited(alice, bob, more=more))
    [message] = inbox(bob)
    if is_known:
        [name] = names_of(bob, own)
    else:
        assert names_of(bob, own) == []
        # Clients accept what is in the inbox under a name of their own.
        accepted = bob.get(f"/dav/users/{bob.id}/inbox/{message}").text.replace("METHOD:REQUEST\r\n", "")
        assert put(bob, f"{own}u1.ics", accepted.replace("NEEDS-ACTION", "ACCEPTED")).status in (201, 204)
        [name] = names_of(bob, own)
    assert "SUMMARY:Dinner" in bob.get(f"{own}{name}").text
    assert "Dinner" in {each["title"] for each in bob.get("/api/events").json["events"]}


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_an_own_event_of_the_guest_stays_as_it_is(cast: Cast, bob: Person, path: str, more: str) -> None:
    alice, own = cast.alice, calendar_path(bob)
    shared(bob, a_calendar(bob), alice, "viewer")
    file = ics(start=FUTURE, title="Mine", more=f"{more}URL:https://example.org/mine\r\n")
    assert put(bob, f"{own}mine.ics", file).status == 201
    for url in ("one", "two"):
        put(alice, f"{path}a.ics", invited(alice, bob, more=f"{more}URL:https://example.org/{url}\r\n"))
    assert addresses(alice, event_of(alice, path)) == {bob.email_address: "queued"}
    assert names_of(bob, own) == ["mine.ics"]
    assert bob.get(f"{own}mine.ics").text == file


def test_two_proposals_of_one_uid_are_one_file(cast: Cast, bob: Person, path: str, db: Database) -> None:
    own = calendar_path(bob)
    other = verified(db, cast.carol)
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob))
    put(other, f"{calendar_path(other)}a.ics", invited(other, bob))
    with db.read() as tx:
        rows = tx.rows("SELECT name FROM dav_resources WHERE calendar_id = :id AND uid = 'u1' AND NOT gone", id=bob.primary_calendar_id)
    assert len(rows) == 1
    assert names_of(bob, own) == []
