"""GET /api/responses and /api/responses.csv."""

import csv
import io

from tests.cast import Cast, a_response, an_event


def test_the_event_owner_sees_all_and_another_user_their_own(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org")
    a_response(cast.carol, event)
    path = f"/api/responses?event_id={event['id']}"
    assert [r["email_address"] for r in cast.alice.get(path).json["responses"]] == ["gus@example.org", cast.carol.email_address]
    assert [r["email_address"] for r in cast.carol.get(path).json["responses"]] == [cast.carol.email_address]
    assert cast.bob.get(path).json["responses"] == []
    assert cast.anonymous.get(path).status == 401


def test_responses_to_an_invisible_event_are_not_found(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = f"/api/responses?event_id={event['id']}"
    assert (cast.carol.get(path).status, cast.anonymous.get(path).status) == (404, 404)


def test_index_without_an_event_lists_own_responses(cast: Cast) -> None:
    events = [an_event(cast.alice, public=True) for _ in range(3)]
    for event in events[:2]:
        a_response(cast.carol, event)
    a_response(cast.bob, events[2])
    reply = cast.carol.get("/api/responses?limit=1&count=true").json
    assert (reply["total"], [r["event_id"] for r in reply["responses"]]) == (2, [events[0]["id"]])
    assert [r["event_id"] for r in cast.carol.get(reply["next"]).json["responses"]] == [events[1]["id"]]


def test_the_export_is_a_table_whose_cells_no_spreadsheet_runs(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", name="=cmd()", comment="two\nlines, “quoted”")
    reply = cast.alice.get(f"/api/responses.csv?event_id={event['id']}")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    (row,) = csv.DictReader(io.StringIO(reply.text))
    assert (row["email_address"], row["name"], row["comment"]) == ("gus@example.org", "'=cmd()", "two\nlines, “quoted”")


def test_the_export_says_who_waits(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, capacity=1, waiting_list="auto")
    for name in ("ann", "ben"):
        a_response(cast.alice, event, email_address=f"{name}@example.org")
    rows = csv.DictReader(io.StringIO(cast.alice.get(f"/api/responses.csv?event_id={event['id']}").text))
    assert [(row["response"], row["place"]) for row in rows] == [("YES", "held"), ("YES", "waiting")]


def test_new_returns_the_users_defaults_and_saves_nothing(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    blank = cast.carol.get(f"/api/responses/new?event_id={event['id']}").json
    assert (blank["email_address"], blank["number"], blank["plus_n"], blank["response"]) == (cast.carol.email_address, 1, 0, None)
    assert cast.anonymous.get("/api/responses/new").json["email_address"] is None
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 0


def test_the_list_has_fewer_fields_than_a_response_alone_and_more_if_they_are_named(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, capacity=3)
    response = a_response(cast.carol, event)
    path = f"/api/responses?event_id={event['id']}"
    whole = cast.alice.get(f"/api/responses/{response['id']}").json
    [listed] = cast.alice.get(path).json["responses"]
    assert whole == listed | {"answers": [], "missing": []}
    assert not {"answers", "missing"} & set(listed)
    [named] = cast.alice.get(f"{path}&fields=name,answers").json["responses"]
    assert named == {"id": response["id"], "name": "Carol", "answers": []}
    unknown = cast.alice.get(f"{path}&fields=password")
    assert (unknown.status, unknown.broken) == (422, ["fields"])


def test_new_has_every_field_of_a_response(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    blank = cast.carol.get(f"/api/responses/new?event_id={event['id']}").json
    created = cast.carol.post("/api/responses", json=blank | {"response": "YES"}, headers={"Prefer": "handling=strict"})
    assert (created.status, set(blank) - set(created.json)) == (201, set())
    assert (blank["min_party"], blank["answers"]) == (None, [])
