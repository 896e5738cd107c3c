"""Questions of events and calendars: adding, changing, deleting, copying and undoing them."""

from typing import Any

import pytest

from kalends.app.worker import extend_series
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, a_question, a_reminder, an_event
from tests.questions.asking import MENU, a_menu, questions_of, undo


def test_a_question_is_listed_with_its_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    assert questions_of(cast.anonymous, event) == event["questions"] == []
    question = a_menu(cast.alice, event, required=True)
    assert question == {
        "id": question["id"],
        "event_id": event["id"],
        "calendar_id": None,
        "label": "Which menu?",
        "kind": "one",
        "required": True,
        "per": "party",
        "options": [{"label": "Soup", "limit": 2, "left": 2}, {"label": "Salad", "limit": None, "left": None}],
        "ask_if": None,
        "keep_days": 30,
    }
    assert questions_of(cast.anonymous, event) == [question]
    assert cast.anonymous.get(f"/api/events/{event['id']}/questions?count=true").json == {
        "questions": [question],
        "limit": 50,
        "offset": 0,
        "next": None,
        "total": 1,
    }


def test_questions_and_reminders_come_in_pages(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    for path in (f"/api/events/{event['id']}", f"/api/calendars/{calendar['id']}"):
        for kind, add in (("questions", a_question), ("reminders", a_reminder)):
            added = [add(cast.alice, path), add(cast.alice, path)]
            first = cast.alice.get(f"{path}/{kind}?limit=1&count=true").json
            whole = cast.alice.get(f"{path}/{kind}").json
            assert (len(first[kind]), first["total"]) == (1, len(whole[kind]))
            assert {each["id"] for each in added} <= {each["id"] for each in whole[kind]}
            assert first[kind] + cast.alice.get(first["next"]).json[kind] == whole[kind][:2]


def test_options_may_be_labels_alone(cast: Cast) -> None:
    event = an_event(cast.alice)
    assert [option["label"] for option in a_menu(cast.alice, event, options=["Red", "White"])["options"]] == ["Red", "White"]
    form = cast.alice.post(f"/api/events/{event['id']}/questions", data={"label": "Colour?", "kind": "many", "options[]": "Red"})
    assert (form.status, [option["label"] for option in form.json["options"]]) == (201, ["Red"])


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"label": ""}, ["label"]),
        ({"kind": "photo"}, ["kind"]),
        ({"options": []}, ["options"]),
        ({"kind": "text"}, ["options"]),
        ({"options": ["Soup", "Soup"]}, ["options[1].label"]),
        ({"options": ["Soup", {"label": "Salad", "limit": -1}, 7]}, ["options[1].limit", "options[2]"]),
        ({"ask_if": {"question_id": 9_999_999, "answer": "Soup"}}, ["ask_if[question_id]"]),
        ({"ask_if": {"answer": "Soup"}}, ["ask_if[question_id]"]),
        ({"keep_days": 4_000, "per": "table"}, ["per", "keep_days"]),
    ],
)
def test_what_makes_no_question_names_its_field(cast: Cast, fields: dict[str, Any], broken: list[str]) -> None:
    event = an_event(cast.alice)
    reply = cast.alice.post(f"/api/events/{event['id']}/questions", json=MENU | fields)
    assert (reply.status, reply.broken) == (422, broken)


def test_a_condition_is_an_option_of_an_earlier_question(cast: Cast) -> None:
    event = an_event(cast.alice)
    menu = a_menu(cast.alice, event)
    wrong = {"label": "Croutons?", "kind": "yes_no", "ask_if": {"question_id": menu["id"], "answer": "Steak"}}
    assert cast.alice.post(f"/api/events/{event['id']}/questions", json=wrong).broken == ["ask_if[answer]"]
    croutons = a_question(cast.alice, f"/api/events/{event['id']}", kind="yes_no", ask_if={"question_id": menu["id"], "answer": "Salad"})
    path = f"/api/events/{event['id']}/questions/{menu['id']}"
    assert cast.alice.put(path, json={"options": ["Soup"]}).status == 409
    assert cast.alice.put(path, json={"ask_if": {"question_id": croutons["id"], "answer": "yes"}}).broken == ["ask_if[question_id]"]
    assert cast.alice.delete(path).status == 409
    assert cast.alice.put(f"/api/events/{event['id']}/questions/{croutons['id']}", json={"ask_if": None}).json["ask_if"] is None
    assert cast.alice.delete(path).json == {"deleted": [menu["id"]]}


