"""Editors add, correct and remove guests: it is recorded as the owner's doing, and the guest is notified unless that is switched off."""

import re
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_response, an_event, shared, verified
from tests.responses.mail import links_in, mails_about, text_of, token_of

GUEST = {"email_address": "dana@example.org", "name": "Dana", "response": "YES", "number": "1", "plus_n": "1", "notify": "true"}


def ways(cast: Cast, event: dict[str, Any]) -> list[tuple[str, str]]:
    """How the responses to the event were changed, newest first."""
    changes = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"]
    return [(change["op"], change["via"]) for change in changes if change["kind"] == "response"]


def test_an_editor_adds_a_guest_who_is_notified(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, title="Gig", calendar_id=calendar["id"], public=True)
    path = f"/events/{event['id']}/responses"
    assert cast.bob.post(f"{path}/new", data=GUEST).redirect == (path, "guest-added")
    [guest] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert (guest["email_address"], guest["name"], guest["response"], guest["plus_n"]) == ("dana@example.org", "Dana", "YES", 1)
    assert ways(cast, event) == [("create", "owner")]
    [mail] = mails_about(db, settings, event["id"])
    assert mail["Subject"] == "Your RSVP was changed: Gig"
    assert "The organiser has put you down as “Going” for this event, for 2 people." in text_of(mail)
    assert any(link.startswith("/r/") for link in links_in(mail))


SECRET = {"description": "Bring the secret plan", "tags": "secret", "status": "cancelled", "status_note": "The hall is flooded"}


def test_a_guest_of_a_private_event_learns_its_essentials_alone(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, title="Gig", location="Cellar", start_time="2027-06-01T20:00")
    response_id = a_response(cast.alice, event, email_address="dana@example.org")["id"]
    link = f"/r/{token_of(db, settings, response_id)}"
    sent = cast.anonymous.post(link, data={"response": "YES", "number": "2", "plus_n": "0", "name": "Dana"})
    assert (sent.status, cast.alice.get(f"/api/responses/{response_id}").json["number"]) == (303, 2)
    assert cast.alice.put(f"/api/events/{event['id']}", json=SECRET).status == 200
    mail, cancellation = mails_about(db, settings, event["id"])
    [file] = [part.get_content() for part in mail.iter_attachments()]
    page, feed = cast.anonymous.get(link), cast.anonymous.get(f"{link}.ics")
    for text in (page.text, feed.text, file, text_of(mail), text_of(cancellation)):
        assert ("Gig" in text, "Cellar" in text, "secret" in text.lower()) == (True, True, False), text
    assert (f'/events/{event["id"]}"' in page.text, cast.anonymous.get(f"/events/{event['id']}").status) == (False, 404)


def test_a_guest_without_an_address_is_not_added(cast: Cast) -> None:
    event = an_event(cast.alice)
    reply = cast.alice.post(f"/events/{event['id']}/responses/new", data=GUEST | {"email_address": " "})
    assert reply.status == 422
    assert 'href="#email_address"' in reply.text
    assert 'value="Dana"' in reply.text
    assert cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"] == []


