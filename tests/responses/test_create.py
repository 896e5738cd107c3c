"""POST /api/responses: one response for each address and event."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kalends.db import Database
from tests.cast import Cast, a_response, an_event, verified

MOST_TRIES = 20


def test_a_guest_responds_without_an_account(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    fields = {"event_id": event["id"], "email_address": "gus@example.org", "response": "YES", "name": "Gus", "number": 2, "plus_n": 3}
    reply = cast.anonymous.post("/api/responses", json=fields)
    assert (reply.status, reply.json) == (201, fields | {"comment": None, "opt_in": False, "min_party": None, "answers": []})
    (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert {name: stored[name] for name in fields} == fields


def test_a_second_response_changes_the_first_and_keeps_omitted_fields(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    address = {"event_id": event["id"], "email_address": "gus@example.org"}

    def stored() -> list[Any]:
        (response,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
        return [response[name] for name in ("response", "name", "number", "plus_n", "comment")]

    cast.anonymous.post("/api/responses", json=address | {"response": "YES", "name": "Gus", "plus_n": 3, "comment": "Late"})
    cast.anonymous.post("/api/responses", json=address | {"response": "NO", "number": 4})
    assert stored() == ["NO", "Gus", 4, 3, "Late"]
    cast.anonymous.post("/api/responses", json=address | {"response": "NO", "comment": ""})
    assert stored() == ["NO", "Gus", 4, 3, None]


def test_addresses_that_differ_in_case_or_normal_form_are_one_responder(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    same = ["ZOË@example.org", "zoë@EXAMPLE.org", "Zoe\u0308@example.org"]
    ids = {a_response(cast.alice, event, email_address=address)["id"] for address in same}
    assert len(ids) == 1


def test_look_alike_addresses_are_different_responders(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    alike = ["anna@example.org", "аnna@example.org", "anná@example.org", "anna.@example.org".replace(".@", "+x@")]
    assert len({a_response(cast.alice, event, email_address=address)["id"] for address in alike}) == 4


@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({"number": 0}, "number"),
        ({"number": 10_001}, "number"),
        ({"plus_n": -1}, "plus_n"),
        ({"plus_n": 10_001}, "plus_n"),
        ({"response": "PERHAPS"}, "response"),
        ({"response": None}, "response"),
        ({"email_address": None}, "email_address"),
        ({"email_address": "nonsense"}, "email_address"),
        ({"email_address": "foo@bar"}, "email_address"),
        ({"opt_in": "perhaps"}, "opt_in"),
        ({"event_id": "x"}, "event_id"),
    ],
)
@pytest.mark.on_one_database
def test_invalid_values_name_their_fields(cast: Cast, fields: dict[str, Any], broken: str) -> None:
    event = an_event(cast.alice, public=True)
    good = {"event_id": event["id"], "email_address": "gus@example.org", "response": "YES"}
    reply = cast.anonymous.post("/api/responses", json=good | fields)
    assert (reply.status, reply.broken) == (422, [broken])
    assert cast.alice.get(f"/api/events/{event['id']}").json["responses"]["yes"] == 0


def test_a_users_own_address_and_name_are_the_defaults(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    response = a_response(cast.carol, event)
    assert (response["email_address"], response["name"]) == (cast.carol.email_address, "Carol")


def test_nobody_takes_over_a_users_response_by_knowing_their_address(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    a_response(verified(db, cast.carol), event)
    a_response(cast.bob, event, email_address=cast.carol.email_address, response="NO")
    assert cast.bob.get(f"/api/responses?event_id={event['id']}").json["responses"] == []
    assert [r["response"] for r in cast.carol.get("/api/responses").json["responses"]] == ["YES"]


def test_the_event_counts_its_responses_and_people(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for i, (response, number, plus_n) in enumerate([("YES", 2, 1), ("YES", 1, 0), ("MAYBE", 5, 5), ("NO", 1, 0)]):
        a_response(cast.anonymous, event, email_address=f"g{i}@example.org", response=response, number=number, plus_n=plus_n)
    tally = cast.anonymous.get(f"/api/events/{event['id']}").json["responses"]
    assert tally == {"yes": 2, "maybe": 1, "no": 1, "people": 4}


def test_64_concurrent_clients_leave_one_response_for_each_address(cast: Cast, soak: bool) -> None:
    number = 2_000 if soak else 320
    events = [an_event(cast.alice, public=True) for _ in range(5)]
    sent_values: dict[int, set[tuple[str, int, str]]] = {event["id"]: set() for event in events}
    lock = threading.Lock()

    def respond(i: int) -> int:
        event = events[i % 5]
        values = (("YES", "MAYBE", "NO")[i % 3], i % 50 + 1, f"text {i}")
        with lock:
            sent_values[event["id"]].add(values)
        body = {
            "event_id": event["id"],
            "email_address": "gus@example.org",
            "response": values[0],
            "number": values[1],
            "comment": values[2],
        }
        # A busy machine refuses some, which then send it again.
        statuses = (cast.anonymous.post("/api/responses", json=body).status for _ in range(MOST_TRIES))
        return next(status for status in statuses if status != 503)

    with ThreadPoolExecutor(64) as pool:
        statuses = list(pool.map(respond, range(number)))
    assert statuses == [201] * number
    for event in events:
        (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
        assert (stored["response"], stored["number"], stored["comment"]) in sent_values[event["id"]]