def test_a_calendars_questions_come_before_those_of_its_events(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/calendars/{calendar['id']}/questions"
    shared = cast.alice.post(path, json={"label": "Vegan?", "kind": "yes_no"})
    assert shared.status == 201
    event = an_event(cast.alice, calendar_id=calendar["id"])
    assert event["questions"] == [shared.json]
    own = a_menu(cast.alice, event)
    assert questions_of(cast.anonymous, event) == [shared.json, own]
    assert cast.anonymous.get(path).json["questions"] == [shared.json]
    through_the_event = f"/api/events/{event['id']}/questions/{shared.json['id']}"
    assert cast.alice.put(through_the_event, json={"label": "Vegetarian?"}).status == 404
    assert cast.alice.put(f"{path}/{shared.json['id']}", json={"label": "Vegetarian?"}).json["label"] == "Vegetarian?"
    assert cast.alice.delete(f"{path}/{shared.json['id']}").status == 200
    assert questions_of(cast.anonymous, event) == [own]


def test_a_copy_takes_the_questions_over(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    menu = a_menu(cast.alice, event)
    a_question(cast.alice, f"/api/events/{event['id']}", ask_if={"question_id": menu["id"], "answer": "Soup"})
    copy = cast.bob.put(f"/api/events/{event['id']}/copy", json={}).json
    first, second = copy["questions"]
    assert (first["label"], first["id"] != menu["id"], first["event_id"]) == ("Which menu?", True, copy["id"])
    assert second["ask_if"] == {"question_id": first["id"], "answer": "Soup"}


def test_the_dates_of_a_series_have_the_questions(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    a_menu(cast.alice, event)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "MONTHLY"})

    def dates() -> list[dict[str, Any]]:
        series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
        listed: list[dict[str, Any]] = cast.alice.get(f"/api/events?series_id={series_id}&limit=500").json["events"]
        return listed

    created = dates()
    assert len(created) > 20
    assert all(len(questions_of(cast.alice, date)) == 1 for date in (created[1], created[-1]))
    with db.write() as tx:
        tx.run("DELETE FROM events WHERE id = :id", id=created[-1]["id"])
        tx.run("UPDATE series SET made_until = '2028-01-01' WHERE id = :id", id=created[0]["series_id"])
    extend_series(Context(db, settings, timestamps.now()))
    extended = dates()[-1]
    assert extended["id"] > created[-1]["id"]
    assert questions_of(cast.alice, extended)[0]["label"] == "Which menu?"


def test_the_scope_of_a_change_reaches_other_dates(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    first, second, third = cast.alice.get(f"/api/events?series_id={series_id}").json["events"]
    question = a_menu(cast.alice, second, scope="following")
    assert [len(questions_of(cast.alice, date)) for date in (first, second, third)] == [0, 1, 1]
    path = f"/api/events/{second['id']}/questions/{question['id']}"
    assert cast.alice.put(path, json={"label": "Menu?"}).status == 200
    assert questions_of(cast.alice, third)[0]["label"] == "Which menu?"
    assert cast.alice.put(path, json={"label": "Meal?", "scope": "all"}).status == 200
    assert questions_of(cast.alice, third)[0]["label"] == "Meal?"
    assert len(cast.alice.delete(path, json={"scope": "all"}).json["deleted"]) == 2
    assert [len(questions_of(cast.alice, date)) for date in (first, second, third)] == [0, 0, 0]


def test_undo_and_the_trash_restore_questions(cast: Cast) -> None:
    event = an_event(cast.alice)
    menu = a_menu(cast.alice, event, required=True)
    second = a_question(cast.alice, f"/api/events/{event['id']}", ask_if={"question_id": menu["id"], "answer": "Soup"})
    cast.alice.delete(f"/api/events/{event['id']}/questions/{second['id']}")
    undo(cast.alice, event)
    assert questions_of(cast.alice, event) == [menu, second]
    cast.alice.put(f"/api/events/{event['id']}/questions/{second['id']}", json={"label": "Anything else?"})
    undo(cast.alice, event)
    assert questions_of(cast.alice, event) == [menu, second]
    cast.alice.delete(f"/api/events/{event['id']}")
    assert cast.alice.post(f"/api/changes/{cast.alice.get('/api/trash').json['trash'][0]['seq']}/undo").status == 200
    assert questions_of(cast.alice, event) == [menu, second]
