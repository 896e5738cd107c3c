"""Questions on pages: organisers write them, guests answer them in a second step, and organisers read the answers."""

import re
from typing import Any

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_question, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.questions.asking import a_menu, questions_of
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import a_proposal_token, token_of

GUS = {"email_address": "gus@example.org", "response": "YES", "name": "Gus", "number": "2", "plus_n": "0"}


def _event(cast: Cast) -> dict[str, Any]:
    return an_event(cast.alice, public=True, start_time="2099-06-01T20:00")


def _answers(cast: Cast, event: dict[str, Any]) -> list[Any]:
    responses = cast.alice.get(f"/api/responses?event_id={event['id']}&fields=email_address,answers").json["responses"]
    return [[each["answer"] for each in response["answers"]] for response in responses]


def _hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page))


def _respond(guest: Client | GuestBrowser, event: dict[str, Any], **fields: str) -> Any:
    path = f"/events/{event['id']}/respond"
    return guest.post(path, **GUS | fields) if isinstance(guest, GuestBrowser) else guest.post(path, data=GUS | fields)


def test_a_guest_answers_in_a_second_step(cast: Cast) -> None:
    event = _event(cast)
    menu = a_menu(cast.alice, event, per="person", required=True)
    spices = {"kind": "many", "options": ["Salt", "Pepper"], "ask_if": {"question_id": menu["id"], "answer": "Soup"}}
    salt = a_question(cast.alice, f"/api/events/{event['id']}", label="Salt?", **spices)
    assert "there are 2 questions next" in cast.anonymous.get(f"/events/{event['id']}").text
    step = _respond(cast.anonymous, event)
    assert (step.status, "person 2" in step.text.lower(), "Only if the answer to “Which menu?” is “Soup”" in step.text) == (200, True, True)
    assert _answers(cast, event) == []
    path, carried = f"/events/{event['id']}/respond/questions", _hidden(step.text)
    assert {name: carried[name] for name in GUS} == GUS
    missing = cast.anonymous.post(path, data=carried | {f"q{menu['id']}p0": "Soup"})
    assert (missing.status, f'href="#q{menu["id"]}p1"' in missing.text, "Which menu? (Person 2)" in missing.text) == (422, True, True)
    typed = {f"q{menu['id']}p0": "Salad", f"q{menu['id']}p1": "Salad", f"q{salt['id']}[]": "Salt"}
    gus = GuestBrowser(cast.anonymous)
    assert gus.post(path, **carried, **typed).status == 303
    # What is not asked is left out.
    assert _answers(cast, event) == [["Salad", "Salad"]]
    assert _respond(gus, event, response="NO").status == 303
    assert _answers(cast, event) == [[]]


def test_an_optional_question_is_asked_after_the_response_is_saved(cast: Cast, db: Database) -> None:
    event = _event(cast)
    menu = a_menu(cast.alice, event)
    gus, path = GuestBrowser(cast.anonymous), f"/events/{event['id']}/respond/questions"
    step = _respond(gus, event)
    assert (step.status, "Your RSVP is saved" in step.text, "Which menu?" in step.text) == (200, True, True)
    assert _answers(cast, event) == [[]]
    assert "You’re going" in gus.get(f"/events/{event['id']}").text
    carried = _hidden(step.text)
    assert gus.post(path, **carried, **{f"q{menu['id']}": "Soup"}).status == 303
    assert _answers(cast, event) == [["Soup"]]
    # Who changes the response, and does not answer again, keeps the answer.
    assert "Your RSVP is saved" in _respond(gus, event, number="3").text
    assert gus.post(path, **carried | {"number": "3"}).status == 303
    assert _answers(cast, event) == [["Soup"]]
    assert _respond(gus, event, response="MAYBE").status == 303
    assert _answers(cast, event) == [[]]
    bob = verified(db, cast.bob)
    assert "Your RSVP is saved" in _respond(bob, event, email_address="").text
    assert bob.post(path, data={"response": "YES", f"q{menu['id']}": "Salad"}).status == 303
    assert sorted(_answers(cast, event)) == [[], ["Salad"]]


