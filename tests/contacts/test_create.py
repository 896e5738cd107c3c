"""POST /api/contacts: a contact from its fields."""

import pytest

from tests.cast import Cast, a_contact

WHOLE = {
    "first_name": "Ana",
    "last_name": "Díaz",
    "phone_number": "06 12 34 56 78",
    "email_address": "ana@example.org",
    "birthday": "1990-05-11",
    "gender": "female",
    "country": "France",
    "zip_code": "75011",
    "tag_list": "jazz,friends",
    "unique_id": "crm-7",
}


def test_a_contact_is_answered_whole_and_found_again(cast: Cast) -> None:
    made = cast.alice.post("/api/contacts", json=WHOLE)
    assert made.status == 201
    assert made.json["tags"] == ["jazz", "friends"]
    assert {name: made.json[name] for name in WHOLE} == WHOLE
    assert made.headers["Location"] == f"/api/contacts/{made.json['id']}"
    shown = cast.alice.get(made.headers["Location"])
    assert shown.json == made.json
    assert shown.headers["ETag"] == made.headers["ETag"]


@pytest.mark.parametrize("field", ["first_name", "last_name", "email_address", "phone_number"])
def test_a_name_or_an_address_or_a_number_is_enough(cast: Cast, field: str) -> None:
    assert a_contact(cast.alice, **({"first_name": None} | {field: WHOLE[field]}))[field] == WHOLE[field]


def test_nothing_at_all_is_no_contact(cast: Cast) -> None:
    answer = cast.alice.post("/api/contacts", json={"tag_list": "jazz", "unique_id": "x"})
    assert (answer.status, answer.broken) == (422, ["first_name"])
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


def test_every_broken_field_is_named(cast: Cast) -> None:
    broken = {"email_address": "nobody", "birthday": "soon", "gender": "cat", "phone_number": "call me", "first_name": "a\tb"}
    answer = cast.alice.post("/api/contacts", json=broken)
    assert answer.status == 422
    assert sorted(answer.broken) == sorted(broken)


def test_a_birthday_is_a_date_whatever_clock_comes_with_it(cast: Cast) -> None:
    assert a_contact(cast.alice, birthday="1990-05-11T23:30:00+02:00")["birthday"] == "1990-05-11"
    assert a_contact(cast.alice, birthday="19900511")["birthday"] == "1990-05-11"


def test_a_phone_number_is_kept_as_typed(cast: Cast) -> None:
    assert a_contact(cast.alice, phone_number="ask for Ana: 06-12 34 56 78 ext. 3")["phone_number"] == "ask for Ana: 06-12 34 56 78 ext. 3"


def test_a_unique_id_is_unique_among_ones_own_contacts_only(cast: Cast) -> None:
    a_contact(cast.alice, unique_id="crm-7")
    again = cast.alice.post("/api/contacts", json={"first_name": "Bo", "unique_id": "crm-7"})
    assert (again.status, again.broken) == (409, ["unique_id"])
    a_contact(cast.bob, unique_id="crm-7")
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 1


def test_new_answers_the_fields_and_saves_nothing(cast: Cast) -> None:
    blank = cast.alice.get("/api/contacts/new")
    assert set(blank.json) == set(WHOLE)
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


def test_fields_may_be_wrapped_and_come_as_a_form(cast: Cast) -> None:
    made = cast.alice.post("/api/contacts", data={"contact[first_name]": "Ana", "contact[tag_list]": "a,b"})
    assert (made.status, made.json["tags"]) == (201, ["a", "b"])
