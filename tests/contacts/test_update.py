"""PUT and DELETE /api/contacts/<id>."""

import pytest

from tests.cast import Cast, a_contact

pytestmark = pytest.mark.on_one_database


def test_update_changes_only_the_fields_in_the_request(cast: Cast) -> None:
    contact = a_contact(cast.alice, last_name="Díaz", email_address="ana@example.org", tag_list="jazz")
    changed = cast.alice.put(f"/api/contacts/{contact['id']}", json={"last_name": "Diaz", "email_address": ""})
    assert changed.status == 200
    assert (changed.json["first_name"], changed.json["last_name"], changed.json["email_address"]) == ("Ana", "Diaz", None)
    assert changed.json["tags"] == ["jazz"]


def test_tag_list_replaces_and_tag_appends(cast: Cast) -> None:
    contact = a_contact(cast.alice, tag_list="jazz")
    assert cast.alice.put(f"/api/contacts/{contact['id']}", json={"tag": "Jazz"}).json["tag_list"] == "jazz"
    assert cast.alice.put(f"/api/contacts/{contact['id']}", json={"tag": "blues"}).json["tag_list"] == "jazz,blues"
    assert cast.alice.put(f"/api/contacts/{contact['id']}", json={"tag_list": "x", "tag": "y"}).json["tag_list"] == "x,y"


def test_a_contact_cannot_lose_its_last_name_address_and_number(cast: Cast) -> None:
    contact = a_contact(cast.alice)
    response = cast.alice.put(f"/api/contacts/{contact['id']}", json={"first_name": None})
    assert (response.status, response.broken) == (422, ["first_name"])


def test_a_taken_unique_id_changes_nothing(cast: Cast) -> None:
    a_contact(cast.alice, unique_id="7")
    other = a_contact(cast.alice, first_name="Bo")
    response = cast.alice.put(f"/api/contacts/{other['id']}", json={"first_name": "Boris", "unique_id": "7"})
    assert (response.status, response.broken) == (409, ["unique_id"])
    assert cast.alice.get(f"/api/contacts/{other['id']}").json == other


def test_if_match_prevents_lost_updates(cast: Cast) -> None:
    contact = a_contact(cast.alice)
    path = f"/api/contacts/{contact['id']}"
    etag = cast.alice.get(f"{path}/edit").headers["ETag"]
    assert cast.alice.get(path, headers={"If-None-Match": etag}).status == 304
    assert cast.alice.put(path, json={"last_name": "One"}, headers={"If-Match": etag}).status == 200
    assert cast.alice.put(path, json={"last_name": "Two"}, headers={"If-Match": etag}).status == 412
    assert cast.alice.delete(path, headers={"If-Match": etag}).status == 412
    assert cast.alice.get(path).json["last_name"] == "One"


def test_a_deleted_contact_is_gone(cast: Cast) -> None:
    contact = a_contact(cast.alice)
    assert cast.alice.delete(f"/api/contacts/{contact['id']}").json == {"deleted": [contact["id"]]}
    assert cast.alice.get(f"/api/contacts/{contact['id']}").status == 404


def test_delete_all_deletes_only_own_contacts(cast: Cast) -> None:
    a_contact(cast.alice)
    a_contact(cast.alice)
    a_contact(cast.bob)
    assert cast.alice.post("/api/contacts/delete_all").json == {"deleted": 2}
    assert cast.alice.post("/api/contacts/delete_all").json == {"deleted": 0}
    assert cast.bob.get("/api/contacts?count=true").json["total"] == 1


def test_contacts_are_deleted_with_their_user(cast: Cast) -> None:
    a_contact(cast.dave)
    assert cast.dave.delete(f"/api/users/{cast.dave.id}", json={"current_password": "correct horse battery"}).status == 200
