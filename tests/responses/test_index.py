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


def test_an_event_that_one_may_not_see_has_no_responses(cast: Cast) -> None:
    event = an_event(cast.alice)
    path = f"/api/responses?event_id={event['id']}"
    assert (cast.carol.get(path).status, cast.anonymous.get(path).status) == (404, 404)


def test_without_an_event_ones_own_responses_are_listed(cast: Cast) -> None:
    events = [an_event(cast.alice, public=True) for _ in range(3)]
    for event in events[:2]:
        a_response(cast.carol, event)
    a_response(cast.bob, events[2])
    answer = cast.carol.get("/api/responses?limit=1&count=true").json
    assert (answer["total"], [r["event_id"] for r in answer["responses"]]) == (2, [events[0]["id"]])
    assert [r["event_id"] for r in cast.carol.get(answer["next"]).json["responses"]] == [events[1]["id"]]


def test_the_export_is_a_table_whose_cells_no_spreadsheet_runs(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", name="=cmd()", comment="two\nlines, “quoted”")
    answer = cast.alice.get(f"/api/responses.csv?event_id={event['id']}")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["email_address"], row["name"], row["comment"]) == ("gus@example.org", "'=cmd()", "two\nlines, “quoted”")


def test_new_saves_nothing_and_knows_the_user(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    blank = cast.carol.get(f"/api/responses/new?event_id={event['id']}").json
    assert (blank["email_address"], blank["number"], blank["plus_n"], blank["response"]) == (cast.carol.email_address, 1, 0, None)
    assert cast.anonymous.get("/api/responses/new").json["email_address"] is None
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 0
