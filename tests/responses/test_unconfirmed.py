"""Responses without proof that count, or keep their places, only when they are confirmed."""

import re
from typing import Any

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, Registered, a_calendar, a_comment, an_event, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.responses.mail import mails_about, text_of, token_of

START = "2027-06-01T20:00"
HOUR = 3600


def _hall(owner: Client, **fields: Any) -> dict[str, Any]:
    return an_event(owner, **{"public": True, "start_time": START, "time_zone": "UTC", "capacity": 4} | fields)


def _ask(actor: Client, event: dict[str, Any], name: str, people: int = 1, **fields: Any) -> Reply:
    sent = {"event_id": event["id"], "email_address": f"{name}@example.org", "response": "YES", "number": people}
    return actor.post("/api/responses", json=sent | fields)


def _places(cast: Cast, event: dict[str, Any]) -> dict[str, str | None]:
    listed = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return {each["email_address"].split("@")[0]: each["place"] and each["place"]["place"] for each in listed}


def _id(cast: Cast, event: dict[str, Any], name: str) -> int:
    listed = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return next(int(each["id"]) for each in listed if each["email_address"] == f"{name}@example.org")


def _link(cast: Cast, db: Database, settings: Settings, event: dict[str, Any], name: str) -> str:
    return f"/r/{token_of(db, settings, _id(cast, event, name))}"


def _counts(reader: Client, event: dict[str, Any]) -> tuple[int, int]:
    responses = reader.get(f"/api/events/{event['id']}").json["responses"]
    return responses["yes"], responses["people"]


def _held(reader: Client, event: dict[str, Any]) -> int:
    return int(reader.get(f"/api/events/{event['id']}").json["places"]["held"])


def _by_api(cast: Cast, event: dict[str, Any]) -> Reply:
    return _ask(cast.anonymous, event, "gus", 9, plus_n=2)


def _by_page(cast: Cast, event: dict[str, Any]) -> Reply:
    sent = {"email_address": "gus@example.org", "response": "YES", "number": "11"}
    return cast.anonymous.post(f"/events/{event['id']}/respond", data=sent)


def _by_unverified_account(cast: Cast, event: dict[str, Any]) -> Reply:
    made = cast.carol.post("/api/responses", json={"event_id": event["id"], "response": "YES"})
    return cast.carol.put(f"/api/responses/{made.json['id']}", json={"number": 11})


@pytest.mark.parametrize("respond", [_by_api, _by_page, _by_unverified_account])
@pytest.mark.parametrize("capacity", [None, 100])
def test_a_large_party_without_proof_is_taken_and_counts_for_nothing(cast: Cast, respond: Any, capacity: int | None) -> None:
    event = _hall(cast.alice, capacity=capacity, party_max=20)
    assert respond(cast, event).status in (200, 201, 303)
    assert _counts(cast.anonymous, event) == (0, 0)
    assert list(_places(cast, event).values()) == ["unconfirmed"]
    if capacity:
        assert _held(cast.anonymous, event) == 0


def test_a_large_party_counts_when_its_link_is_opened_and_confirmed(cast: Cast, db: Database, settings: Settings) -> None:
    event = _hall(cast.alice, capacity=100)
    assert "id" not in _ask(cast.anonymous, event, "gus", 100).json
    (message,) = mails_about(db, settings, event["id"])
    assert "Your RSVP: Going, 100 people. Your RSVP doesn’t count yet. Confirm it." in text_of(message)
    assert message["Subject"].startswith("Confirm your RSVP: ")
    assert "Confirm your RSVP: " in text_of(message)
    link = _link(cast, db, settings, event, "gus")
    page = cast.anonymous.get(link)
    assert "Confirm my RSVP" in page.text
    assert _counts(cast.anonymous, event) == (0, 0)
    assert cast.anonymous.post(link, data={"response": "YES"}).status == 303
    assert (_counts(cast.anonymous, event), _held(cast.anonymous, event)) == ((1, 100), 100)
    assert _places(cast, event) == {"gus": "held"}
    assert "Confirm my RSVP" not in cast.anonymous.get(link).text


def test_an_editor_accepts_a_party_that_is_not_confirmed(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=None)
    _ask(cast.anonymous, event, "gus", 11)
    page = cast.alice.get(f"/events/{event['id']}/responses?tab=unconfirmed").text
    assert "gus@example.org" in page
    assert re.search(r"All <small>1</small>", page)
    accepted = cast.alice.put(f"/api/responses/{_id(cast, event, 'gus')}/accept", json={})
    assert (accepted.status, accepted.json["place"]) == (200, None)
    assert _counts(cast.anonymous, event) == (1, 11)
    # From now on, it changes only with proof.
    _ask(cast.anonymous, event, "gus", 1, response="NO")
    assert _counts(cast.anonymous, event) == (1, 11)


