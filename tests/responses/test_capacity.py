"""Capacity and the waiting list: who gets a place, who waits, and what the event and the responses say of it."""

import re
from typing import Any

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_response, an_event, verified
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.events.series import events_of_series, repeat

START = "2026-06-01T20:00"


def _hall(owner: Client, **fields: Any) -> dict[str, Any]:
    return an_event(owner, **({"public": True, "start_time": START, "capacity": 4, "waiting_list": "auto"} | fields))


def _ask(caller: Client, event: dict[str, Any], name: str, people: int = 1, **fields: Any) -> Reply:
    sent = {"event_id": event["id"], "email_address": f"{name}@example.org", "response": "YES", "number": people} | fields
    return caller.post("/api/responses", json=sent)


def _places(owner: Client, event: dict[str, Any]) -> tuple[int, int, int, int]:
    places = owner.get(f"/api/events/{event['id']}").json["places"]
    return places["held"], places["free"], places["waiting"], places["over"]


def _held(owner: Client, event: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """What each guest holds, by the name in the address."""
    responses = owner.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return {each["email_address"].split("@")[0]: (each["place"]["place"], each["place"]["held"]) for each in responses if each["place"]}


def _id(owner: Client, event: dict[str, Any], name: str) -> int:
    responses = owner.get(f"/api/responses?event_id={event['id']}").json["responses"]
    response_id: int = next(each["id"] for each in responses if each["email_address"] == f"{name}@example.org")
    return response_id


def _kind(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.json["type"].rsplit("#", 1)[-1]


def test_an_event_without_settings_has_no_row_and_no_places(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    assert _ask(cast.anonymous, event, "ann").status == 201
    assert cast.alice.get(f"/api/events/{event['id']}").json["places"] is None
    [response] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert response["place"] is None
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM response_settings WHERE event_id = :id", id=event["id"]) == 0


def test_settings_are_created_shown_changed_and_undone(cast: Cast) -> None:
    fields = {"responses_until": "2026-05-31T20:00:00+02:00", "capacity": 30, "waiting_list": "offer", "waiting_order": "strict"}
    fields |= {"offer_hours": 12, "show_counts": False, "responses_open": False, "approval": True}
    event = an_event(cast.alice, time_zone="Europe/Paris", **fields)
    path = f"/api/events/{event['id']}"
    assert {name: event[name] for name in fields} == fields
    assert {name: cast.alice.get(f"{path}/edit").json[name] for name in fields} == fields
    assert cast.alice.put(path, json={"capacity": "", "waiting_list": "off"}).json["capacity"] is None
    seq = cast.alice.get(f"{path}/changes").json["changes"][0]
    assert (seq["kind"], {each["field"] for each in seq["fields"]}) == ("settings", {"capacity", "waiting_list"})
    assert cast.alice.post(f"/api/changes/{seq['seq']}/undo").status == 200
    assert cast.alice.get(path).json["capacity"] == 30
    assert cast.alice.delete(path).status == 200
    [deleted] = cast.alice.get("/api/trash").json["trash"]
    assert cast.alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200
    restored = cast.alice.get(path).json
    assert {name: restored[name] for name in fields} == fields


@pytest.mark.parametrize(
    ("fields", "people", "expected"),
    [
        ({"responses_open": False}, 1, (409, "responses-closed")),
        ({"responses_until": "2026-05-01"}, 1, (409, "deadline-over")),
        ({"capacity": 2}, 3, (409, "party-too-large")),
        ({"status": "cancelled"}, 1, (409, "event-cancelled")),
        ({"status": "postponed"}, 1, (409, "event-postponed")),
    ],
)
def test_a_response_that_cannot_be_taken_says_why(cast: Cast, fields: dict[str, Any], people: int, expected: tuple[int, str]) -> None:
    event = an_event(cast.alice, public=True, **fields)
    reply = _ask(cast.anonymous, event, "ann", people)
    assert _kind(reply) == expected
    assert reply.json["detail"]


def test_a_full_event_without_a_waiting_list_says_so_alike_to_known_and_unknown_addresses(cast: Cast) -> None:
    event = _hall(cast.alice, waiting_list="off", capacity=3)
    assert _ask(cast.anonymous, event, "ann", 2).status == 201
    replies = [_ask(cast.anonymous, event, name, 2) for name in ("ann", "new")]
    assert [_kind(reply) for reply in replies] == [(409, "full")] * 2
    assert replies[0].json["detail"] == replies[1].json["detail"] == "Only 1 spot is left. Reduce your group, or ask the organiser."
    assert _ask(cast.anonymous, event, "new", 1).status == 201
    assert _places(cast.alice, event) == (3, 0, 0, 0)
    assert _ask(cast.anonymous, event, "last").json["detail"] == "This event is full."


def test_a_party_that_does_not_fit_waits_whole_and_smaller_ones_pass_it(cast: Cast) -> None:
    event = _hall(cast.alice)
    for name, people in (("ann", 3), ("ben", 2), ("cat", 1), ("dan", 2)):
        assert _ask(cast.anonymous, event, name, people).status == 201
    assert _held(cast.alice, event) == {"ann": ("held", 3), "ben": ("waiting", 0), "cat": ("held", 1), "dan": ("waiting", 0)}
    assert _places(cast.anonymous, event) == (4, 0, 4, 0)
    ben, dan = (cast.alice.get(f"/api/responses/{_id(cast.alice, event, name)}").json["place"] for name in ("ben", "dan"))
    assert (ben["ahead"], dan["ahead"]) == ({"parties": 0, "people": 0}, {"parties": 1, "people": 2})
    assert (ben["passed_over"]["times"], ben["passed_over"]["free"], dan["passed_over"]) == (1, 1, None)


def test_in_strict_order_nobody_passes(cast: Cast) -> None:
    event = _hall(cast.alice, waiting_order="strict")
    for name, people in (("ann", 3), ("ben", 2), ("cat", 1)):
        _ask(cast.anonymous, event, name, people)
    assert _held(cast.alice, event) == {"ann": ("held", 3), "ben": ("waiting", 0), "cat": ("waiting", 0)}
    assert cast.alice.delete(f"/api/responses/{_id(cast.alice, event, 'ann')}").status == 200
    assert _held(cast.alice, event) == {"ben": ("held", 2), "cat": ("held", 1)}


@pytest.mark.parametrize(
    ("change", "held"),
    [({"response": "NO"}, ("waiting", 0)), ({"number": 4}, ("waiting", 0)), ({"number": 1}, ("held", 1))],
    ids=["leaves", "goes to the end", "is smaller"],
)
def test_in_strict_order_those_behind_come_when_the_first_gives_way(cast: Cast, change: dict[str, Any], held: tuple[str, int]) -> None:
    event = _hall(cast.alice, waiting_order="strict")
    for name, people in (("ann", 2), ("ben", 3), ("cat", 1)):
        _ask(cast.anonymous, event, name, people)
    assert _held(cast.alice, event)["cat"] == ("waiting", 0)
    assert cast.alice.put(f"/api/responses/{_id(cast.alice, event, 'ben')}", json=change).status == 200
    places = _held(cast.alice, event)
    assert places["cat"] == ("held", 1)
    assert places.get("ben", ("waiting", 0)) == held


@pytest.mark.parametrize(
    "free", [{"response": "NO"}, {"response": "MAYBE"}, {"number": 1}, "delete", "capacity", "no capacity"], ids=lambda free: str(free)
)
def test_seats_that_become_free_go_to_those_who_wait(cast: Cast, db: Database, free: Any) -> None:
    event = _hall(cast.alice)
    for name, people in (("ann", 4), ("ben", 3)):
        _ask(cast.anonymous, event, name, people)
    ann = f"/api/responses/{_id(cast.alice, event, 'ann')}"
    if free in ("capacity", "no capacity"):
        capacity = 7 if free == "capacity" else None
        assert cast.alice.put(f"/api/events/{event['id']}", json={"capacity": capacity}).status == 200
    else:
        reply = cast.alice.delete(ann) if free == "delete" else cast.alice.put(ann, json=free)
        assert reply.status == 200
    if free != "no capacity":
        assert _held(cast.alice, event)["ben"] == ("held", 3)
    with db.read() as tx:
        notices = tx.rows("SELECT address, notice FROM deliveries WHERE event_id = :id AND kind = 'notice'", id=event["id"])
    assert notices == [("ben@example.org", "place_granted")]


def test_asking_for_more_keeps_what_is_held_and_a_smallest_party_takes_a_part(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=5)
    for name, people in (("ann", 2), ("ben", 2)):
        _ask(cast.anonymous, event, name, people)
    _ask(cast.anonymous, event, "ann", 4)
    assert _held(cast.alice, event)["ann"] == ("partly", 2)
    _ask(cast.anonymous, event, "cat", 3, min_party=1)
    assert _held(cast.alice, event)["cat"] == ("partly", 1)
    cast.alice.put(f"/api/responses/{_id(cast.alice, event, 'ben')}", json={"response": "NO"})
    assert _held(cast.alice, event) == {"ann": ("held", 4), "cat": ("partly", 1)}


@pytest.mark.parametrize("waiting_list", ["off", "auto"])
def test_a_party_that_would_come_with_fewer_is_taken_though_it_is_larger_than_the_event(cast: Cast, waiting_list: str) -> None:
    event = _hall(cast.alice, capacity=3, waiting_list=waiting_list)
    assert _ask(cast.anonymous, event, "ann", 4, min_party=2).status == 201
    assert _held(cast.alice, event) == {"ann": ("partly", 3)}
    assert _kind(_ask(cast.anonymous, event, "ben", 4, min_party=4)) == (409, "party-too-large")


def test_without_a_waiting_list_a_party_is_refused_if_fewer_places_are_left_than_it_needs(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=3, waiting_list="off")
    assert _ask(cast.anonymous, event, "ann", 2).status == 201
    assert _kind(_ask(cast.anonymous, event, "ben", 3, min_party=2)) == (409, "full")
    assert _ask(cast.anonymous, event, "cat", 3, min_party=1).status == 201
    assert _held(cast.alice, event) == {"ann": ("held", 2), "cat": ("partly", 1)}


def test_less_capacity_unseats_nobody_and_an_editor_forces_somebody_in(cast: Cast, db: Database) -> None:
    event = _hall(cast.alice)
    for name, people in (("ann", 4), ("ben", 2)):
        _ask(cast.anonymous, event, name, people)
    cast.alice.put(f"/api/events/{event['id']}", json={"capacity": 3})
    assert _places(cast.alice, event) == (4, 0, 2, 1)
    ben = f"/api/responses/{_id(cast.alice, event, 'ben')}"
    assert cast.anonymous.put(f"{ben}/accept", json={"force": True}).status == 401
    assert cast.alice.put(f"{ben}/accept", json={}).json["place"]["place"] == "waiting"
    assert cast.alice.put(f"{ben}/accept", json={"force": True}).json["place"]["held"] == 2
    assert _places(cast.alice, event) == (6, 0, 0, 3)
    cast.alice.delete(f"/api/responses/{_id(cast.alice, event, 'ann')}")
    assert _places(cast.alice, event) == (2, 1, 0, 0)


def test_the_database_refuses_more_seats_than_there_are(cast: Cast, db: Database) -> None:
    event = _hall(cast.alice)
    _ask(cast.anonymous, event, "ann", 4)
    _ask(cast.anonymous, event, "ben", 1)
    with pytest.raises(Exception, match=r"(?i)check"), db.write() as tx:
        tx.run("UPDATE responses SET held = 1 WHERE event_id = :id AND email_key = 'ben@example.org'", id=event["id"])
    assert _places(cast.alice, event) == (4, 0, 1, 0)


def test_a_capacity_for_an_event_with_responses_seats_all_who_said_yes(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    for name, people in (("ann", 2), ("ben", 3)):
        _ask(cast.anonymous, event, name, people)
    _ask(cast.anonymous, event, "cat", 3, response="MAYBE")
    reply = cast.alice.put(f"/api/events/{event['id']}", json={"capacity": 4, "waiting_list": "auto"}).json
    assert reply["places"] == {"capacity": 4, "held": 5, "offered": 0, "free": 0, "waiting": 0, "over": 1}
    _ask(cast.anonymous, event, "cat", 1)
    assert _held(cast.alice, event)["cat"] == ("waiting", 0)


def test_an_offer_is_taken_by_saying_yes_again_and_lapses_by_time(cast: Cast, db: Database, clock: Clock) -> None:
    event = _hall(cast.alice, capacity=2, waiting_list="offer", offer_hours=2, time_zone="UTC")
    carol, dave = verified(db, cast.carol), verified(db, cast.dave)
    _ask(cast.anonymous, event, "ann", 2)
    numbers = {person.id: a_response(person, event, number=2)["id"] for person in (carol, dave)}
    clock.now = 1_780_045_200  # 29 May 2026, 09:00 UTC
    cast.alice.delete(f"/api/responses/{_id(cast.alice, event, 'ann')}")

    def place(person: Person) -> Any:
        return person.get(f"/api/responses/{numbers[person.id]}").json["place"]

    assert (place(carol)["place"], place(carol)["offered"], place(carol)["offer_until"]) == ("offered", 2, "2026-05-29T11:00:00Z")
    assert _places(cast.alice, event) == (2, 0, 2, 0)
    clock.ahead(2 * 3600)
    # No worker has run: the offer is over all the same.
    assert (place(carol)["place"], _places(cast.alice, event)) == ("lapsed", (0, 2, 2, 0))
    assert a_response(dave, event, number=2)["place"]["place"] == "held"
    assert a_response(carol, event, number=2)["place"]["place"] == "waiting"
    dave.put(f"/api/responses/{numbers[dave.id]}", json={"response": "NO"})
    assert place(carol)["place"] == "offered"
    assert carol.put(f"/api/responses/{numbers[carol.id]}", json={"response": "YES"}).json["place"]["place"] == "held"
    with db.read() as tx:
        notices = tx.rows("SELECT notice FROM deliveries WHERE event_id = :id AND kind = 'notice' ORDER BY id", id=event["id"])
    assert [notice for (notice,) in notices] == ["place_offered", "place_lapsed", "place_offered", "place_offered"]


def test_each_date_of_a_series_has_its_own_capacity(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=2, responses_until="2026-05-31")
    repeat(cast.alice, event["id"], frequency="WEEKLY", count=3)
    dates = events_of_series(cast.alice, event["id"])
    details = [cast.alice.get(f"/api/events/{each['id']}").json for each in dates]
    assert [each["capacity"] for each in details] == [2, 2, 2]
    assert [each["responses_until"][:10] for each in details] == ["2026-06-01", "2026-06-08", "2026-06-15"]
    _ask(cast.anonymous, details[1], "ann", 2)
    assert [_places(cast.alice, each)[0] for each in details] == [0, 2, 0]
    copy = cast.alice.put(f"/api/events/{event['id']}/copy", json={}).json
    assert (copy["capacity"], copy["places"]["held"]) == (2, 0)


def test_a_restored_event_has_its_seats_and_its_queue_again(cast: Cast) -> None:
    event = _hall(cast.alice)
    for name, people in (("ann", 3), ("ben", 2), ("cat", 1)):
        _ask(cast.anonymous, event, name, people)
    before = (_held(cast.alice, event), _places(cast.alice, event))
    cast.alice.delete(f"/api/events/{event['id']}")
    [deleted] = cast.alice.get("/api/trash").json["trash"]
    assert cast.alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200
    assert (_held(cast.alice, event), _places(cast.alice, event)) == before


def test_an_undo_gives_a_response_only_seats_that_are_free(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=2)
    for name in ("ann", "ben"):
        _ask(cast.anonymous, event, name, 2)
    cast.alice.delete(f"/api/responses/{_id(cast.alice, event, 'ann')}")
    assert _held(cast.alice, event) == {"ben": ("held", 2)}
    changes = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"]
    deletion = next(each["seq"] for each in changes if each["op"] == "delete")
    assert cast.alice.post(f"/api/changes/{deletion}/undo").status == 200
    assert _held(cast.alice, event) == {"ann": ("waiting", 0), "ben": ("held", 2)}


def test_counts_are_hidden_from_guests_where_the_organiser_says_so(cast: Cast) -> None:
    event = _hall(cast.alice, show_counts=False)
    _ask(cast.anonymous, event, "ann", 2)
    hidden = cast.anonymous.get(f"/api/events/{event['id']}").json
    assert (hidden["places"], hidden["responses"]) == (None, None)
    assert cast.alice.get(f"/api/events/{event['id']}").json["places"]["held"] == 2
    _ask(cast.anonymous, event, "ben", 3)
    _ask(cast.anonymous, event, "cat", 1)
    assert cast.alice.get(f"/api/responses/{_id(cast.alice, event, 'ben')}").json["place"]["passed_over"]["free"] is None
    cast.alice.put(f"/api/events/{event['id']}", json={"waiting_list": "off"})
    for people, kind in ((2, "full"), (9, "party-too-large")):
        refused = _ask(cast.anonymous, event, "dan", people)
        assert (_kind(refused), re.search(r"\d", refused.json["detail"])) == ((409, kind), None)


def test_with_approval_a_yes_holds_a_place_only_when_an_editor_has_accepted_it(cast: Cast) -> None:
    event = _hall(cast.alice, approval=True)
    _ask(cast.anonymous, event, "ann", 2)
    assert (_held(cast.alice, event), _places(cast.alice, event)) == ({"ann": ("pending", 0)}, (0, 4, 0, 0))
    ann = f"/api/responses/{_id(cast.alice, event, 'ann')}"
    assert cast.alice.put(f"{ann}/accept", json={}).json["place"]["place"] == "held"
    _ask(cast.anonymous, event, "ben", 1)
    cast.alice.put(f"/api/events/{event['id']}", json={"approval": False})
    assert _held(cast.alice, event) == {"ann": ("held", 2), "ben": ("held", 1)}


def test_the_page_of_the_event_says_how_many_places_are_left_and_offers_the_waiting_list(cast: Cast) -> None:
    event = _hall(cast.alice, capacity=3, responses_until="2026-05-31T20:00")
    path = f"/events/{event['id']}"
    _ask(cast.anonymous, event, "ann", 2)
    page = cast.anonymous.get(path).text
    assert "1 spot left." in page
    assert "RSVP by 31 May 2026, 20:00." in page
    _ask(cast.anonymous, event, "ben", 1)
    page = cast.anonymous.get(path).text
    assert "This event is full." in page
    _ask(cast.anonymous, event, "eva", 2)
    assert "3 people going · This event is full." in cast.anonymous.get(path).text
    assert ">Join the waiting list</span>" in page
    assert "0 of 3 spots left" in cast.alice.get(path).text
    sent = {"email_address": "cat@example.org", "response": "YES", "number": "2", "min_party": "1"}
    assert cast.anonymous.post(f"{path}/respond", data=sent).status == 303
    assert _held(cast.alice, event)["cat"] == ("waiting", 0)
    cat = f"/responses/{_id(cast.alice, event, 'cat')}"
    assert "Let them in, even over capacity" in cast.alice.get(f"{cat}/edit").text
    assert cast.alice.post(f"{cat}/accept", data={"force": "true"}).status == 303
    assert _held(cast.alice, event)["cat"] == ("held", 2)
    cast.alice.put(f"/api{path}", json={"responses_open": False, "show_counts": False})
    closed = cast.anonymous.get(path).text
    assert "The organiser has closed RSVPs for this event." in closed
    assert "coming." not in closed


def test_the_form_of_an_event_sets_places_and_changes_only_what_was_changed(cast: Cast) -> None:
    event = _hall(cast.alice, time_zone="Europe/Paris", responses_until="2026-05-31T20:00", offer_hours=5)
    path = f"/events/{event['id']}"
    form = {"title": "Concert", "start_time": "2026-06-01", "start_clock": "20:00", "time_zone": "Europe/Paris", "public": "true"}
    form |= {"capacity": "9", "waiting_list": "auto", "waiting_order": "fit", "offer_hours": "5", "responses_until": "2026-05-31"}
    form |= {"until_clock": "20:00", "responses_open": "true", "show_counts": "true", "approval": "false", "status": "planned"}
    version = cast.alice.get(f"/api{path}/edit").headers["ETag"].strip('"')
    assert cast.alice.post(path, data=form | {"version": version}).status == 303
    [change] = cast.alice.get(f"/api{path}/changes?limit=1").json["changes"]
    assert [(each["field"], each["after"]) for each in change["fields"]] == [("capacity", "9")]
