"""Which responses hold the options with a limit that they have chosen."""

import re
from typing import Any

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, an_event, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.questions.asking import a_menu, questions_of
from tests.responses.mail import mails_about, text_of, token_of

HOUR = 3600
ONE_SOUP = [{"label": "Soup", "limit": 1}, {"label": "Salad"}]


def _asking(owner: Client, *, menu: dict[str, Any] | None = None, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """An event with a menu that has one soup."""
    event = an_event(owner, **{"public": True, "start_time": "2037-06-01T20:00", "time_zone": "UTC"} | fields)
    return event, a_menu(owner, event, options=ONE_SOUP, **menu or {})


def _respond(actor: Client, event: dict[str, Any], menu: dict[str, Any], name: str, answer: str = "Soup", **fields: Any) -> Reply:
    answers = [{"question_id": menu["id"], "answer": answer}]
    sent = {"event_id": event["id"], "email_address": f"{name}@example.org", "response": "YES", "answers": answers}
    return actor.post("/api/responses", json=sent | fields)


def _stored(cast: Cast, event: dict[str, Any], name: str) -> dict[str, Any]:
    listed = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    found: dict[str, Any] = next(each for each in listed if each["email_address"] == f"{name}@example.org")
    return found


def _answers(cast: Cast, event: dict[str, Any], name: str) -> list[Any]:
    shown = cast.alice.get(f"/api/responses/{_stored(cast, event, name)['id']}")
    return [each["answer"] for each in shown.json["answers"]]


def _left(cast: Cast, event: dict[str, Any]) -> int:
    return int(questions_of(cast.anonymous, event)[0]["options"][0]["left"])


def _confirm(cast: Cast, db: Database, settings: Settings, event: dict[str, Any], name: str) -> Reply:
    link = f"/r/{token_of(db, settings, _stored(cast, event, name)['id'])}"
    return cast.anonymous.post(link, data={"response": "YES"})


@pytest.mark.parametrize("capacity", [None, 10])
def test_an_unconfirmed_response_holds_its_option_for_an_hour(cast: Cast, clock: Clock, capacity: int | None) -> None:
    event, menu = _asking(cast.alice, capacity=capacity)
    assert _respond(cast.anonymous, event, menu, "ann").status == 201
    assert (_left(cast, event), _respond(cast.anonymous, event, menu, "ben").status) == (0, 409)
    clock.ahead(HOUR - 1)
    # Another request for the same address does not hold it for longer.
    _respond(cast.anonymous, event, menu, "ann", "Salad")
    assert (_left(cast, event), _respond(cast.anonymous, event, menu, "ann").status) == (1, 201)
    clock.ahead(1)
    assert (_left(cast, event), _stored(cast, event, "ann")["place"]["place"]) == (1, "unconfirmed")
    assert _respond(cast.anonymous, event, menu, "ben").status == 201
    assert _left(cast, event) == 0


def test_a_confirmed_response_keeps_its_option(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    # The mail is written at the time of the machine.
    clock.now = timestamps.now()
    event, menu = _asking(cast.alice)
    _respond(cast.anonymous, event, menu, "ann")
    assert "or your place is released." in cast.anonymous.get(f"/r/{token_of(db, settings, _stored(cast, event, 'ann')['id'])}").text
    (message,) = mails_about(db, settings, event["id"], clock.now)
    assert "Confirm your RSVP: " in text_of(message)
    assert re.search(r"Confirm by [^.]*, or your place is released\.", text_of(message))
    assert _confirm(cast, db, settings, event, "ann").status == 303
    clock.ahead(2 * HOUR)
    worker.lapse_offers(Context(db, settings, clock.now))
    assert (_left(cast, event), _answers(cast, event, "ann")) == (0, ["Soup"])
    assert cast.anonymous.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 1


def test_who_confirms_too_late_chooses_another_option(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event, menu = _asking(cast.alice)
    _respond(cast.anonymous, event, menu, "ann")
    clock.ahead(HOUR)
    _respond(cast.alice, event, menu, "ben")
    late = _confirm(cast, db, settings, event, "ann")
    assert (late.status, "“Soup” is full. Choose another option" in late.text) == (409, True)
    response_id = _stored(cast, event, "ann")["id"]
    salad = {"answers": [{"question_id": menu["id"], "answer": "Salad"}], "token": token_of(db, settings, response_id)}
    assert cast.anonymous.put(f"/api/responses/{response_id}", json=salad).status == 200
    assert _confirm(cast, db, settings, event, "ann").status == 303
    assert (_answers(cast, event, "ann"), _answers(cast, event, "ben")) == (["Salad"], ["Soup"])


def test_an_editor_who_accepts_too_late_drops_the_full_option(cast: Cast, clock: Clock) -> None:
    event, menu = _asking(cast.alice)
    _respond(cast.anonymous, event, menu, "ann")
    clock.ahead(HOUR)
    _respond(cast.alice, event, menu, "ben")
    assert cast.alice.put(f"/api/responses/{_stored(cast, event, 'ann')['id']}/accept", json={}).status == 200
    assert (_answers(cast, event, "ann"), _answers(cast, event, "ben")) == ([], ["Soup"])


def test_a_party_that_waits_holds_no_option(cast: Cast, db: Database) -> None:
    event, menu = _asking(cast.alice, capacity=1, waiting_list="auto", menu={"required": True})
    _respond(cast.alice, event, menu, "ann", "Salad")
    assert _respond(cast.alice, event, menu, "ben").json["place"]["place"] == "waiting"
    assert _respond(verified(db, cast.carol), event, menu, "dan").status == 201
    assert _left(cast, event) == 1
    # Meanwhile someone who has a place chooses it. A change of the party that waits is possible even so.
    ann = _stored(cast, event, "ann")["id"]
    soup = {"answers": [{"question_id": menu["id"], "answer": "Soup"}]}
    assert cast.alice.put(f"/api/responses/{ann}", json=soup).status == 200
    assert cast.alice.put(f"/api/responses/{_stored(cast, event, 'ben')['id']}", json={"comment": "Hungry"}).status == 200
    assert (_left(cast, event), _answers(cast, event, "ben")) == (0, ["Soup"])
    # With the capacity, the party gets a place, and is asked for another option.
    assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": 2}).status == 200
    ben = cast.alice.get(f"/api/responses/{_stored(cast, event, 'ben')['id']}").json
    assert (ben["place"]["place"], ben["answers"], ben["missing"]) == ("held", [], [menu["id"]])


@pytest.mark.parametrize("limits", [{"capacity": 1, "waiting_list": "auto"}, {"approval": True}])
def test_when_everybody_gets_a_place_the_option_stays_within_its_limit(cast: Cast, limits: dict[str, Any]) -> None:
    event, menu = _asking(cast.alice, **limits)
    if "capacity" in limits:
        _respond(cast.alice, event, menu, "zoe", "Salad")
    for name in ("ann", "ben"):
        assert _respond(cast.anonymous, event, menu, name).status == 201
    assert _left(cast, event) == 1
    nothing = {"capacity": None, "approval": False, "waiting_list": "off"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=nothing).status == 200
    assert _left(cast, event) == 0
    assert sorted(_answers(cast, event, "ann") + _answers(cast, event, "ben")) == ["Soup"]


def test_a_lower_limit_takes_no_option_from_those_who_hold_it(cast: Cast, db: Database, settings: Settings) -> None:
    event, menu = _asking(cast.alice)
    _respond(cast.alice, event, menu, "ann")
    none_left = {"options": [{"label": "Soup", "limit": 0}, {"label": "Salad"}]}
    assert cast.alice.put(f"/api/events/{event['id']}/questions/{menu['id']}", json=none_left).status == 200
    assert _confirm(cast, db, settings, event, "ann").status == 303
    assert _answers(cast, event, "ann") == ["Soup"]