def test_organisers_choose_how_many_people_need_no_confirmation(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, confirm_above=20)
    event = _hall(cast.alice, calendar_id=calendar["id"], capacity=None)
    _ask(cast.anonymous, event, "gus", 20)
    assert _counts(cast.anonymous, event) == (1, 20)
    _ask(cast.anonymous, event, "ida", 21)
    assert _counts(cast.anonymous, event) == (1, 20)


def test_a_party_that_grows_without_proof_does_not_count_any_more(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=None)
    _ask(cast.anonymous, event, "gus", 2)
    assert _counts(cast.anonymous, event) == (1, 2)
    _ask(cast.anonymous, event, "gus", 2, plus_n=9)
    assert _counts(cast.anonymous, event) == (0, 0)
    # What is left out of a request stays, and counts in what it becomes.
    sent = {"event_id": event["id"], "email_address": "gus@example.org", "response": "YES", "number": 3}
    assert cast.anonymous.post("/api/responses", json=sent).status == 201
    assert _counts(cast.anonymous, event) == (0, 0)


def test_places_without_proof_are_held_for_an_hour_by_time_alone(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    # The mail is written at the time of the machine.
    clock.now = timestamps.now()
    event = _hall(cast.alice, waiting_list="auto", start_time="2037-06-01T20:00")
    _ask(cast.anonymous, event, "ann", 3)
    assert (_places(cast, event), _held(cast.anonymous, event)) == ({"ann": "held"}, 3)
    (message,) = mails_about(db, settings, event["id"], clock.now)
    assert re.search(r"You have 3 spots\. Confirm by [^.]*, or your place is released\.", text_of(message))
    assert message["Subject"].startswith("Confirm your RSVP: ")
    clock.ahead(HOUR - 1)
    assert _held(cast.anonymous, event) == 3
    clock.ahead(1)
    assert (_held(cast.anonymous, event), _counts(cast.anonymous, event)) == (0, (0, 0))
    assert _places(cast, event) == {"ann": "unconfirmed"}
    # The next guest gets the places, whether or not a worker has run.
    _ask(cast.anonymous, event, "ben", 4)
    assert _places(cast, event) == {"ann": "unconfirmed", "ben": "held"}
    # Confirmed afterwards, the first one waits at the end of the list.
    assert cast.anonymous.post(_link(cast, db, settings, event, "ann"), data={"response": "YES"}).status == 303
    assert _places(cast, event) == {"ann": "waiting", "ben": "held"}


def _yes_again(cast: Cast, event: dict[str, Any]) -> None:
    _ask(cast.anonymous, event, "ann", 3)


def _no_then_yes(cast: Cast, event: dict[str, Any]) -> None:
    _ask(cast.anonymous, event, "ann", 3, response="NO")
    _ask(cast.anonymous, event, "ann", 3)


def _fewer_then_more(cast: Cast, event: dict[str, Any]) -> None:
    _ask(cast.anonymous, event, "ann", 1)
    _ask(cast.anonymous, event, "ann", 3)


@pytest.mark.parametrize("repeat", [_yes_again, _no_then_yes, _fewer_then_more])
def test_a_repeated_request_does_not_hold_places_for_longer(cast: Cast, clock: Clock, repeat: Any) -> None:
    event = _hall(cast.alice)
    _ask(cast.anonymous, event, "ann", 3)
    clock.ahead(HOUR - 1)
    repeat(cast, event)
    assert _held(cast.anonymous, event) == 3
    clock.ahead(1)
    assert (_held(cast.anonymous, event), _places(cast, event)) == (0, {"ann": "unconfirmed"})
    repeat(cast, event)
    assert (_held(cast.anonymous, event), _places(cast, event)) == (0, {"ann": "unconfirmed"})


def test_an_unverified_account_does_not_hold_places_for_longer_by_deleting_its_response(cast: Cast, clock: Clock) -> None:
    event = _hall(cast.alice)
    carol = Cast(cast.anonymous, Registered).carol
    yes = {"event_id": event["id"], "response": "YES", "number": 3}
    made = carol.post("/api/responses", json=yes)
    assert (made.status, made.json["place"]["place"]) == (201, "held")
    clock.ahead(HOUR)
    assert carol.delete(f"/api/responses/{made.json['id']}").status == 200
    again = carol.post("/api/responses", json=yes)
    assert (again.status, again.json["place"]["place"], _held(cast.anonymous, event)) == (201, "unconfirmed", 0)
    # By another change of the same response, too.
    changed = carol.put(f"/api/responses/{again.json['id']}", json={"number": 2})
    assert (changed.json["place"]["place"], _held(cast.anonymous, event)) == ("unconfirmed", 0)


def test_a_response_that_is_confirmed_late_takes_a_free_place(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _hall(cast.alice)
    _ask(cast.anonymous, event, "ann", 3)
    clock.ahead(2 * HOUR)
    worker.lapse_offers(Context(db, settings, clock.now))
    assert _counts(cast.anonymous, event) == (0, 0)
    assert cast.anonymous.post(_link(cast, db, settings, event, "ann"), data={"response": "YES"}).status == 303
    assert (_places(cast, event), _held(cast.anonymous, event), _counts(cast.anonymous, event)) == ({"ann": "held"}, 3, (1, 3))


def test_a_confirmed_response_keeps_its_places(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _hall(cast.alice)
    _ask(cast.anonymous, event, "ann", 2)
    assert cast.anonymous.post(_link(cast, db, settings, event, "ann"), data={"response": "YES"}).status == 303
    carol = verified(db, cast.carol)
    assert carol.post("/api/responses", json={"event_id": event["id"], "response": "YES"}).status == 201
    _ask(cast.alice, event, "ida")
    clock.ahead(2 * HOUR)
    assert _held(cast.anonymous, event) == 4


def test_the_queue_gets_what_an_unconfirmed_response_held(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    calendar = a_calendar(cast.alice, public=True, hold_minutes=30)
    event = _hall(cast.alice, calendar_id=calendar["id"], waiting_list="auto", capacity=2)
    _ask(cast.anonymous, event, "ann", 2)
    _ask(cast.alice, event, "ben", 2)
    assert _places(cast, event) == {"ann": "held", "ben": "waiting"}
    clock.ahead(HOUR // 2)
    worker.lapse_offers(Context(db, settings, clock.now))
    assert _places(cast, event) == {"ann": "unconfirmed", "ben": "held"}


def test_a_full_event_without_a_waiting_list_says_so_when_it_is_confirmed_too_late(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = _hall(cast.alice, capacity=2)
    _ask(cast.anonymous, event, "ann", 2)
    link = _link(cast, db, settings, event, "ann")
    clock.ahead(HOUR)
    _ask(cast.alice, event, "ben", 2)
    page = cast.anonymous.post(link, data={"response": "YES"})
    assert (page.status, "This event is full." in page.text) == (409, True)
    assert _places(cast, event) == {"ann": "unconfirmed", "ben": "held"}


def test_a_comment_with_a_response_holds_its_place_for_an_hour_too(cast: Cast, clock: Clock) -> None:
    event = _hall(cast.alice)
    a_comment(cast.anonymous, event, email_address="gus@example.org", response="YES", comment="Yes")
    assert _held(cast.anonymous, event) == 1
    clock.ahead(HOUR)
    assert _held(cast.anonymous, event) == 0


def test_the_link_confirms_all_dates_of_a_series(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    first = _hall(cast.alice, capacity=20)
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    dates = [each["id"] for each in cast.alice.get("/api/events?limit=10").json["events"]]
    assert len(dates) == 3
    _ask(cast.anonymous, first, "gus", 11, scope="all")
    assert [_counts(cast.anonymous, {"id": each}) for each in dates] == [(0, 0)] * 3
    assert len(mails_about(db, settings, first["id"], clock.now)) == 1
    assert cast.anonymous.post(_link(cast, db, settings, first, "gus"), data={"response": "YES"}).status == 303
    assert [_counts(cast.anonymous, {"id": each}) for each in dates] == [(1, 11)] * 3
    clock.ahead(2 * HOUR)
    assert [_held(cast.anonymous, {"id": each}) for each in dates] == [11] * 3


def test_mail_asks_for_the_confirmation_also_where_responses_cause_no_mail(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True, confirmations="off")
    event = _hall(cast.alice, calendar_id=calendar["id"], capacity=None)
    _ask(cast.anonymous, event, "ann", 2)
    assert mails_about(db, settings, event["id"]) == []
    _ask(cast.anonymous, event, "gus", 11)
    assert len(mails_about(db, settings, event["id"])) == 1


def test_responses_that_wait_for_approval_do_not_count(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=None, approval=True)
    _ask(cast.anonymous, event, "ann", 2)
    assert _counts(cast.anonymous, event) == (0, 0)
    cast.alice.put(f"/api/responses/{_id(cast, event, 'ann')}/accept", json={})
    assert _counts(cast.anonymous, event) == (1, 2)
