"""GET /api/contacts: order, paging, and search by text, tags and event."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, a_comment, a_contact, a_response, an_event, shared
from tests.client import Client


def _names(who: Client, **query: Any) -> list[str]:
    response = who.get("/api/contacts", query=query)
    assert response.status == 200, response
    return [contact["first_name"] for contact in response.json["contacts"]]


def test_contacts_come_by_last_name_without_regard_to_case_and_accents(cast: Cast) -> None:
    for first, last in (("1", "Zola"), ("2", "Émile"), ("3", "adams"), ("4", "Eco"), ("5", "Adams")):
        a_contact(cast.alice, first_name=first, last_name=last)
    a_contact(cast.alice, first_name="Bea")
    assert _names(cast.alice) == ["3", "5", "Bea", "4", "2", "1"]


def test_an_item_has_the_limited_fields(cast: Cast) -> None:
    a_contact(cast.alice, birthday="1990-05-11")
    [item] = cast.alice.get("/api/contacts").json["contacts"]
    assert list(item) == ["id", "first_name", "last_name", "email_address", "phone_number", "tag_list", "tags", "updated_at"]


def test_the_list_is_paged_with_a_total(cast: Cast) -> None:
    for number in range(5):
        a_contact(cast.alice, first_name=f"n{number}")
    first = cast.alice.get("/api/contacts?limit=2&count=true").json
    assert (first["total"], [c["first_name"] for c in first["contacts"]]) == (5, ["n0", "n1"])
    second = cast.alice.get(first["next"]).json
    assert [c["first_name"] for c in second["contacts"]] == ["n2", "n3"]
    third = cast.alice.get(second["next"]).json
    assert ([c["first_name"] for c in third["contacts"]], third["next"]) == (["n4"], None)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("diaz", ["Ana"]),
        ("ANA díaz", ["Ana"]),
        ('"ana diaz"', ["Ana"]),
        ("example.org", ["Ana", "Bo"]),
        ("33612", ["Ana"]),
        ("0612345678", []),
        ("0*78", ["Ana"]),
        ("75011", ["Ana"]),
        ("jaz", ["Ana"]),
        ("france bo", []),
        ("%", []),
        ("_", []),
    ],
)
def test_each_word_must_occur_in_some_field(cast: Cast, text: str, names: list[str]) -> None:
    a_contact(
        cast.alice,
        last_name="Díaz",
        email_address="ana@example.org",
        phone_number="06 12 34 56 78",
        country="France",
        zip_code="75011",
        tag_list="Jazz",
    )
    a_contact(cast.alice, first_name="Bo", email_address="bo@example.org", tag_list="jaz z")
    expected = ["Ana", "Bo"] if text == "jaz" else names
    assert sorted(_names(cast.alice, text=text)) == expected


def test_all_tags_must_be_on_the_contact_whole(cast: Cast) -> None:
    a_contact(cast.alice, tag_list="Jazz,Friends")
    a_contact(cast.alice, first_name="Bo", tag_list="jazzy")
    assert _names(cast.alice, tags="jazz") == ["Ana"]
    assert _names(cast.alice, tags="friends,jazz") == ["Ana"]
    assert _names(cast.alice, tags="friends,blues") == []


def test_contacts_who_responded_or_commented_are_found_by_address(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_contact(cast.alice, first_name="Yes", email_address="Yes@Example.org")
    a_contact(cast.alice, first_name="Said", email_address="said@example.org")
    a_contact(cast.alice, first_name="Neither", email_address="neither@example.org")
    a_contact(cast.alice, first_name="Nowhere")
    a_response(cast.anonymous, event, email_address="yes@example.org")
    a_comment(cast.anonymous, event, email_address="SAID@example.org")
    a_response(cast.anonymous, an_event(cast.alice, public=True), email_address="neither@example.org")
    assert sorted(_names(cast.alice, event_id=event["id"])) == ["Said", "Yes"]
    assert cast.alice.get(f"/api/contacts?event_id={event['id']}&count=true").json["total"] == 2


def test_an_events_guests_are_for_those_who_may_edit_it(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    path = f"/api/contacts?event_id={event['id']}"
    assert [who.get(path).status for who in (cast.anonymous, cast.bob, cast.vera, cast.carol)] == [401, 200, 403, 404]


def test_nobody_sees_the_contacts_of_another(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    mine = a_contact(cast.alice, first_name="Secret", email_address="canary@example.org", tag_list="canary", unique_id="canary")
    a_response(cast.anonymous, event, email_address="canary@example.org")
    calendar = a_calendar(cast.bob)
    theirs = an_event(cast.bob, calendar_id=calendar["id"], public=True)
    a_response(cast.anonymous, theirs, email_address="canary@example.org")
    for query in ({}, {"text": "secret"}, {"tags": "canary"}, {"event_id": theirs["id"]}, {"list": "imported"}):
        response = cast.bob.get("/api/contacts", query=query | {"count": "true"})
        assert (response.json["contacts"], response.json["total"]) == ([], 0)
        for suffix in ("csv", "vcf"):
            assert "canary" not in cast.bob.get(f"/api/contacts.{suffix}", query=query).text.lower()
    assert cast.bob.get(f"/api/contacts/{mine['id']}").status == 404
    assert cast.bob.post("/api/contacts/keep", json={"ids": [mine["id"]]}).status == 404
