"""What people invite a guest to whom the guest does not know is a proposal: in the inbox and in the mail, and not on the calendar."""

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.mail.inbound.handle import handle
from tests.cast import Cast, Person, a_calendar, a_response, an_event, shared, verified
from tests.conftest import Clock
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import addresses, event_of, invited, names_of, replies
from tests.dav.test_write import RULE, put
from tests.inbound import replies as mails
from tests.responses.mail import links_in, mails_about

pytestmark = pytest.mark.usefixtures("inbound")


@pytest.fixture
def inbound(settings: Settings, clock: Clock) -> Settings:
    clock.now = timestamps.now()
    return structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")


@pytest.fixture
def bob(inbound: Settings, cast: Cast, db: Database) -> Person:
    return verified(db, cast.bob)


@pytest.fixture
def path(inbound: Settings, cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


def titles(person: Person) -> set[str]:
    return {each["title"] for each in person.get("/api/events").json["events"]}


def inbox(person: Person) -> list[str]:
    return names_of(person, f"/dav/users/{person.id}/inbox/")


def propose(alice: Person, bob: Person, path: str, more: str = "") -> dict[str, object]:
    assert put(alice, f"{path}a.ics", invited(alice, bob, more=more)).status == 201
    assert (titles(bob), names_of(bob, calendar_path(bob))) == (set(), [])
    return event_of(alice, path)


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_a_stranger_puts_nothing_on_the_calendar(cast: Cast, bob: Person, path: str, more: str) -> None:
    event = propose(cast.alice, bob, path, more)
    assert bob.get(f"/api/events/{event['id']}").status == 404
    assert "Dinner" not in bob.get(f"/api/calendars/{bob.primary_calendar_id}.ics").text
    [message] = inbox(bob)
    assert "SUMMARY:Dinner" in bob.get(f"/dav/users/{bob.id}/inbox/{message}").text
    # Nor by changing it, or by sending it again.
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob, more=more, title="Lunch"))
    assert (titles(bob), addresses(cast.alice, event)) == (set(), {bob.email_address: "queued"})


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
@pytest.mark.parametrize("way", ["link", "mail", "device"])
def test_what_a_guest_accepts_is_on_the_calendar(
    cast: Cast, bob: Person, path: str, db: Database, inbound: Settings, more: str, way: str
) -> None:
    event = propose(cast.alice, bob, path, more)
    [mail] = mails_about(db, inbound, int(str(event["id"])))
    if way == "link":
        link = next(each for each in links_in(mail) if each.startswith("/i/") and "response=YES" in each)
        assert cast.anonymous.request("POST", link.partition("?")[0], data={"response": "YES"}).status == 303
    elif way == "mail":
        to = mail["Reply-To"].addresses[0].addr_spec
        assert handle(db, inbound, mails.gmail(to=to, guest=bob.email_address)) == "responded"
    else:
        file = bob.get(f"/dav/users/{bob.id}/inbox/{inbox(bob)[0]}").text.replace("METHOD:REQUEST\r\n", "")
        assert put(bob, f"{calendar_path(bob)}u1.ics", file.replace("NEEDS-ACTION", "ACCEPTED"), If_None_Match="*").status == 201
    assert titles(bob) == {"Dinner"}
    assert len(bob.get("/api/events").json["events"]) == (4 if more else 1)
    [name] = names_of(bob, calendar_path(bob))
    assert "PARTSTAT=ACCEPTED" in bob.get(f"{calendar_path(bob)}{name}").text.replace("\r\n ", "")
    assert replies(cast.alice, event) == [(bob.email_address, "YES")]
    # The file follows the organiser's changes, and the organiser is known now.
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob, more=more, title="Supper"))
    assert "SUMMARY:Supper" in bob.get(f"{calendar_path(bob)}{name}").text
    put(cast.alice, f"{path}b.ics", invited(cast.alice, bob, uid="u2", title="Party"))
    assert titles(bob) == {"Supper", "Party"}


def test_what_a_guest_declines_stays_off_the_calendar_and_its_organiser_a_stranger(
    cast: Cast, bob: Person, path: str, db: Database, inbound: Settings
) -> None:
    event = propose(cast.alice, bob, path)
    [mail] = mails_about(db, inbound, int(str(event["id"])))
    link = next(each for each in links_in(mail) if each.startswith("/i/"))
    assert cast.anonymous.request("POST", link.partition("?")[0], data={"response": "NO"}).status == 303
    put(cast.alice, f"{path}b.ics", invited(cast.alice, bob, uid="u2", title="Party"))
    assert titles(bob) == set()


@pytest.mark.parametrize("is_invited_again", [False, True])
def test_a_proposal_that_is_withdrawn_cannot_be_taken(cast: Cast, bob: Person, path: str, is_invited_again: bool) -> None:
    event = propose(cast.alice, bob, path)
    file = bob.get(f"/dav/users/{bob.id}/inbox/{inbox(bob)[0]}").text.replace("METHOD:REQUEST\r\n", "").replace("NEEDS-ACTION", "ACCEPTED")
    put(cast.alice, f"{path}a.ics", invited(cast.alice, "other@example.org"))
    if is_invited_again:
        put(cast.alice, f"{path}a.ics", invited(cast.alice, bob))
    assert titles(bob) == set()
    assert put(bob, f"{calendar_path(bob)}u1.ics", file).status == 201
    assert (bob.get(f"/api/events/{event['id']}").status == 200) == is_invited_again
    assert replies(cast.alice, event) == ([(bob.email_address, "YES")] if is_invited_again else [])


@pytest.mark.parametrize("known", ["shares", "is shared with", "responded"])
def test_people_whom_the_guest_knows_put_it_on_the_calendar(cast: Cast, bob: Person, path: str, known: str) -> None:
    alice = cast.alice
    if known == "shares":
        shared(bob, a_calendar(bob), alice, "viewer")
    elif known == "is shared with":
        shared(alice, a_calendar(alice), bob, "viewer")
    else:
        a_response(bob, an_event(alice, public=True, start_time="2035-01-01T10:00"), response="MAYBE")
    put(alice, f"{path}a.ics", invited(alice, bob))
    assert "Dinner" in titles(bob)


def test_nobody_becomes_known_by_writing_a_response_for_the_guest(cast: Cast, bob: Person, path: str) -> None:
    event = an_event(cast.alice, public=True, start_time="2035-01-01T10:00")
    for client in (cast.alice, cast.anonymous):
        client.post("/api/responses", json={"event_id": event["id"], "email_address": bob.email_address, "response": "YES"})
    put(cast.alice, f"{path}a.ics", invited(cast.alice, bob))
    assert "Dinner" not in titles(bob)
