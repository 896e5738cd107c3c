"""Responding on the page of an event: the ticket says what a newcomer gets, and the browser of the first response alone changes it."""

import json
import re
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, a_response, an_event, verified
from tests.conftest import Clock
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import links_in, mails_about, token_of

GUS = "gus@example.org"
MADE = ("guest on the page", "guest by the API", "verified account", "unverified account", "editor")


def _event(cast: Cast, **fields: Any) -> dict[str, Any]:
    return an_event(cast.alice, public=True, title="Board games", start_time="2027-06-01T20:00", **fields)


def _stored(cast: Cast, event: dict[str, Any]) -> dict[str, list[Any]]:
    listed = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return {each["email_address"]: [each["response"], each["number"]] for each in listed}


def _respond(cast: Cast, event: dict[str, Any], address: str, browser: GuestBrowser | None = None, **fields: Any) -> GuestBrowser:
    browser = browser or GuestBrowser(cast.anonymous)
    reply = browser.post(f"/events/{event['id']}/respond", **{"response": "YES", "name": "Gus", "email_address": address} | fields)
    assert reply.status == 303, reply
    return browser


def _ticket(browser: GuestBrowser, event: dict[str, Any]) -> str:
    page = browser.get(f"/events/{event['id']}").text
    ticket = re.search(r'<section class="ticket.*?</section>\s*<p class="hint">.*?</p>', page, re.DOTALL)
    assert ticket, page
    return ticket[0]


def _of_cookie(cookie: str) -> str:
    """What the cookie says of the guest, without the key of the browser."""
    text = cookie.partition(".")[2]
    return str(json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))[1:])


def _without_what_varies(text: str, event: dict[str, Any], address: str) -> str:
    text = re.sub(r"kalends_responses=[^;]*|'x-request-id': '\w+'|name=\"form_time\" value=\"[^\"]*\"", "", text)
    return re.sub(rf"events(/|%2F){event['id']}\b|'{event['id']}'", "EVENT", text.replace(address, "ADDRESS"))


def _make(cast: Cast, db: Database, event: dict[str, Any], how: str) -> str:
    """The address of a response that somebody has made."""
    if how == "guest on the page":
        _respond(cast, event, GUS, number=2)
    elif how == "guest by the API":
        a_response(cast.anonymous, event, email_address=GUS, number=2)
    elif how == "editor":
        a_response(cast.alice, event, email_address=GUS, number=2)
    else:
        a_response(verified(db, cast.carol) if how == "verified account" else cast.carol, event, number=2)
        return cast.carol.email_address
    return GUS


@pytest.mark.parametrize("how", MADE)
@pytest.mark.parametrize("settings_of_event", [{}, {"capacity": 6, "waiting_list": "auto"}], ids=["no limit", "capacity"])
def test_the_page_is_the_same_for_known_and_unknown_addresses(
    cast: Cast, db: Database, how: str, settings_of_event: dict[str, Any]
) -> None:
    seen = []
    for is_known in (True, False):
        event = _event(cast, **settings_of_event)
        known = _make(cast, db, event, how)
        address = known if is_known else "x" * known.index("@") + "@example.org"
        browser = GuestBrowser(cast.anonymous)
        sent = {"response": "YES", "name": "Gus", "email_address": address}
        reply = browser.post(f"/events/{event['id']}/respond", **sent, number=3)
        cookie = browser.cookie
        page = _ticket(browser, event)
        again = browser.post(f"/events/{event['id']}/respond", **sent, number=4)
        texts = [
            str(dict(reply.headers)),
            reply.text,
            _of_cookie(cookie),
            page,
            str(dict(again.headers)),
            again.text,
            _ticket(browser, event),
        ]
        seen.append([_without_what_varies(text, event, address) for text in texts])
        assert (reply.status, again.status) == (303, 303)
    assert seen[0] == seen[1]


