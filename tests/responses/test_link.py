"""The personal link of a response: its page, and what a guest does there without an account."""

import re
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, a_response, an_event
from tests.conftest import Clock
from tests.responses.mail import links_in, mails_about, text_of, token_of
from tests.stored_data import values

pytestmark = pytest.mark.on_one_database

DAY = 86_400
FORM = {"response": "MAYBE", "number": "2", "plus_n": "1", "name": "Gus", "comment": "Late"}


def _responses(cast: Cast, event: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return listed


def _link(cast: Cast, db: Database, settings: Settings, start_time: str = "2027-06-01T20:00", **fields: Any) -> tuple[dict[str, Any], str]:
    """A public event with the response of a guest, and the guest's link."""
    event = an_event(cast.alice, public=True, title="Jam session", start_time=start_time)
    a_response(cast.anonymous, event, **{"email_address": "gus@example.org", "name": "Gus", "comment": "Hello"} | fields)
    (stored,) = _responses(cast, event)
    return event, f"/r/{token_of(db, settings, stored['id'])}"


def test_the_link_is_a_page_that_is_kept_from_others(cast: Cast, db: Database, settings: Settings) -> None:
    _, link = _link(cast, db, settings)
    page = cast.anonymous.get(link)
    assert page.status == 200
    assert [page.headers[name] for name in ("Cache-Control", "Referrer-Policy", "X-Robots-Tag")] == ["no-store", "no-referrer", "noindex"]
    assert "Jam session" in page.text
    assert "g•••@example.org" in page.text
    assert "gus@example.org" not in page.text


def test_a_guest_changes_the_response_and_proves_it(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    # A page without a referrer sends `Origin: null`; the URL itself is the permission.
    reply = cast.anonymous.post(link, data=FORM, headers={"Origin": "null"})
    assert (reply.status, reply.headers["Location"]) == (303, link)
    (stored,) = _responses(cast, event)
    assert [stored[name] for name in ("response", "number", "plus_n", "comment")] == ["MAYBE", 2, 1, "Late"]
    a_response(cast.anonymous, event, email_address="GUS@example.org", response="NO", comment="Not me")
    assert _responses(cast, event) == [stored]


def test_no_link_in_any_mail_changes_anything_by_being_followed(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    # The worker has its own clock, and does not send what has expired.
    clock.now = timestamps.now()
    event, link = _link(cast, db, settings)
    cast.anonymous.post(link, data=FORM)
    a_response(cast.anonymous, event, email_address="gus@example.org", response="NO")
    cast.alice.put(f"/api/calendars/{cast.alice.primary_calendar_id}", json={"confirm_responses": "always"})
    a_response(cast.anonymous, event, email_address="ida@example.org", opt_in=True)
    messages = mails_about(db, settings, event["id"])
    assert sorted(message["Subject"].partition(":")[0] for message in messages) == ["Confirm your RSVP"] * 2 + ["Maybe"]
    links = {path for message in messages for path in links_in(message) if path.startswith("/r/")}
    # The personal link, and the two choices that are not the response; two proposals.
    assert len(links) == 5
    before = values(db)
    for path in links:
        for method in ("GET", "HEAD"):
            assert cast.anonymous.request(method, path).status == 200, path
    assert values(db) == before


def test_the_link_of_a_choice_opens_the_page_with_it_chosen(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    page = cast.anonymous.get(f"{link}?response=NO").text
    assert re.search(r'<button class="full tall huge" name="response" value="NO">No, I can’t</button>', page)
    assert "Now: Going, 1 person." in page
    assert _responses(cast, event)[0]["response"] == "YES"


def test_the_link_works_after_a_withdrawal(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    assert cast.anonymous.post(f"{link}/withdraw").status == 303
    assert _responses(cast, event)[0]["response"] == "NO"
    assert "You can’t go" in cast.anonymous.get(link).text
    assert cast.anonymous.post(link, data=FORM | {"response": "YES"}).status == 303
    assert _responses(cast, event)[0]["response"] == "YES"


def test_a_wrong_or_foreign_link_is_not_found(cast: Cast, db: Database, settings: Settings) -> None:
    _, link = _link(cast, db, settings)
    _, other = _link(cast, db, settings)
    number, _, mac = link.removeprefix("/r/").partition("-")
    foreign = other.removeprefix("/r/").partition("-")[0]
    for path in (f"/r/{number}-", f"/r/{number}", f"/r/{number}-{mac[:-1]}", f"/r/{foreign}-{mac}", "/r/x-y"):
        for reply in (cast.anonymous.get(path), cast.anonymous.post(path, data=FORM)):
            assert (reply.status, reply.headers["Referrer-Policy"], reply.headers["Cache-Control"]) == (404, "no-referrer", "no-store")


def test_the_link_ends_30_days_after_the_event(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-01T20:00", end_time="2026-06-01T22:00", time_zone="UTC")
    a_response(cast.anonymous, event, email_address="gus@example.org")
    link = f"/r/{token_of(db, settings, _responses(cast, event)[0]['id'])}"
    end = 1_780_351_200
    clock.now = end + 30 * DAY - 1
    page = cast.anonymous.get(link)
    assert (page.status, "This event is over" in page.text) == (200, True)
    clock.now = end + 30 * DAY
    assert cast.anonymous.get(link).status == 404


def test_guests_and_organisers_replace_the_link(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    response_id = _responses(cast, event)[0]["id"]
    mails_about(db, settings, event["id"])
    page = cast.anonymous.post(f"{link}/reset")
    second = f"/r/{token_of(db, settings, response_id)}"
    assert second != link
    # The page does not show the link, and the browser does not keep it: it is mailed.
    assert (page.status, second in page.text) == (200, False)
    assert second not in str(page.headers)
    (message,) = mails_about(db, settings, event["id"])
    assert second in text_of(message)
    assert (cast.anonymous.get(link).status, cast.anonymous.get(second).status) == (404, 200)
    assert cast.alice.post(f"/responses/{response_id}/reset_link").status == 303
    assert cast.anonymous.get(second).status == 404
    (message,) = mails_about(db, settings, event["id"])
    assert f"/r/{token_of(db, settings, response_id)}" in text_of(message)


def test_the_event_page_sends_the_link_again(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    mails_about(db, settings, event["id"])
    page = f"/events/{event['id']}"
    assert "Email me my link" in cast.anonymous.get(page).text
    replies = [cast.anonymous.post(f"{page}/link", data={"email_address": f"{name}@example.org"}) for name in ("gus", "nobody")]
    assert [reply.redirect for reply in replies] == [(page, "guest-link-sent")] * 2
    [message] = mails_about(db, settings, event["id"])
    assert (message["To"], link in text_of(message)) == ("gus@example.org", True)
    assert cast.anonymous.post(f"{page}/link", data={"email_address": "gus"}).status == 422


def test_forgetting_erases_the_person_and_keeps_the_number(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings, email_address="forgetme@example.org", name="Forgetme", comment="Forgetme, too", number=3)
    cast.anonymous.post(link, data=FORM | {"name": "Forgetme Again"})
    a_response(cast.anonymous, event, email_address="forgetme@example.org", response="NO", name="Forgetme")
    page = cast.anonymous.post(f"{link}/forget")
    assert (page.status, page.headers["Referrer-Policy"]) == (200, "no-referrer")
    assert "forgetme" not in str(values(db)).lower()
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"] == {"yes": 0, "maybe": 0, "no": 1, "people": 0}
    assert cast.anonymous.get(link).status == 404
    assert "details erased at their request" in cast.alice.get(f"/events/{event['id']}/responses").text
    # They may respond again, as someone new.
    a_response(cast.anonymous, event, email_address="forgetme@example.org")
    assert len(_responses(cast, event)) == 2


@pytest.mark.parametrize("closed", [{"responses_open": False}, {"status": "cancelled"}])
def test_forgetting_frees_the_place_where_responses_are_closed(
    cast: Cast, db: Database, settings: Settings, clock: Clock, closed: dict[str, Any]
) -> None:
    event, link = _link(cast, db, settings, "2026-06-01T20:00", number=3)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": 3, "waiting_list": "auto"}).status == 200
    waiting = a_response(cast.carol, event)["id"]
    assert cast.alice.put(f"/api/events/{event['id']}", json=closed).status == 200
    assert cast.anonymous.post(f"{link}/forget").status == 200
    assert _responses(cast, event)[0]["response"] == "NO"
    place = cast.alice.get(f"/api/responses/{waiting}").json["place"]["place"]
    assert place == ("waiting" if "status" in closed else "held")


def test_after_the_event_the_number_stays_what_it_was(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event, link = _link(cast, db, settings, "2026-06-01T20:00", number=3)
    clock.now += 20 * DAY
    assert cast.anonymous.post(f"{link}/forget").status == 200
    assert cast.anonymous.get(f"/api/events/{event['id']}").json["responses"] == {"yes": 1, "maybe": 0, "no": 0, "people": 3}


def test_a_hidden_event_is_not_shown_and_can_be_left(cast: Cast, db: Database, settings: Settings) -> None:
    event, link = _link(cast, db, settings)
    cast.alice.put(f"/api/events/{event['id']}", json={"public": False})
    page = cast.anonymous.get(link)
    assert (page.status, "Jam session" in page.text) == (200, False)
    assert cast.anonymous.post(link, data=FORM).status == 404
    assert cast.anonymous.post(f"{link}/withdraw").status == 303
    assert _responses(cast, event)[0]["response"] == "NO"


@pytest.mark.parametrize("number", ["0", "many"])
def test_an_invalid_form_is_shown_again(cast: Cast, db: Database, settings: Settings, number: str) -> None:
    _, link = _link(cast, db, settings)
    page = cast.anonymous.post(link, data=FORM | {"number": number})
    assert (page.status, "Check these and try again" in page.text, page.headers["Cache-Control"]) == (422, True, "no-store")
