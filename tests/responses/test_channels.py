"""Every channel by which a response arrives goes through `respond`, so all refuse the same responses."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kalends
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_question, a_response, an_event, an_invitation, verified
from tests.client import Reply
from tests.conftest import NOON
from tests.responses.mail import a_proposal_token, an_invitation_token, token_of


class Guest:
    """Carol, who has responded to an event and has all kinds of proof, and a proposal in her name that waits for her. Dave has not
    responded to the date of its series alone."""

    def __init__(self, cast: Cast, db: Database, settings: Settings, fields: dict[str, Any], said: str = "NO"):
        self.client, self.other, self.anonymous = verified(db, cast.carol), verified(db, cast.dave), cast.anonymous
        self.event = an_event(cast.alice, public=True)
        repeat = {"frequency": "WEEKLY", "count": 1}
        assert cast.alice.put(f"/api/events/{self.event['id']}/repeat", json=repeat).status == 200
        self.fields = {"response": "YES"} | fields
        self.response_id = a_response(self.client, self.event, response=said, name="Carol", comment="Sorry")["id"]
        self.token = token_of(db, settings, self.response_id)
        if said == "YES":
            a_response(self.other, self.event, scope="all")
        a_response(self.anonymous, self.event, email_address=self.client.email_address, **self.fields)
        self.proposal = a_proposal_token(settings, NOON)
        # Someone else, since an invited guest sees the event also when it is hidden.
        invitation = an_invitation(cast.alice, self.event, "ivy@example.org")
        self.invitation = an_invitation_token(settings, invitation["id"])
        if said == "YES":
            assert self.anonymous.post(f"/i/{self.invitation}", data={"response": "YES"}).status == 303

    @property
    def form(self) -> dict[str, str]:
        return {name: str(value) for name, value in self.fields.items()}


def _by_api(guest: Guest) -> Reply:
    return guest.client.post("/api/responses", json=guest.fields | {"event_id": guest.event["id"]})


def _by_update(guest: Guest) -> Reply:
    return guest.client.put(f"/api/responses/{guest.response_id}", json=guest.fields)


def _by_token(guest: Guest) -> Reply:
    return guest.anonymous.put(f"/api/responses/{guest.response_id}", json=guest.fields | {"token": guest.token})


def _by_page(guest: Guest) -> Reply:
    return guest.client.post(f"/events/{guest.event['id']}/respond", data=guest.form)


def _by_link(guest: Guest) -> Reply:
    return guest.anonymous.post(f"/r/{guest.token}", data=guest.form)


def _by_confirmation(guest: Guest) -> Reply:
    return guest.anonymous.post(f"/r/confirm/{guest.proposal}")


def _by_invitation(guest: Guest) -> Reply:
    return guest.anonymous.post(f"/i/{guest.invitation}", data=guest.form)


def _by_series(guest: Guest) -> Reply:
    return guest.other.post("/api/responses", json=guest.fields | {"event_id": guest.event["id"], "scope": "all"})


def _by_comment(guest: Guest) -> Reply:
    return guest.client.post(
        "/api/comments", json={"event_id": guest.event["id"], "response": guest.fields["response"], "comment": "Hello"}
    )


def _by_my_events(guest: Guest) -> Reply:
    return guest.client.put(f"/api/my_events/{guest.event['id']}", json={"response": guest.fields["response"]})


# Each function that calls `respond`, with the requests that lead to it.
CHANNELS: dict[str, list[Callable[[Guest], Reply]]] = {
    "features.responses.api._create_for_event": [_by_api, _by_page],
    "features.responses.api.update": [_by_update, _by_token],
    "features.responses.link_pages._change": [_by_link],
    "features.responses.link_pages._apply": [_by_confirmation],
    "features.events.invitations.steps.reply.record": [_by_invitation],
    "features.responses.steps.series.respond_to_series": [_by_series],
    "features.responses.steps.series._respond_to_dates": [_by_series],
    "features.comments.api._create": [_by_comment],
    # An editor's, for a guest.
    "features.responses.steps.selection.set_answer": [],
    "features.my_events.api._respond": [_by_my_events],
}
# The pages that ask the questions of the event when the response is stored.
AFTERWARDS = (_by_link, _by_invitation)
WAYS = list(dict.fromkeys(way for ways in CHANNELS.values() for way in ways))

# What the organiser does to the event, what the guest then sends, and the outcome.
FORBIDDEN: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "hidden": ({"public": False}, {}, 404),
    "closed": ({"responses_open": False}, {}, 409),
    "too late": ({"responses_until": "2026-05-01T12:00"}, {}, 409),
    "cancelled": ({"status": "cancelled"}, {}, 409),
    "postponed": ({"status": "postponed"}, {}, 409),
    "full": ({"capacity": 1}, {}, 409),
    "too large a party": ({"party_max": 2}, {"number": 2, "plus_n": 1}, 422),
}
RESTORED = {"public": True, "responses_open": True, "responses_until": None, "status": "planned", "capacity": None, "party_max": None}
# A comment says nothing of the party, and an invited guest sees what is hidden.
NOT_SAID = {("too large a party", _by_comment), ("too large a party", _by_my_events), ("hidden", _by_invitation)}


def _status(way: Callable[[Guest], Reply], status: int) -> int:
    """The confirmation of a proposal has no fields to correct: it does not fit the event any more."""
    return 409 if way is _by_confirmation and status == 422 else status


def test_this_table_has_every_caller() -> None:
    root = Path(kalends.__file__).parent
    callers = set()
    for path in root.rglob("*.py"):
        if "from kalends.features.responses.steps.respond import" not in path.read_text():
            continue
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "respond" for node in ast.walk(function)
            ):
                callers.add(f"{module}.{function.name}")
    assert callers == set(CHANNELS)


@pytest.mark.parametrize("case", FORBIDDEN)
def test_each_channel_refuses_the_same_responses(cast: Cast, db: Database, settings: Settings, case: str) -> None:
    change, fields, status = FORBIDDEN[case]
    guest = Guest(cast, db, settings, fields)
    a_response(cast.bob, guest.event)
    path = f"/api/responses?event_id={guest.event['id']}"
    assert cast.alice.put(f"/api/events/{guest.event['id']}", json=change).status == 200
    before = cast.alice.get(path).json["responses"]
    ways = [way for way in WAYS if (case, way) not in NOT_SAID]
    assert {way.__name__: way(guest).status for way in ways} == {way.__name__: _status(way, status) for way in ways}
    assert cast.alice.get(path).json["responses"] == before
    # They are refused for this reason alone.
    assert cast.alice.put(f"/api/events/{guest.event['id']}", json=RESTORED).status == 200
    assert all(way(guest).status in (200, 201, 303) for way in WAYS)


def test_each_channel_lets_a_guest_withdraw_from_what_is_closed(cast: Cast, db: Database, settings: Settings) -> None:
    guest = Guest(cast, db, settings, {"response": "NO"}, said="YES")
    for change in ({"responses_open": False}, {"responses_until": "2026-05-01T12:00"}, {"status": "cancelled"}):
        assert cast.alice.put(f"/api/events/{guest.event['id']}", json=RESTORED | change).status == 200
        ways = [way for way in WAYS if way is not _by_confirmation or "status" in change]
        assert {way.__name__ for way in ways if way(guest).status not in (200, 201, 303)} == set(), change
    responses = cast.alice.get(f"/api/responses?event_id={guest.event['id']}").json["responses"]
    assert [response["response"] for response in responses] == ["NO", "NO", "NO"]


def test_a_guest_waits_for_the_organiser_in_each_channel(cast: Cast, db: Database, settings: Settings) -> None:
    guest = Guest(cast, db, settings, {})
    assert cast.alice.put(f"/api/events/{guest.event['id']}", json={"approval": True, "capacity": 5}).status == 200
    for way in WAYS:
        assert way(guest).status in (200, 201, 303), way
        listed = cast.alice.get(f"/api/responses?event_id={guest.event['id']}").json["responses"]
        [place] = [each["place"] for each in listed if each["response"] == "YES"]
        assert (place["place"], place["held"]) == ("pending", 0), way
        for each in listed:
            assert cast.alice.put(f"/api/responses/{each['id']}", json={"response": "NO"}).status == 200


def test_each_channel_asks_for_a_required_answer(cast: Cast, db: Database, settings: Settings) -> None:
    """The form of the event asks the questions, the pages of links ask them when the response is stored, and every other channel
    refuses."""
    guest = Guest(cast, db, settings, {})
    path = f"/api/responses?event_id={guest.event['id']}"
    before = cast.alice.get(path).json["responses"]
    question = a_question(cast.alice, f"/api/events/{guest.event['id']}", required=True)
    for way in WAYS:
        reply = way(guest)
        is_asked = way is _by_page and f'name="q{question["id"]}"' in reply.text
        assert reply.status == (200 if is_asked else 303 if way in AFTERWARDS else _status(way, 422)), (way, reply)
        if way not in AFTERWARDS:
            assert cast.alice.get(path).json["responses"] == before, way
            continue
        page = guest.anonymous.get(reply.headers["Location"])
        assert "the organiser has a question for you" in page.text
        for each in cast.alice.get(path).json["responses"]:
            assert cast.alice.put(f"/api/responses/{each['id']}", json={"response": "NO"}).status == 200
        before = cast.alice.get(path).json["responses"]