def test_nobody_overwrites_what_was_sent_from_another_browser(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    clock.now = timestamps.now()
    event = _event(cast)
    ida = _respond(cast, event, GUS, number=3)
    _respond(cast, event, GUS, response="NO")
    a_response(cast.anonymous, event, email_address=GUS, response="NO")
    assert _stored(cast, event) == {GUS: ["YES", 3]}
    # The owner of the address is asked.
    assert any(str(mail["Subject"]).startswith("Confirm your") for mail in mails_about(db, settings, event["id"]))
    _respond(cast, event, GUS, ida, number=2)
    assert _stored(cast, event) == {GUS: ["YES", 2]}


def test_nobody_overwrites_what_was_sent_from_another_browser_and_restored_with_its_event(cast: Cast) -> None:
    event = _event(cast)
    ida = _respond(cast, event, GUS, number=3)
    _delete_and_restore(cast, event)
    _respond(cast, event, GUS, response="NO")
    assert _stored(cast, event) == {GUS: ["YES", 3]}
    _respond(cast, event, GUS, ida, number=2)
    assert _stored(cast, event) == {GUS: ["YES", 2]}


def _delete_and_restore(cast: Cast, event: dict[str, Any]) -> None:
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    [deleted] = cast.alice.get("/api/trash").json["trash"]
    assert cast.alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200


def test_the_answer_of_a_member_changes_in_their_session_alone(cast: Cast) -> None:
    event = _event(cast)
    path = f"/events/{event['id']}/respond"
    assert cast.carol.post(path, data={"response": "YES"}).redirect == (f"/events/{event['id']}#ticket", "")
    _respond(cast, event, cast.carol.email_address, response="NO")
    assert _stored(cast, event) == {cast.carol.email_address: ["YES", 1]}
    assert cast.carol.post(path, data={"response": "MAYBE"}).status == 303
    assert _stored(cast, event) == {cast.carol.email_address: ["MAYBE", 1]}


def test_the_browser_proves_nothing_once_the_address_has_confirmed_the_response(cast: Cast, db: Database, settings: Settings) -> None:
    """Somebody may respond with the address of another person, who then confirms it."""
    event = _event(cast)
    stranger = _respond(cast, event, GUS)
    response_id = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"][0]["id"]
    assert cast.anonymous.post(f"/r/{token_of(db, settings, response_id)}", data={"response": "YES", "number": "2"}).status == 303
    _respond(cast, event, GUS, stranger, response="NO")
    assert _stored(cast, event) == {GUS: ["YES", 2]}


def test_the_ticket_says_whether_there_are_spots(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    clock.now = timestamps.now()
    event = _event(cast, capacity=6, waiting_list="auto")
    first = _respond(cast, event, GUS, number=4)
    assert "4 spots are held for you." in _ticket(first, event)
    assert "This site sends no email. In this browser, you can change your RSVP here." in _ticket(first, event)
    second = _respond(cast, event, "ida@example.org", number=4)
    ticket = _ticket(second, event)
    assert [text in ticket for text in ("on the waiting list", "First in line, for 4 spots.", "2 spots are free and you are 4.")] == [
        True
    ] * 3
    third = _respond(cast, event, "eva@example.org", number=3)
    assert "Number 2 in line, for 3 spots." in _ticket(third, event)
    # Who comes with fewer has spots at once.
    assert "Come with 2 now" in ticket
    _respond(cast, event, "ida@example.org", second, number=2)
    assert "2 spots are held for you." in _ticket(second, event)
    subjects = {str(mail["To"]): str(mail["Subject"]) for mail in mails_about(db, settings, event["id"])}
    assert subjects["eva@example.org"] == "Confirm your RSVP: Board games"
    places = {each["email_address"]: each["place"]["place"] for each in _places(cast, event)}
    assert places == {GUS: "held", "ida@example.org": "held", "eva@example.org": "waiting"}


def _places(cast: Cast, event: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return listed


def test_a_change_says_that_the_mail_has_what_holds(cast: Cast) -> None:
    """Who asks for more keeps what they hold, which a newcomer does not have."""
    event = _event(cast, capacity=4, waiting_list="auto")
    gus = _respond(cast, event, GUS, number=4)
    _respond(cast, event, GUS, gus, number=3)
    assert "Ask the organiser which spots you have." in _ticket(gus, event)


def test_spots_are_promised_until_the_time_to_confirm_is_over(cast: Cast, clock: Clock) -> None:
    event = _event(cast, capacity=4, waiting_list="auto")
    gus = _respond(cast, event, GUS, number=2)
    assert "2 spots are held for you." in _ticket(gus, event)
    clock.ahead(3600)
    assert "spots are held" not in _ticket(gus, event)
    assert "Ask the organiser which spots you have." in _ticket(gus, event)


def test_who_answers_all_dates_reads_until_when_to_confirm(cast: Cast, clock: Clock) -> None:
    event = _event(cast, capacity=4)
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    gus = _respond(cast, event, GUS, scope="all")
    assert "Almost done" in _ticket(gus, event)
    assert "ask the organiser to approve your RSVP by" in _ticket(gus, event)
    clock.ahead(3600)
    assert "by" not in re.findall(r"approve your RSVP (\w+)", _ticket(gus, event))
    eva = _respond(cast, event, "eva@example.org", scope="all", response="MAYBE")
    assert "You might go" in _ticket(eva, event)


def test_the_link_in_the_mail_gives_the_ticket_what_holds_now(cast: Cast, db: Database, settings: Settings) -> None:
    event = _event(cast, capacity=4, waiting_list="auto")
    gus = _respond(cast, event, GUS, number=2)
    (mail,) = mails_about(db, settings, event["id"])
    link = next(link for link in links_in(mail) if link.startswith("/r/") and "?" not in link)
    assert gus.post(link, response="YES").status == 303
    assert "2 spots are yours." in _ticket_of_proof(gus, event)
    cast.alice.put(f"/api/events/{event['id']}", json={"capacity": 5})
    assert gus.post(link, number=3, plus_n=0).status == 303
    assert "3 spots are yours." in _ticket_of_proof(gus, event)


def _ticket_of_proof(browser: GuestBrowser, event: dict[str, Any]) -> str:
    return browser.get(f"/events/{event['id']}").text


def test_a_browser_remembers_the_person_for_other_events(cast: Cast) -> None:
    gus = _respond(cast, _event(cast), GUS)
    page = gus.get(f"/events/{_event(cast)['id']}").text
    assert "Not you?" in page
    assert page.count(f'value="{GUS}"') == 2
    assert "Not you?" not in cast.anonymous.get(f"/events/{_event(cast)['id']}").text


@pytest.mark.on_one_database
@pytest.mark.parametrize(("party_max", "limit"), [(None, 10), (3, 3), (30, 30)])
def test_a_page_takes_ten_people_unless_the_organiser_says_otherwise(cast: Cast, party_max: int | None, limit: int) -> None:
    event = _event(cast, party_max=party_max)
    path = f"/events/{event['id']}/respond"
    sent = {"response": "YES", "name": "Gus", "email_address": GUS}
    refused = cast.anonymous.post(path, data=sent | {"number": str(limit + 1)})
    assert (refused.status, f"at most {limit}. For a larger group, contact the organiser" in refused.text) == (422, True)
    assert cast.anonymous.post(path, data=sent | {"number": str(limit)}).status == 303


@pytest.mark.on_one_database
def test_a_series_says_which_other_dates_there_are_and_which_is_next(cast: Cast, clock: Clock) -> None:
    event = _event(cast, end_time="2027-06-01T22:00")
    rule = {"frequency": "WEEKLY", "count": 8}
    series = cast.alice.put(f"/api/events/{event['id']}/repeat", json=rule).json["series_id"]
    dates = cast.alice.get(f"/api/events?series_id={series}").json["events"]
    path = f"/events/{event['id']}"
    page = cast.anonymous.get(path).text
    listed = re.findall(r'<li><a href="(/events/\d+)">\w+ \d+ \w+</a></li>', page)
    assert listed == [f"/events/{each['id']}" for each in dates[1:5]]
    assert len(re.findall(r'<li><a href="/events/\d+">\w+ \d+ \w+</a></li>', cast.anonymous.get(f"{path}?dates=all").text)) == 7
    assert cast.alice.put(f"/api/events/{dates[1]['id']}", json={"status": "cancelled"}).status == 200
    next_date = f'<a class="button" href="/events/{dates[2]["id"]}">Next: Tue 15 Jun</a>'
    assert next_date not in cast.anonymous.get(path).text
    assert f'<a class="button" href="/events/{dates[0]["id"]}">Next: Tue 1 Jun</a>' in cast.anonymous.get(f"/events/{dates[1]['id']}").text
