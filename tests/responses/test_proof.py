"""Without proof of the address, a request neither reads stored responses nor changes proven ones."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, a_response, an_event, shared, verified
from tests.client import Client, Reply

SECRET = {"name": "Gus S", "plus_n": 3, "comment": "PRIVATE: in hospital", "opt_in": True}


def _stored(cast: Cast, event: dict[str, Any]) -> list[dict[str, Any]]:
    responses: list[dict[str, Any]] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return responses


def _respond(client: Client, event: dict[str, Any], address: str, **fields: Any) -> Reply:
    return client.post("/api/responses", json={"event_id": event["id"], "email_address": address, "response": "YES"} | fields)


def _headers(reply: Reply) -> dict[str, str]:
    return {name: value for name, value in reply.headers.items() if name.lower() not in ("x-request-id", "date")}


@pytest.mark.parametrize("by", ["guest", "stranger", "verified stranger"])
@pytest.mark.parametrize("known", ["guest", "unverified", "verified", "editor"])
def test_a_caller_without_proof_gets_an_echo_for_known_and_unknown_addresses(cast: Cast, db: Database, by: str, known: str) -> None:
    event = an_event(cast.alice, public=True)
    address = "gus@example.org" if known in ("guest", "editor") else cast.carol.email_address
    maker: Client = {"guest": cast.anonymous, "editor": cast.alice}.get(known, cast.carol)
    if known == "verified":
        verified(db, cast.carol)
    _respond(maker, event, address, **SECRET)
    caller = {"guest": cast.anonymous, "stranger": cast.bob}.get(by) or verified(db, cast.bob)
    replies = [_respond(caller, event, each, response="NO", number=2) for each in (address, "new@example.org")]
    assert [reply.status for reply in replies] == [201, 201]
    assert replies[0].json == {
        **{"event_id": event["id"], "email_address": address, "response": "NO", "number": 2},
        **{"name": None, "plus_n": 0, "comment": None, "opt_in": False, "min_party": None, "answers": []},
    }
    assert replies[0].json | {"email_address": ""} == replies[1].json | {"email_address": ""}
    first, second = (_headers(reply) for reply in replies)
    assert first | {"content-length": ""} == second | {"content-length": ""}
    assert "location" not in {name.lower() for name in first}


@pytest.mark.parametrize(("maker", "stored_response"), [("guest", "NO"), ("unverified", "YES"), ("verified", "YES"), ("editor", "YES")])
def test_a_request_without_proof_changes_only_what_guests_without_proof_sent_to_the_api(
    cast: Cast, db: Database, maker: str, stored_response: str
) -> None:
    event = an_event(cast.alice, public=True)
    if maker == "verified":
        verified(db, cast.carol)
    makers: dict[str, Client] = {"guest": cast.anonymous, "editor": cast.alice}
    _respond(makers.get(maker, cast.carol), event, cast.carol.email_address, **SECRET)
    _respond(cast.anonymous, event, cast.carol.email_address, response="NO")
    (stored,) = _stored(cast, event)
    assert [stored[name] for name in ("response", "name", "plus_n", "comment")] == [stored_response, "Gus S", 3, "PRIVATE: in hospital"]


def test_an_unverified_account_is_not_linked_to_a_guests_response(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    _respond(cast.anonymous, event, cast.carol.email_address, **SECRET)
    reply = _respond(cast.carol, event, cast.carol.email_address)
    assert (reply.status, reply.json["comment"], "id" in reply.json) == (201, None, False)
    assert cast.carol.get("/api/responses").json["responses"] == []
    assert "PRIVATE" not in cast.carol.get(f"/events/{event['id']}").text
    assert cast.carol.get(f"/api/responses/{_stored(cast, event)[0]['id']}").status == 404


def test_an_account_does_not_read_what_a_guest_with_its_address_writes(cast: Cast) -> None:
    """A user who registers with another's address and responds first must not read what that person writes later, who confirms it."""
    event = an_event(cast.alice, public=True)
    _respond(cast.carol, event, cast.carol.email_address)
    _respond(cast.anonymous, event, cast.carol.email_address, comment="NEW SECRET")
    assert "NEW SECRET" not in cast.carol.get("/api/responses").text
    assert "NEW SECRET" not in _respond(cast.carol, event, cast.carol.email_address).text


