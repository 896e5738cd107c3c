"""POST /api/contacts: a contact from its fields."""

import pytest

from tests.cast import Cast, a_contact

pytestmark = pytest.mark.on_one_database

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


def test_create_returns_the_whole_contact(cast: Cast) -> None:
    response = cast.alice.post("/api/contacts", json=WHOLE)
    assert response.status == 201
    assert response.json["tags"] == ["jazz", "friends"]
    assert {name: response.json[name] for name in WHOLE} == WHOLE
    assert response.headers["Location"] == f"/api/contacts/{response.json['id']}"
    detail = cast.alice.get(response.headers["Location"])
    assert detail.json == response.json
    assert detail.headers["ETag"] == response.headers["ETag"]


@pytest.mark.parametrize("field", ["first_name", "last_name", "email_address", "phone_number"])
def test_a_name_or_an_address_or_a_number_is_enough(cast: Cast, field: str) -> None:
    assert a_contact(cast.alice, **({"first_name": None} | {field: WHOLE[field]}))[field] == WHOLE[field]


def test_an_empty_contact_is_refused(cast: Cast) -> None:
    response = cast.alice.post("/api/contacts", json={"tag_list": "jazz", "unique_id": "x"})
    assert (response.status, response.broken) == (422, ["first_name"])
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


def test_every_invalid_field_is_named(cast: Cast) -> None:
    broken = {"email_address": "nobody", "birthday": "soon", "gender": "cat", "phone_number": "call me", "first_name": "a\tb"}
    response = cast.alice.post("/api/contacts", json=broken)
    assert response.status == 422
    assert sorted(response.broken) == sorted(broken)


def test_the_time_of_a_birthday_is_ignored(cast: Cast) -> None:
    assert a_contact(cast.alice, birthday="1990-05-11T23:30:00+02:00")["birthday"] == "1990-05-11"
    assert a_contact(cast.alice, birthday="19900511")["birthday"] == "1990-05-11"


def test_a_phone_number_is_stored_as_typed(cast: Cast) -> None:
    assert a_contact(cast.alice, phone_number="ask for Ana: 06-12 34 56 78 ext. 3")["phone_number"] == "ask for Ana: 06-12 34 56 78 ext. 3"


def test_a_unique_id_is_unique_for_each_user(cast: Cast) -> None:
    a_contact(cast.alice, unique_id="crm-7")
    again = cast.alice.post("/api/contacts", json={"first_name": "Bo", "unique_id": "crm-7"})
    assert (again.status, again.broken) == (409, ["unique_id"])
    a_contact(cast.bob, unique_id="crm-7")
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 1


def test_new_returns_the_fields_and_saves_nothing(cast: Cast) -> None:
    blank = cast.alice.get("/api/contacts/new")
    assert set(blank.json) == set(WHOLE)
    assert cast.alice.get("/api/contacts?count=true").json["total"] == 0


def test_fields_may_be_wrapped_and_come_as_a_form(cast: Cast) -> None:
    response = cast.alice.post("/api/contacts", data={"contact[first_name]": "Ana", "contact[tag_list]": "a,b"})
    assert (response.status, response.json["tags"]) == (201, ["a", "b"])
