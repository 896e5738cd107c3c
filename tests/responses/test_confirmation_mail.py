"""Mail to the person whose response was created or changed, with the event and the personal link."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import links_in, mails_about, text_of, token_of

pytestmark = pytest.mark.on_one_database

GUS = "gus@example.org"


def _an_event(cast: Cast, **fields: Any) -> dict[str, Any]:
    return an_event(cast.alice, public=True, title="Jam", start_time="2027-06-01T20:00", **fields)


def _id(cast: Cast, event: dict[str, Any]) -> int:
    return int(cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["id"])


def test_several_changes_before_it_is_sent_are_one_mail(cast: Cast, db: Database, settings: Settings) -> None:
    event = _an_event(cast)
    for number in range(1, 11):
        a_response(cast.anonymous, event, email_address=GUS, number=number)
    (message,) = mails_about(db, settings, event["id"])
    link = f"/r/{token_of(db, settings, _id(cast, event))}"
    assert (message["Subject"], message["To"]) == ("You’re going: Jam", GUS)
    assert "Your RSVP: Going, 10 people." in text_of(message)
    assert "Not you? Change the RSVP." in text_of(message)
    assert set(links_in(message)) == {link, *(f"{link}?response={choice}" for choice in ("MAYBE", "NO")), f"/events/{event['id']}"}
    (file,) = [part for part in message.walk() if part.get_content_type() == "text/calendar"]
    assert "SUMMARY:Jam" in file.get_content()


def test_with_proof_the_mail_does_not_ask_whether_it_was_you(cast: Cast, db: Database, settings: Settings) -> None:
    event = _an_event(cast)
    a_response(verified(db, cast.carol), event, response="MAYBE")
    (message,) = mails_about(db, settings, event["id"])
    assert (message["Subject"], "Not you?" in text_of(message)) == ("Maybe: Jam", False)
    assert cast.anonymous.get(links_in(message)[0]).status == 200


def test_the_mail_says_whether_there_are_places(cast: Cast, db: Database, settings: Settings) -> None:
    event = _an_event(cast, capacity=4, waiting_list="auto")
    a_response(cast.alice, event, email_address=GUS, number=1)
    a_response(cast.alice, event, email_address="fay@example.org", number=4)
    held, waiting = mails_about(db, settings, event["id"])
    assert "as “Going” for this event, for 1 person. You have 1 spot." in text_of(held)
    assert "as “Going” for this event, for 4 people. You’re on the waiting list" in text_of(waiting)


def test_the_mail_about_a_response_that_waits_does_not_say_that_the_guest_goes(cast: Cast, db: Database, settings: Settings) -> None:
    full, asks = _an_event(cast, capacity=1, waiting_list="auto"), _an_event(cast, approval=True)
    a_response(cast.alice, full, email_address="fay@example.org")
    mails_about(db, settings, full["id"])
    for event, subject in ((full, "Waiting list: Jam"), (asks, "Awaiting approval: Jam")):
        a_response(verified(db, cast.carol), event)
        (message,) = mails_about(db, settings, event["id"])
        assert message["Subject"] == subject


def test_a_calendar_without_confirmations_sends_none(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True, confirmations="off")
    event = _an_event(cast, calendar_id=calendar["id"])
    a_response(cast.anonymous, event, email_address=GUS)
    a_response(cast.alice, event, email_address=GUS)
    a_response(cast.anonymous, event, email_address=GUS, response="NO")
    assert mails_about(db, settings, event["id"]) == []


@pytest.mark.usefixtures("limited")
def test_a_response_counts_also_when_no_more_mail_may_be_sent(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    client = Client(application(db, structs.replace(settings, rate_limits="on", guest_sends_per_hour=2), clock))
    event = _an_event(cast)
    for number in range(4):
        a_response(client, event, email_address=f"gus{number}-{event['id']}@example.org")
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 4
    assert len(cast.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]) == 2
    assert client.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus9@example.org"}).status == 429


def test_one_address_gets_ten_mails_an_hour(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    client = Client(application(db, structs.replace(settings, rate_limits="on"), clock))
    address = f"gus-{cast.alice.id}@example.org"
    for _ in range(12):
        a_response(client, _an_event(cast), email_address=address)
    sent = [each for each in cast.alice.get("/api/deliveries?limit=50").json["deliveries"] if each["address"] == address]
    assert len(sent) == 10


def test_the_link_is_mailed_on_request_to_those_who_responded(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    client = Client(application(db, structs.replace(settings, rate_limits="on"), clock))
    event = _an_event(cast)
    known, unknown = f"gus-{event['id']}@example.org", f"ida-{event['id']}@example.org"
    a_response(cast.anonymous, event, email_address=known)
    mails_about(db, settings, event["id"])
    for address in (known, unknown):
        for _ in range(4):
            reply = client.post("/api/responses/link", json={"event_id": event["id"], "email_address": address.capitalize()})
            assert (reply.status, reply.json) == (202, {"email_address": address.capitalize()})
    with db.read() as tx:
        rows = tx.rows("SELECT address_key, count(*) FROM deliveries WHERE event_id = :id AND kind = 'link' GROUP BY 1", id=event["id"])
    assert sorted(rows) == [(known, 3), (unknown, 3)]
    messages = mails_about(db, settings, event["id"])
    assert [message["To"] for message in messages] == [known.capitalize()] * 3
    assert cast.anonymous.get(links_in(messages[0])[0]).status == 200


def test_a_token_is_proof_in_the_api(cast: Cast, db: Database, settings: Settings) -> None:
    event = _an_event(cast)
    a_response(cast.anonymous, event, email_address=GUS, comment="Mine")
    path = f"/api/responses/{_id(cast, event)}"
    proof = {"token": token_of(db, settings, _id(cast, event))}
    assert cast.anonymous.get(path).status == 401
    assert cast.anonymous.get(f"{path}?token=1-x").status == 404
    assert cast.carol.get(f"{path}?token={proof['token']}").json["comment"] == "Mine"
    changed = cast.anonymous.put(path, json=proof | {"response": "NO"})
    assert (changed.status, changed.json["response"], "token" in changed.json) == (200, "NO", False)
    a_response(cast.anonymous, event, email_address=GUS)
    assert cast.anonymous.get(f"{path}?token={proof['token']}").json["response"] == "NO"
    assert cast.anonymous.put(f"{path}/reset_link", json=proof).status == 200
    assert cast.anonymous.delete(path, json=proof).status == 404
    again = {"token": token_of(db, settings, _id(cast, event))}
    assert cast.anonymous.delete(path, json=again).json == {"deleted": [int(path.rsplit("/", 1)[1])]}


def test_the_event_page_remembers_what_a_guest_responded(cast: Cast, db: Database, settings: Settings) -> None:
    event = _an_event(cast)
    path = f"/events/{event['id']}"
    gus = GuestBrowser(cast.anonymous)
    gus.post(f"{path}/respond", response="YES", email_address=GUS)
    page = gus.get(path)
    assert ("You’re going" in page.text, "/r/" in page.text, page.headers["Cache-Control"]) == (True, False, "no-store")
    # With proof, the browser remembers the link.
    link = f"/r/{token_of(db, settings, _id(cast, event))}"
    gus.post(f"{link}/withdraw")
    page = gus.get(path)
    assert ("You can’t go" in page.text, f'href="{link}"' in page.text) == (True, True)
    gus.cookie = gus.cookie[:-2] + ("yy" if gus.cookie.endswith("xx") else "xx")
    assert "You can’t go" not in gus.get(path).text
