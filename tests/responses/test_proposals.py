"""Responses without proof that wait until the link in a mail is followed."""

from typing import Any

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_response, an_event, verified
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.responses.mail import a_proposal_token

pytestmark = pytest.mark.on_one_database

GUS = "gus@example.org"
HOUR = 3600


def _stored(cast: Cast, event: dict[str, Any]) -> list[dict[str, Any]]:
    responses: list[dict[str, Any]] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return responses


def _count(db: Database, event: dict[str, Any]) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM proposals WHERE event_id = :id", id=event["id"]))


def _proven(cast: Cast, **fields: Any) -> dict[str, Any]:
    """A public event with a response of gus that nobody changes without proof."""
    event = an_event(cast.alice, public=True, start_time="2027-06-01T20:00")
    a_response(cast.alice, event, email_address=GUS, name="Gus", number=2, **fields)
    return event


def test_a_change_without_proof_waits_for_its_confirmation(cast: Cast, db: Database, settings: Settings) -> None:
    event = _proven(cast)
    before = _stored(cast, event)
    a_response(cast.anonymous, event, email_address="GUS@example.org", response="NO", comment="Ill")
    path = f"/r/confirm/{a_proposal_token(settings, NOON)}"
    page = cast.anonymous.get(path)
    assert (page.status, "Ill" in page.text, "G•••@example.org" in page.text) == (200, True, True)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert _stored(cast, event) == before
    confirmed = cast.anonymous.post(path, headers={"Origin": "null"})
    assert (confirmed.status, confirmed.headers["Location"].startswith("/r/")) == (303, True)
    (stored,) = _stored(cast, event)
    assert [stored[name] for name in ("response", "name", "number", "comment")] == ["NO", "Gus", 2, "Ill"]
    assert [cast.anonymous.get(path).status, cast.anonymous.post(path).status, _count(db, event)] == [404, 404, 0]


def test_a_proposal_that_does_not_fit_the_questions_any_more_says_what_to_do(cast: Cast, settings: Settings) -> None:
    event = _proven(cast)
    questions = f"/api/events/{event['id']}/questions"
    question = cast.alice.post(questions, json={"label": "Why?", "kind": "text"}).json["id"]
    before = _stored(cast, event)
    a_response(cast.anonymous, event, email_address=GUS, answers=[{"question_id": question, "answer": "Fun"}])
    assert cast.alice.delete(f"{questions}/{question}").status == 200
    page = cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, NOON)}")
    assert (page.status, "Open the event and RSVP again" in page.text) == (409, True)
    assert f'href="{settings.url}/events/{event["id"]}"' in page.text
    assert _stored(cast, event) == before


def test_a_newer_proposal_replaces_the_older_one_and_its_link(cast: Cast, db: Database, settings: Settings) -> None:
    event = _proven(cast)
    tokens = []
    for comment in ("First", "Second"):
        a_response(cast.anonymous, event, email_address=GUS, response="NO", comment=comment)
        tokens.append(a_proposal_token(settings, NOON))
    assert [cast.anonymous.post(f"/r/confirm/{token}").status for token in tokens] == [404, 303]
    assert _stored(cast, event)[0]["comment"] == "Second"


def test_proposals_end_after_48_hours(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = _proven(cast)
    a_response(cast.anonymous, event, email_address=GUS, response="NO")
    token = a_proposal_token(settings, NOON)
    clock.now = NOON + 48 * HOUR - 1
    worker.clean_up(Context(db, settings, clock.now))
    assert (cast.anonymous.get(f"/r/confirm/{token}").status, _count(db, event)) == (200, 1)
    clock.now = NOON + 48 * HOUR
    assert cast.anonymous.post(f"/r/confirm/{token}").status == 404
    worker.clean_up(Context(db, settings, clock.now))
    assert (_count(db, event), _stored_yes(cast.anonymous, event)) == (0, 1)


def _stored_yes(client: Client, event: dict[str, Any]) -> int:
    return int(client.get(f"/api/events/{event['id']}").json["responses"]["yes"])


def test_a_calendar_may_count_confirmed_responses_alone(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True, confirm_responses="always")
    event = an_event(cast.alice, calendar_id=calendar["id"], capacity=1, start_time="2027-06-01T20:00")
    page = cast.anonymous.post(f"/events/{event['id']}/respond", data={"response": "YES", "email_address": GUS, "name": "Gus"})
    assert page.status == 303
    assert (_stored(cast, event), _count(db, event)) == ([], 1)
    # It holds no seat.
    assert a_response(verified(db, cast.bob), event)["place"]["place"] == "held"
    path = f"/r/confirm/{a_proposal_token(settings, NOON)}"
    assert cast.anonymous.post(path).status == 409
    assert cast.bob.delete(f"/api/responses/{_stored(cast, event)[0]['id']}").status == 200
    assert cast.anonymous.post(path).status == 303
    assert [(each["email_address"], each["name"]) for each in _stored(cast, event)] == [(GUS, "Gus")]