def test_a_kept_answer_is_dropped_if_its_option_was_taken_meanwhile(cast: Cast, settings: Settings, clock: Clock) -> None:
    event = _event(cast)
    menu = a_menu(cast.alice, event, options=[{"label": "Soup", "limit": 1}, "Salad"])
    gus, path = GuestBrowser(cast.anonymous), f"/events/{event['id']}/respond/questions"
    step = _respond(gus, event)
    assert gus.post(path, **_hidden(step.text), **{f"q{menu['id']}": "Soup"}).status == 303
    clock.ahead(2 * 3600)
    a_response(cast.alice, event, email_address="ida@example.org", answers=[{"question_id": menu["id"], "answer": "Soup"}])
    assert _respond(gus, event).status == 200
    left = cast.alice.get(f"/api/events/{event['id']}/questions").json["questions"][0]["options"][0]["left"]
    assert (left, _respond(cast.anonymous, event).text.count("Your RSVP is saved")) == (0, 1)


def test_a_full_option_is_named_on_the_page(cast: Cast) -> None:
    event = _event(cast)
    menu = a_menu(cast.alice, event, options=[{"label": "Soup", "limit": 1}, "Salad"])
    a_response(cast.alice, event, email_address="ida@example.org", answers=[{"question_id": menu["id"], "answer": "Soup"}])
    assert re.search(r'value="Soup" disabled', _respond(cast.anonymous, event).text)
    full = cast.anonymous.post(f"/events/{event['id']}/respond/questions", data=GUS | {f"q{menu['id']}": "Soup"})
    assert (full.status, f'href="#q{menu["id"]}"' in full.text, "is full" in full.text) == (409, True, True)


def test_an_organiser_writes_questions(cast: Cast) -> None:
    event = _event(cast)
    path = f"/events/{event['id']}/questions"
    fields = {"label": "Which menu?", "kind": "one", "options": "Soup | 2\nSalad\n", "required": "true", "per": "party", "keep_days": "7"}
    assert cast.alice.post(path, data=fields).status == 303
    (menu,) = questions_of(cast.alice, event)
    assert [(option["label"], option["limit"]) for option in menu["options"]] == [("Soup", 2), ("Salad", None)]
    assert (menu["required"], menu["keep_days"]) == (True, 7)
    assert cast.alice.post(path, data=fields | {"options": "Soup | many"}).status == 422
    assert cast.alice.post(path, data=fields | {"label": "Bread?", "kind": "yes_no", "ask_if": f"{menu['id']}:Soup"}).status == 303
    bread = questions_of(cast.alice, event)[1]
    assert bread["ask_if"] == {"question_id": menu["id"], "answer": "Soup"}
    form = cast.alice.get(f"{path}/{menu['id']}/edit").text
    assert "Soup | 2\nSalad" in form
    assert cast.alice.post(f"{path}/{menu['id']}/delete", data={}).status == 409
    assert cast.alice.post(f"{path}/{bread['id']}/edit", data=fields | {"label": "Rolls?", "kind": "text"}).status == 303
    assert cast.alice.post(f"{path}/{menu['id']}/delete", data={}).status == 303
    assert [question["label"] for question in questions_of(cast.alice, event)] == ["Rolls?"]


def test_an_organiser_reads_answers_with_their_counts(cast: Cast) -> None:
    event = _event(cast)
    menu = a_menu(cast.alice, event)
    for i, answer in enumerate(("Soup", "Salad", "Soup")):
        a_response(cast.alice, event, email_address=f"g{i}@example.org", answers=[{"question_id": menu["id"], "answer": answer}])
    page = cast.alice.get(f"/events/{event['id']}/responses").text
    assert re.findall(r"<bdi>(Soup|Salad)</bdi> <strong>(\d)</strong>", page) == [("Soup", "2"), ("Salad", "1")]
    assert len(re.findall(r"<dd[^>]*>Soup</dd>", page)) == 2
    assert "Soup" not in cast.anonymous.get(f"/events/{event['id']}").text