def test_corrections_and_removals_notify_the_guest(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, title="Gig", public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org")
    mails_about(db, settings, event["id"])
    [guest] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    path = f"/responses/{guest['id']}"
    cast.alice.post(f"{path}/edit", data={"response": "MAYBE", "number": "1", "plus_n": "0", "notify": "true"})
    [corrected] = mails_about(db, settings, event["id"])
    assert "The organiser has put you down as “Maybe” for this event." in text_of(corrected)
    assert cast.alice.post(f"{path}/delete", data={"notify": "true"}).status == 303
    [removed] = mails_about(db, settings, event["id"])
    assert (removed["Subject"], removed["To"]) == ("Your RSVP was removed: Gig", "dana@example.org")
    assert "The organiser has removed your RSVP to this event." in text_of(removed)
    assert ways(cast, event) == [("delete", "owner"), ("update", "owner"), ("create", "api")]


@pytest.mark.parametrize("off", ["in the form", "for the calendar"])
def test_the_mail_can_be_switched_off(cast: Cast, db: Database, settings: Settings, off: str) -> None:
    calendar = a_calendar(cast.alice, confirmations="off" if off == "for the calendar" else "on")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    notify = "true" if off == "for the calendar" else "false"
    cast.alice.post(f"/events/{event['id']}/responses/new", data=GUEST | {"notify": notify})
    [guest] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    changes = {"response": "NO", "notify": notify}
    assert cast.alice.put(f"/api/responses/{guest['id']}", json=changes).json["response"] == "NO"
    assert cast.alice.delete(f"/api/responses/{guest['id']}?notify={notify}").status == 200
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM deliveries WHERE event_id = :id", id=event["id"]) == 0


def test_a_guest_cannot_switch_the_mail_off(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org", notify=False)
    [mail] = mails_about(db, settings, event["id"])
    assert "Your RSVP: Going" in text_of(mail)


def tabs(cast: Cast, event: dict[str, Any]) -> dict[str, tuple[int, list[str]]]:
    """The number on each tab of the page, and the guests that it lists, by the names in their addresses."""
    path = f"/events/{event['id']}/responses"
    counts = re.findall(rf'href="{path}\?tab=(\w+)"[^>]*>[\w’ ]+ <small>(\d+)</small>', cast.alice.get(path).text)
    return {tab: (int(number), re.findall(r"<small>(\w+)@", cast.alice.get(f"{path}?tab={tab}").text)) for tab, number in counts}


def test_tabs_tell_who_waits_and_who_is_to_be_accepted_apart_from_who_comes(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-01T20:00", capacity=4, waiting_list="auto", waiting_order="strict")
    for name, number in (("ann", 3), ("ben", 3), ("cleo", 1)):
        a_response(cast.anonymous, event, email_address=f"{name}@example.org", number=number)
    assert tabs(cast, event) == {
        "all": (3, ["cleo", "ben", "ann"]),
        "going": (1, ["ann"]),
        "maybe": (0, []),
        "invited": (0, []),
        "waiting": (2, ["ben", "cleo"]),
        "no": (0, []),
    }
    page = cast.alice.get(f"/events/{event['id']}/responses?tab=waiting&limit=1").text
    assert "<br><small>first in line</small>" in page
    more = re.search(r'href="([^"]+)" rel="next"', page)
    assert more
    assert re.findall(r"<small>(\w+)@", cast.alice.get(more[1].replace("&amp;", "&")).text) == ["cleo"]
    ben = next(each for each in cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"] if each["number"] == 3)["id"] + 1
    assert f'action="/responses/{ben}/accept"' in page
    assert cast.alice.post(f"/responses/{ben}/accept", data={"force": "true"}).status == 303
    assert tabs(cast, event)["going"] == (2, ["ben", "ann"])
    assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": None, "approval": True}).status == 200
    a_response(cast.anonymous, event, email_address="dan@example.org")
    now = tabs(cast, event)
    assert (now["pending"], "dan" in now["going"][1], "waiting" in now) == ((1, ["dan"]), False, False)


def test_those_with_an_offer_are_on_the_tab_of_the_waiting_list(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-05T20:00", capacity=2, waiting_list="offer")
    for name in ("ann", "ben", "cleo"):
        a_response(cast.alice, event, email_address=f"{name}@example.org", number=2)
    ann = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]
    assert cast.alice.put(f"/api/responses/{ann['id']}", json={"response": "NO"}).status == 200
    now = tabs(cast, event)
    assert (now["going"], now["waiting"], now["no"]) == ((0, []), (2, ["ben", "cleo"]), (1, ["ann"]))
    assert "Offered a spot" in cast.alice.get(f"/events/{event['id']}/responses?tab=waiting").text


def test_a_place_that_must_be_confirmed_is_not_shown_as_going(cast: Cast, db: Database) -> None:
    event = an_event(verified(db, cast.alice), public=True, start_time="2026-06-05T20:00", capacity=5)
    a_response(cast.anonymous, event, email_address="gus@example.org", name="Gus")
    for path in (f"/events/{event['id']}", f"/events/{event['id']}/responses"):
        assert '<span class="tag maybe">Going, not confirmed yet</span>' in cast.alice.get(path).text
    assert "Not confirmed" in cast.alice.get("/notifications").text
    a_response(cast.alice, event, email_address="fay@example.org")
    assert '<span class="tag yes">Going</span>' in cast.alice.get(f"/events/{event['id']}/responses").text


def test_unconfirmed_responses_are_on_a_tab_of_their_own(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, confirm_responses="always")
    event = an_event(cast.alice, public=True, calendar_id=calendar["id"])
    assert "unconfirmed" not in tabs(cast, event)
    a_response(cast.anonymous, event, email_address="dana@example.org", name="Dana", plus_n=2)
    assert tabs(cast, event)["unconfirmed"] == (1, ["dana"])
    assert tabs(cast, event)["all"] == (0, [])
    page = cast.alice.get(f"/events/{event['id']}/responses?tab=unconfirmed").text
    assert "Dana" in page
    assert "1 + 2" in page
