"""What a member goes to, is invited to and hosts."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import Cast, Person, a_response, an_event, an_invitation, verified
from tests.client import Client
from tests.conftest import Clock
from tests.site.administrator import Admin, a_hidden_event


@pytest.fixture
def carol(cast: Cast, db: Database) -> Person:
    """A member with a verified address, who owns nothing here."""
    return verified(db, cast.carol)


def titles(reader: Client, show: str, **query: Any) -> list[str]:
    reply = reader.get("/api/my_events", query={"show": show, **query})
    assert reply.status == 200, reply
    return [event["title"] for event in reply.json["events"]]


def invite(cast: Cast, guest: Person, **fields: Any) -> dict[str, Any]:
    """A private event to which the guest is invited."""
    event = an_event(cast.alice, visibility="members", **fields)
    an_invitation(cast.alice, event, guest.email_address)
    return event


def answer(reader: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reply = reader.put(f"/api/my_events/{event['id']}", json=fields)
    assert reply.status == 200, reply
    mine: dict[str, Any] = reply.json
    return mine


def test_what_one_said_yes_or_maybe_to_is_in_the_list_until_it_is_over(cast: Cast, clock: Clock) -> None:
    events = [an_event(cast.alice, public=True, title=title, start_time="2026-06-01T20:00") for title in ("Jazz", "Blues", "Folk")]
    for event, response in zip(events, ("YES", "MAYBE", "NO"), strict=True):
        a_response(cast.carol, event, response=response, number=2)
    assert titles(cast.carol, "going") == ["Jazz", "Blues"]
    assert titles(cast.carol, "past") == []
    mine = cast.carol.get("/api/my_events").json["events"][0]
    assert (mine["response"], mine["people"], mine["invited"], mine["can_edit"]) == ("YES", 2, False, False)
    clock.ahead(6 * 86_400)
    assert titles(cast.carol, "going") == []
    assert titles(cast.carol, "past") == ["Blues", "Jazz"]
    assert titles(cast.carol, "past", limit=1, offset=1) == ["Jazz"]
    assert cast.carol.get("/api/my_events?show=past&count=true&limit=1").json["total"] == 2


def test_an_invited_member_answers_a_private_event_and_finds_it_among_those_they_go_to(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol, title="Picnic")
    assert carol.get(f"/api/events/{event['id']}").status == 404
    [asked] = carol.get("/api/my_events?show=invited").json["events"]
    assert (asked["title"], asked["response"], asked["invited_by"]) == ("Picnic", None, "Alice")
    assert "/i/" in asked["url"]
    assert answer(carol, event, response="YES", number=3)["people"] == 3
    assert titles(carol, "invited") == []
    assert titles(carol, "going") == ["Picnic"]
    tally = cast.alice.get(f"/api/events/{event['id']}").json["responses"]
    assert (tally["yes"], tally["people"]) == (1, 3)
    assert answer(carol, event, response="NO")["response"] == "NO"
    assert titles(carol, "going") == []


def test_invitations_are_for_those_who_have_verified_the_address(cast: Cast) -> None:
    event = invite(cast, cast.carol)
    assert titles(cast.carol, "invited") == []
    assert cast.carol.get(f"/api/my_events/{event['id']}").status == 404
    assert cast.carol.put(f"/api/my_events/{event['id']}", json={"response": "YES"}).status == 404


def test_a_withdrawn_invitation_and_one_by_a_blocked_person_are_not_listed(cast: Cast, carol: Person, db: Database) -> None:
    withdrawn, blocked = invite(cast, carol), invite(cast, carol)
    path = f"/api/events/{withdrawn['id']}/invitations"
    assert cast.alice.delete(f"{path}/{cast.alice.get(path).json['invitations'][0]['id']}").status == 200
    assert [event["id"] for event in carol.get("/api/my_events?show=invited").json["events"]] == [blocked["id"]]
    with db.write() as tx:
        tx.run("INSERT INTO blocks (user_id, owner_id, created_at) VALUES (:me, :owner, 1)", me=carol.id, owner=cast.alice.id)
    assert titles(carol, "invited") == []
    assert carol.get(f"/api/my_events/{blocked['id']}").status == 404


def test_a_series_is_one_row_at_its_next_date_and_is_answered_as_a_whole(cast: Cast, carol: Person, clock: Clock) -> None:
    repeat = {"frequency": "WEEKLY", "end_date": "2026-06-15"}
    event = an_event(cast.alice, visibility="members", title="Choir", start_time="2026-06-01T20:00")
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json=repeat).status == 200
    reply = cast.alice.post(f"/api/events/{event['id']}/invitations", json={"addresses": [carol.email_address], "scope": "all"})
    assert reply.status == 202, reply
    [asked] = carol.get("/api/my_events?show=invited").json["events"]
    assert (asked["start_time"][:10], asked["whole_series"], asked["repeats"]) == (
        "2026-06-01",
        True,
        "Every week on Monday until 15 June 2026",
    )
    assert answer(carol, event, response="YES", scope="all")["whole_series"]
    [going] = carol.get("/api/my_events").json["events"]
    assert (going["start_time"][:10], going["whole_series"]) == ("2026-06-01", True)
    clock.ahead(6 * 86_400)
    assert carol.get("/api/my_events").json["events"][0]["start_time"][:10] == "2026-06-08"


def test_one_date_of_a_series_is_answered_alone(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True, title="Choir")
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-03"}).status == 200
    answer(carol, event, response="YES")
    assert len(carol.get("/api/responses").json["responses"]) == 1
    [second] = [each for each in cast.alice.get("/api/events").json["events"] if each["start_time"][:10] == "2026-06-02"]
    answer(carol, second, response="NO")
    answer(carol, event, response="MAYBE", scope="all")
    responses = carol.get("/api/responses").json["responses"]
    assert {each["response"] for each in responses if each["event_id"] != second["id"]} == {"MAYBE"}
    assert [each["response"] for each in responses if each["event_id"] == second["id"]] == ["NO"]


def test_the_waiting_list_is_named(cast: Cast, carol: Person) -> None:
    event = an_event(cast.alice, public=True, capacity=1, waiting_list="auto")
    a_response(cast.bob, event)
    place = answer(carol, event, response="YES")["place"]
    assert (place["place"], place["ahead"]["parties"]) == ("waiting", 0)


def test_one_hosts_what_others_can_see_or_are_asked_to(cast: Cast, carol: Person) -> None:
    an_event(cast.alice, visibility="members", title="Dentist")
    an_event(cast.alice, public=True, title="Concert")
    invite(cast, carol, title="Picnic")
    an_event(cast.alice, visibility="link", title="Party")
    an_event(cast.alice, public=True, title="Long ago", start_time="2026-01-01T20:00")
    assert sorted(titles(cast.alice, "hosting")) == ["Concert", "Party", "Picnic"]
    assert titles(carol, "hosting") == []


def test_an_invitation_is_removed_from_the_calendar_and_stays_unanswered(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol)
    assert answer(carol, event, on_calendar=False)["on_calendar"] is False
    assert len(titles(carol, "invited")) == 1
    assert answer(carol, event, on_calendar=True)["on_calendar"] is True
    other = an_event(cast.alice, public=True)
    assert carol.put(f"/api/my_events/{other['id']}", json={"on_calendar": False}).broken == ["on_calendar"]
    assert carol.put(f"/api/my_events/{other['id']}", json={}).json["response"] is None


def test_an_invitation_that_is_restored_with_its_event_stays_off_the_calendar(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol)
    answer(carol, event, on_calendar=False)
    assert cast.alice.delete(f"/api/events/{event['id']}").status == 200
    [deleted] = cast.alice.get("/api/trash").json["trash"]
    assert cast.alice.post(f"/api/changes/{deleted['seq']}/undo").status == 200
    assert carol.get(f"/api/my_events/{event['id']}").json["on_calendar"] is False


def test_what_an_administrator_hides_is_not_listed(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol)
    a_hidden_event(Admin(cast.anonymous, "ada"), event)
    assert titles(carol, "invited") == []
    assert carol.get(f"/api/my_events/{event['id']}").status == 404


def test_the_picture_and_tags_of_a_private_event_are_not_shown_to_its_guests(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol, image_url="https://example.org/a.jpg", tag_list="secret")
    mine = carol.get(f"/api/my_events/{event['id']}").json
    assert (mine["image_url"], mine["tags"], mine["calendar_ids"]) == (None, [], [])


def test_an_answer_to_a_private_event_is_undone(cast: Cast, carol: Person) -> None:
    event = invite(cast, carol)
    answer(carol, event, response="MAYBE")
    reply = carol.post(f"/my-events/{event['id']}", json={"response": "YES"})
    seq = reply.cookies["kalends_notice"].split(".")[-1]
    assert carol.post(f"/api/changes/{seq}/undo").status == 200
    assert carol.get(f"/api/my_events/{event['id']}").json["response"] == "MAYBE"


def test_an_unverified_account_learns_why_it_cannot_answer_for_an_address_that_has_responded(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    sent = {"event_id": event["id"], "email_address": cast.carol.email_address, "response": "NO"}
    assert cast.anonymous.post("/api/responses", json=sent).status == 201
    refused = cast.carol.put(f"/api/my_events/{event['id']}", json={"response": "YES"})
    assert (refused.status, "Confirm your email address" in refused.text) == (409, True)
    assert titles(cast.carol, "going") == []