def test_a_responder_answers_a_new_question(cast: Cast, db: Database) -> None:
    event, bob = _event(cast), verified(db, cast.bob)
    response = a_response(bob, event)
    menu = a_menu(cast.alice, event, required=True)
    assert "Not answered yet" in cast.alice.get(f"/events/{event['id']}/responses").text
    path = f"/responses/{response['id']}/questions"
    assert f'href="{path}"' in bob.get(f"/responses/{response['id']}/edit").text
    assert bob.post(path, data={}).status == 422
    assert bob.post(path, data={f"q{menu['id']}": "Soup"}).status == 303
    assert re.search(r'value="Soup" checked', bob.get(path).text)
    assert "Not answered yet" not in cast.alice.get(f"/events/{event['id']}/responses").text


def _token(cast: Cast, db: Database, settings: Settings, event: dict[str, Any]) -> str:
    (response,) = cast.alice.get(f"/api/responses?event_id={event['id']}&fields=number,answers,missing").json["responses"]
    return token_of(db, settings, response["id"])


def test_the_personal_link_asks_new_questions(cast: Cast, db: Database, settings: Settings) -> None:
    event = _event(cast)
    a_response(cast.anonymous, event, email_address="gus@example.org")
    menu = a_menu(cast.alice, event, required=True)
    path = f"/r/{_token(cast, db, settings, event)}"
    assert "Answer the questions" in cast.anonymous.get(path).text
    assert cast.anonymous.post(f"{path}/questions", data={}).status == 422
    assert cast.anonymous.post(f"{path}/questions", data={f"q{menu['id']}": "Soup"}).status == 303
    assert _answers(cast, event) == [["Soup"]]
    assert "Change my answers" in cast.anonymous.get(path).text
    assert cast.anonymous.post(path, data={"response": "MAYBE", "number": "1", "plus_n": "0"}).status == 303
    again = cast.anonymous.post(path, data={"response": "YES", "number": "2", "plus_n": "0", "name": "Gus"})
    assert (again.status, _answers(cast, event)) == (303, [[]])
    assert "the organiser has a question for you" in cast.anonymous.get(path).text
    typed = _hidden(again.text) | {f"q{menu['id']}": "Salad"}
    assert cast.anonymous.post(f"{path}/questions", data=typed).status == 303
    assert _answers(cast, event) == [["Salad"]]


def test_an_event_without_questions_counts_none(cast: Cast) -> None:
    event = an_event(cast.alice, title="Gig", public=True)
    page = cast.alice.get(f"/responses/{a_response(cast.alice, event)['id']}/questions").text
    assert "<h1>Questions about Gig</h1>" in page
    assert "Almost done" not in page


def test_whoever_is_forgotten_leaves_no_answers(cast: Cast, db: Database, settings: Settings) -> None:
    event = _event(cast)
    note = a_question(cast.alice, f"/api/events/{event['id']}", kind="text")
    for answer in ("peanuts-3", "lactose-3"):
        a_response(cast.anonymous, event, email_address="gus@example.org", answers=[{"question_id": note["id"], "answer": answer}])
    path = f"/r/{_token(cast, db, settings, event)}"
    with db.read() as tx:
        assert len(tx.rows("SELECT 1 FROM changes WHERE before LIKE '%peanuts-3%'")) == 1
    assert cast.anonymous.post(f"{path}/forget", data={}).status == 200
    with db.read() as tx:
        assert tx.rows("SELECT 1 FROM question_answers WHERE event_id = :id", id=event["id"]) == []
        assert tx.rows("SELECT 1 FROM changes WHERE before LIKE '%peanuts-3%' OR before LIKE '%lactose-3%'") == []


def test_a_proposal_carries_its_answers(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event, bob = _event(cast), verified(db, cast.bob)
    menu = a_menu(cast.alice, event, required=True)
    sent = {"email_address": bob.email_address, "answers": [{"question_id": menu["id"], "answer": "Soup"}]}
    a_response(bob, event, **sent)
    a_response(cast.anonymous, event, **sent | {"answers": [{"question_id": menu["id"], "answer": "Salad"}]})
    assert _answers(cast, event) == [["Soup"]]
    assert cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, clock())}", data={}).status == 303
    assert _answers(cast, event) == [["Salad"]]