def test_an_unverified_account_loses_a_response_that_an_editor_changed(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    response = a_response(cast.carol, event)
    cast.alice.put(f"/api/responses/{response['id']}", json={"comment": "Gus phoned: in hospital"})
    assert cast.carol.get("/api/responses").json["responses"] == []


def test_an_account_sees_and_changes_the_response_that_it_made_itself(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    first = _respond(cast.carol, event, cast.carol.email_address, **SECRET)
    second = _respond(cast.carol, event, cast.carol.email_address, response="NO")
    assert (first.status, second.status, second.json["id"]) == (201, 200, first.json["id"])
    assert (second.json["response"], second.json["comment"]) == ("NO", "PRIVATE: in hospital")
    assert first.headers["Location"] == f"/api/responses/{first.json['id']}"
    assert [r["id"] for r in cast.carol.get("/api/responses").json["responses"]] == [first.json["id"]]


def test_verifying_the_address_links_its_response_to_the_account(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    _respond(cast.anonymous, event, cast.carol.email_address, **SECRET)
    reply = _respond(verified(db, cast.carol), event, cast.carol.email_address, response="NO")
    assert (reply.status, reply.json["response"], reply.json["comment"]) == (200, "NO", "PRIVATE: in hospital")
    assert [r["id"] for r in cast.carol.get("/api/responses").json["responses"]] == [reply.json["id"]]


def test_an_editor_responds_for_others_and_sees_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    replies = [_respond(editor, event, "gus@example.org", comment="By phone") for editor in (cast.alice, cast.bob)]
    assert [(reply.status, reply.json["comment"]) for reply in replies] == [(201, "By phone"), (200, "By phone")]


def _own_and_others(cast: Cast, db: Database) -> tuple[Person, int]:
    event = an_event(cast.alice, public=True)
    return verified(db, cast.carol), a_response(cast.carol, event, **SECRET)["id"]


def test_the_responder_shows_changes_and_deletes_their_own(cast: Cast, db: Database) -> None:
    responder, number = _own_and_others(cast, db)
    path = f"/api/responses/{number}"
    assert responder.get(path).json["comment"] == "PRIVATE: in hospital"
    assert responder.get(f"{path}/edit").json == SECRET | {"response": "YES", "number": 1, "min_party": None, "answers": []}
    changed = responder.put(path, json={"response": "MAYBE", "comment": ""})
    assert (changed.status, changed.json["response"], changed.json["comment"], changed.json["plus_n"]) == (200, "MAYBE", None, 3)
    assert responder.put(path, json={"number": 0}).broken == ["number"]
    assert responder.delete(path).json == {"deleted": [number]}
    assert responder.get(path).status == 404


def test_an_editor_corrects_and_removes_on_pages(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    _respond(cast.anonymous, event, "gus@example.org", number=9000)
    (stored,) = _stored(cast, event)
    path, back = f"/responses/{stored['id']}", f"/events/{event['id']}/responses"
    page = cast.alice.get(back).text
    assert f'href="{path}/edit"' in page
    assert f'href="{path}/delete"' in page
    assert 'value="9000"' in cast.alice.get(f"{path}/edit").text
    assert cast.alice.post(f"{path}/edit", data={"response": "YES", "number": "0", "plus_n": "0"}).status == 422
    corrected = cast.alice.post(f"{path}/edit", data={"response": "YES", "number": "2", "plus_n": "0", "name": "Gus"})
    assert corrected.redirect == (back, "saved")
    _respond(cast.anonymous, event, "gus@example.org", number=9000)
    assert [(r["number"], r["name"]) for r in _stored(cast, event)] == [(2, "Gus")]
    assert "Remove the RSVP of Gus?" in cast.alice.get(f"{path}/delete").text
    assert len(_stored(cast, event)) == 1
    assert cast.alice.post(f"{path}/delete").redirect == (back, "response-removed")
    assert _stored(cast, event) == []
