"""Answers to questions: what is accepted, what is required, who reads them, and when they are erased."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, a_calendar, a_question, a_response, an_event, verified
from tests.client import Client, Reply
from tests.questions.asking import MENU, a_menu, undo

GUS = {"email_address": "gus@example.org", "response": "YES"}
JUNE_2 = 1_780_358_400


def respond(guest: Client, event: dict[str, Any], *answers: tuple[Any, ...], **fields: Any) -> Reply:
    """Respond with answers: each a question, the answer and perhaps the person."""
    sent = [dict(zip(("question_id", "answer", "person"), (each[0]["id"], *each[1:]), strict=False)) for each in answers]
    return guest.post("/api/responses", json=GUS | {"event_id": event["id"]} | ({"answers": sent} if sent else {}) | fields)


def stored(cast: Cast, event: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = cast.alice.get(
        f"/api/responses?event_id={event['id']}&fields=response,number,plus_n,email_address,place,answers,missing"
    ).json["responses"]
    return listed


def path(event: dict[str, Any]) -> str:
    return f"/api/events/{event['id']}"


def test_answers_are_stored_as_they_were_asked(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu, vegan = a_menu(cast.alice, event), a_question(cast.alice, path(event))
    drinks = a_question(cast.alice, path(event), kind="many", label="Drinks?", options=["Tea", "Beer", "Wine"])
    age, note = (a_question(cast.alice, path(event), kind=kind, label=kind) for kind in ("number", "long"))
    sent = [(menu, "Soup"), (vegan, True), (drinks, ["Tea", "Wine"]), (age, 41.5), (note, "Two\nlines")]
    echo = respond(cast.anonymous, event, *sent)
    assert echo.status == 201, echo
    (response,) = stored(cast, event)
    assert response["answers"] == echo.json["answers"]
    assert [(each["label"], each["answer"], each["person"]) for each in response["answers"]] == [
        ("Which menu?", "Soup", None),
        ("Vegan?", True, None),
        ("Drinks?", ["Tea", "Wine"], None),
        ("number", 41.5, None),
        ("long", "Two\nlines", None),
    ]
    cast.alice.put(f"{path(event)}/questions/{menu['id']}", json={"label": "Meal?", "options": ["Stew"]})
    assert stored(cast, event)[0]["answers"][0] == {"question_id": menu["id"], "label": "Which menu?", "person": None, "answer": "Soup"}


@pytest.mark.parametrize(
    ("kind", "answer", "field"),
    [
        ("text", "two\nlines", "answers[0].answer"),
        ("text", "a" * 501, "answers[0].answer"),
        ("text", {"a": 1}, "answers[0].answer"),
        ("text", "", "answers[0].answer"),
        ("one", "Steak", "answers[0].answer"),
        ("one", ["Tea", "Beer"], "answers[0].answer"),
        ("many", ["Tea", "Tea"], "answers[0].answer"),
        ("many", [], "answers[0].answer"),
        ("yes_no", "perhaps", "answers[0].answer"),
        ("number", "NaN", "answers[0].answer"),
        ("number", "1_000", "answers[0].answer"),
    ],
)
@pytest.mark.on_one_database
def test_a_wrong_answer_names_its_field(cast: Cast, kind: str, answer: Any, field: str) -> None:
    event = an_event(cast.alice, public=True)
    question = a_question(cast.alice, path(event), kind=kind, options=["Tea", "Beer"] if kind in ("one", "many") else [])
    reply = respond(cast.anonymous, event, (question, answer))
    assert (reply.status, reply.broken) == (422, [field])
    assert stored(cast, event) == []


def test_answers_that_belong_nowhere_are_refused(cast: Cast) -> None:
    event, other = an_event(cast.alice, public=True), an_event(cast.alice, public=True)
    question, foreign = a_question(cast.alice, path(event)), a_question(cast.alice, path(other))
    seats = a_question(cast.alice, path(event), label="Chair?", per="person")
    assert respond(cast.anonymous, event, (foreign, True)).broken == ["answers[0].question_id"]
    assert respond(cast.anonymous, event, (question, True), (question, False)).broken == ["answers[1].question_id"]
    assert respond(cast.anonymous, event, (question, True, 0)).broken == ["answers[0].person"]
    assert respond(cast.anonymous, event, (seats, True)).broken == ["answers[0].person"]
    assert respond(cast.anonymous, event, (seats, True, 2), number=2).broken == ["answers[0].person"]
    assert respond(cast.anonymous, event, (question, True), response="NO").broken == ["answers"]
    assert cast.anonymous.post("/api/responses", json=GUS | {"event_id": event["id"], "answers": [{"person": "x"}, 7]}).broken == [
        "answers[0].question_id",
        "answers[0].answer",
        "answers[0].person",
        "answers[1]",
    ]
    assert respond(cast.anonymous, event).status == 201


def test_a_required_question_must_be_answered_with_yes_only(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, required=True)
    refused = respond(cast.anonymous, event)
    assert (refused.status, refused.broken) == (422, ["answers"])
    assert "Which menu?" in refused.json["errors"][0]["message"]
    comment = {"event_id": event["id"], "comment": "Hello", "email_address": "gus@example.org", "response": "YES"}
    assert cast.anonymous.post("/api/comments", json=comment).broken == ["answers"]
    assert respond(cast.anonymous, event, response="MAYBE").status == 201
    # Known or not, an address that sends no answers is refused.
    assert respond(cast.anonymous, event).broken == ["answers"]
    assert respond(cast.anonymous, event, (menu, "Salad")).status == 201
    assert respond(cast.anonymous, event).broken == ["answers"]
    assert respond(cast.anonymous, event, response="NO").status == 201
    assert stored(cast, event)[0]["answers"] == []


def test_each_person_answers(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, required=True, per="person")
    refused = respond(cast.anonymous, event, (menu, "Soup", 0), number=2, plus_n=1)
    assert [error["message"].rpartition(" for ")[2] for error in refused.json["errors"]] == ["person 1", "person 2"]
    answers = [(menu, "Soup", 0), (menu, "Salad", 1), (menu, "Soup", 2)]
    assert respond(cast.anonymous, event, *answers, number=2, plus_n=1).status == 201
    assert [each["person"] for each in stored(cast, event)[0]["answers"]] == [0, 1, 2]
    assert len(respond(cast.anonymous, event, number=9_000).json["errors"]) == 50


def test_a_question_is_asked_only_on_its_condition(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, per="person")
    croutons = a_question(
        cast.alice, path(event), label="Croutons?", required=True, per="person", ask_if={"question_id": menu["id"], "answer": "Soup"}
    )
    many = a_question(cast.alice, path(event), label="Sure?", required=True, ask_if={"question_id": croutons["id"], "answer": "yes"})
    assert respond(cast.anonymous, event, (menu, "Salad", 0)).status == 201
    assert respond(cast.anonymous, event, (menu, "Soup", 0)).broken == ["answers"]
    assert respond(cast.anonymous, event, (menu, "Salad", 0), (croutons, True, 0)).broken == ["answers[1].question_id"]
    assert respond(cast.anonymous, event, (menu, "Soup", 0), (croutons, False, 0)).status == 201
    assert respond(cast.anonymous, event, (menu, "Soup", 1), (croutons, True, 1), number=2).broken == ["answers"]
    assert respond(cast.anonymous, event, (menu, "Soup", 1), (croutons, True, 1), (many, True), number=2).status == 201


def test_a_new_required_question_is_missing_and_voids_nothing(cast: Cast, db: Database) -> None:
    event = an_event(verified(db, cast.alice), public=True, start_time="2099-06-01T20:00")
    response = a_response(cast.alice, event, email_address="gus@example.org")
    assert response["missing"] == []
    menu = a_menu(cast.alice, event, required=True)
    assert stored(cast, event)[0]["missing"] == [menu["id"]]
    changed = cast.alice.put(f"/api/responses/{response['id']}", json={"comment": "Late"})
    assert (changed.status, changed.json["missing"]) == (200, [menu["id"]])
    answered = cast.alice.put(f"/api/responses/{response['id']}", json={"answers": [{"question_id": menu["id"], "answer": "Salad"}]})
    assert (answered.json["missing"], answered.json["answers"][0]["answer"]) == ([], "Salad")
    assert cast.alice.put(f"/api/responses/{response['id']}", json={"number": 2}).json["answers"] == answered.json["answers"]
    assert cast.alice.put(f"/api/responses/{response['id']}", json={"response": "NO"}).json["answers"] == []
    assert cast.alice.put(f"/api/responses/{response['id']}", json={"response": "YES"}).json["missing"] == [menu["id"]]


def test_an_editor_need_not_know_the_answers_of_others(cast: Cast, db: Database) -> None:
    event = an_event(verified(db, cast.alice), public=True, start_time="2099-06-01T20:00")
    menu = a_menu(cast.alice, event, required=True)
    assert respond(cast.alice, event).json["missing"] == [menu["id"]]
    assert respond(cast.alice, event, email_address=cast.alice.email_address).broken == ["answers"]


def test_an_option_is_chosen_as_often_as_it_may_be(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event)
    assert respond(cast.anonymous, event, (menu, "Soup")).status == 201
    assert respond(cast.anonymous, event, (menu, "Soup"), email_address="ida@example.org").status == 201
    assert cast.anonymous.get(path(event)).json["questions"][0]["options"][0]["left"] == 0
    full = respond(cast.anonymous, event, (menu, "Soup"), email_address="joe@example.org")
    assert (full.status, full.json["type"].rpartition("/")[2].rpartition("#")[2]) == (409, "option-full")
    assert "Soup" in full.json["detail"]
    assert full.broken == ["answers[0].answer"]
    # Without proof, the reply does not tell that this address has a soup already.
    assert respond(cast.anonymous, event, (menu, "Soup")).status == 409
    gus = next(each for each in stored(cast, event) if each["email_address"] == "gus@example.org")
    assert cast.alice.put(f"/api/responses/{gus['id']}", json={"answers": [{"question_id": menu["id"], "answer": "Soup"}]}).status == 200
    assert cast.alice.put(f"/api/responses/{gus['id']}", json={"response": "MAYBE"}).status == 200
    assert respond(cast.anonymous, event, (menu, "Soup"), email_address="joe@example.org").status == 201


def test_concurrent_guests_do_not_exceed_the_limit(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, per="person", options=[{"label": "Soup", "limit": 7}])

    def guest(i: int) -> int:
        pair = [(menu, "Soup", 0), (menu, "Soup", 1)]
        return respond(cast.anonymous, event, *pair, plus_n=1, email_address=f"g{i}@example.org").status

    with ThreadPoolExecutor(6) as threads:
        assert sorted(threads.map(guest, range(12))) == [201] * 3 + [409] * 9


def test_only_editors_and_the_guest_read_answers(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event)
    bob = verified(db, cast.bob)
    sent = {"event_id": event["id"], "response": "YES", "answers": [{"question_id": menu["id"], "answer": "Soup"}]}
    response = bob.post("/api/responses", json=sent)
    assert response.json["answers"][0]["answer"] == "Soup"
    assert bob.get(f"/api/responses/{response.json['id']}").json["answers"][0]["answer"] == "Soup"
    assert cast.carol.get(f"/api/responses/{response.json['id']}").status == 404
    assert cast.carol.get(f"/api/responses?event_id={event['id']}").json["responses"] == []
    echo = respond(cast.anonymous, event, (menu, "Salad"), email_address=bob.email_address)
    assert (echo.status, [each["answer"] for each in echo.json["answers"]]) == (201, ["Salad"])
    assert [each["answer"] for each in stored(cast, event)[0]["answers"]] == ["Soup"]
    assert {each["kind"] for each in cast.alice.get(f"{path(event)}/changes").json["changes"]} == {"event", "question", "response"}


def test_the_table_has_a_column_for_each_question(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, per="person")
    drinks = a_question(cast.alice, path(event), kind="many", label="name", options=["Tea", "=Beer"])
    a_question(cast.alice, path(event), label="=HYPERLINK()")
    respond(cast.anonymous, event, (menu, "Salad", 1), (menu, "Soup", 0), (drinks, ["=Beer", "Tea"]), number=2)
    respond(cast.anonymous, event, response="NO", email_address="ida@example.org")
    table = cast.alice.get(f"/api/responses.csv?event_id={event['id']}")
    gus, ida = csv.DictReader(io.StringIO(table.text))
    assert "'=HYPERLINK()" in gus
    assert (gus["Which menu?"], gus[f"name ({drinks['id']})"]) == ("Soup | Salad", "'=Beer, Tea")
    assert (ida["Which menu?"], ida["response"]) == ("", "NO")


def test_a_question_of_a_calendar_is_counted_for_each_event(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    menu = a_question(cast.alice, f"/api/calendars/{calendar['id']}", **MENU)
    first, second = (an_event(cast.alice, calendar_id=calendar["id"]) for _ in range(2))
    for address in ("a@example.org", "b@example.org"):
        assert respond(cast.anonymous, first, (menu, "Soup"), email_address=address).status == 201
    assert respond(cast.anonymous, first, (menu, "Soup"), email_address="c@example.org").status == 409
    assert respond(cast.anonymous, second, (menu, "Soup"), email_address="c@example.org").status == 201


def test_undo_restores_answers(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event)
    respond(cast.anonymous, event, (menu, "Soup"))
    (before,) = stored(cast, event)
    cast.alice.delete(f"/api/responses/{before['id']}")
    undo(cast.alice, event)
    assert stored(cast, event)[0]["answers"] == before["answers"]
    cast.alice.delete(f"{path(event)}/questions/{menu['id']}")
    assert stored(cast, event)[0]["answers"] == []
    undo(cast.alice, event)
    assert stored(cast, event)[0]["answers"] == before["answers"]


def test_undo_leaves_out_an_option_that_others_took(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event, options=[{"label": "Soup", "limit": 1}])
    respond(cast.anonymous, event, (menu, "Soup"))
    cast.alice.delete(f"/api/responses/{stored(cast, event)[0]['id']}")
    assert respond(cast.anonymous, event, (menu, "Soup"), email_address="ida@example.org").status == 201
    deleted = [each["seq"] for each in cast.alice.get(f"{path(event)}/changes").json["changes"] if each["op"] == "delete"]
    assert cast.alice.post(f"/api/changes/{deleted[0]}/undo").status == 200
    assert {each["email_address"]: len(each["answers"]) for each in stored(cast, event)} == {"gus@example.org": 0, "ida@example.org": 1}


def _traces(db: Database, word: str) -> list[Any]:
    with db.read() as tx:
        return [
            *tx.rows("SELECT answer FROM question_answers WHERE answer = :word", word=word),
            *tx.rows("SELECT before FROM changes WHERE before LIKE :word", word=f"%{word}%"),
        ]


def test_the_worker_erases_answers_after_the_event(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    short, long = (a_question(cast.alice, path(event), kind="text", keep_days=days) for days in (2, 30))
    respond(cast.anonymous, event, (short, "peanuts-1"), (long, "wheelchair-1"))
    cast.alice.put(path(event), json={"start_time": "2026-06-02T20:00"})
    for days, left in ((1, 1), (3, 0)):
        clean_up(Context(db, settings, JUNE_2 + days * 86_400))
        assert len(_traces(db, "peanuts-1")) == left
    cast.alice.put(f"{path(event)}/questions/{long['id']}", json={"keep_days": 1})
    clean_up(Context(db, settings, JUNE_2 + 3 * 86_400))
    assert _traces(db, "wheelchair-1") == []
    assert [each["response"] for each in stored(cast, event)] == ["YES"]


def test_a_deleted_account_leaves_no_answers(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    question = a_question(cast.alice, path(event), kind="text")
    bob = verified(db, cast.bob)
    for answer in ("peanuts-2", "lactose-2"):
        sent = {"event_id": event["id"], "response": "YES", "answers": [{"question_id": question["id"], "answer": answer}]}
        assert bob.post("/api/responses", json=sent).status in (200, 201)
    assert len(_traces(db, "lactose-2")) == len(_traces(db, "peanuts-2")) == 1
    assert bob.delete(f"/api/users/{bob.id}", json={"current_password": PASSWORD}).status == 200
    assert _traces(db, "lactose-2") == _traces(db, "peanuts-2") == []
