"""Text: normalised and stripped when it is read; forbidden characters, and the maximum length."""

import json
from uuid import uuid4

import pytest

from kalends.core.values import text
from tests.cast import PASSWORD, Cast, Person, a_calendar
from tests.client import Client, Reply

pytestmark = pytest.mark.on_one_database

ONE_LINE_REFUSES = ["\x00", "\x01", "\x08", "\t", "\n", "\r", "\x0b", "\x1b", "\x1f", "\x7f", "\x80", "\x85", "\x9f", "\u2028", "\u2029"]
LINES_REFUSE = ["\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x1f", "\x7f", "\x80", "\x85", "\x9f"]


def _named(owner: Client, name: str) -> Reply:
    return owner.post("/api/calendars", json={"name": name})


def test_text_is_normalised_to_nfc(cast: Cast) -> None:
    assert _named(cast.alice, "Cafe\u0301 \u212b").json["name"] == "Café Å"


@pytest.mark.parametrize("around", [" ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028", " \n\t "])
def test_surrounding_white_space_is_stripped(cast: Cast, around: str) -> None:
    reply = cast.alice.post(
        "/api/calendars", json={"name": f"{around}Jazz  Nights{around}", "description": f"{around}Late\n\nloud{around}"}
    )
    assert (reply.json["name"], reply.json["description"]) == ("Jazz  Nights", "Late\n\nloud")


@pytest.mark.parametrize("character", ONE_LINE_REFUSES, ids=ascii)
def test_a_line_holds_no_control_characters(cast: Cast, character: str) -> None:
    reply = _named(cast.alice, f"Ja{character}zz")
    assert (reply.status, reply.broken) == (422, ["name"])
    assert cast.alice.post("/api/calendars", data={"name": f"Ja{character}zz"}).broken == ["name"]


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x1c", "\x1d", "\x1e", "\x1f", "\x7f"], ids=ascii)
def test_a_control_character_is_not_white_space_that_is_stripped(cast: Cast, character: str) -> None:
    for name in (f"Jazz{character}", f"{character}Jazz", character):
        assert _named(cast.alice, name).broken == ["name"]
    assert cast.alice.post("/api/calendars", json={"name": "Jazz", "description": character}).broken == ["description"]


@pytest.mark.parametrize("character", LINES_REFUSE, ids=ascii)
def test_lines_hold_no_other_control_characters(cast: Cast, character: str) -> None:
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "description": f"Late{character}loud"})
    assert (reply.status, reply.broken) == (422, ["description"])


def test_lines_end_with_newlines_whatever_wrote_them(cast: Cast) -> None:
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "description": "one\r\ntwo\rthree\n\tfour"})
    assert reply.json["description"] == "one\ntwo\nthree\n\tfour"


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff", "\\udc00\\ud800", "a\\ud83d", "\\ude00b"])
def test_lone_surrogates_are_refused_with_the_fields_name(cast: Cast, escape: str) -> None:
    body = '{"name": "Jazz ' + escape + '", "description": "' + escape + '"}'
    reply = cast.alice.post("/api/calendars", body=body, headers={"Content-Type": "application/json"})
    assert (reply.status, reply.broken) == (422, ["name", "description"])


def test_surrogates_in_pairs_are_characters(cast: Cast) -> None:
    headers = {"Content-Type": "application/json"}
    assert cast.alice.post("/api/calendars", body='{"name": "\\ud83d\\ude00"}', headers=headers).json["name"] == "😀"


@pytest.mark.parametrize(
    "name", ["😀👩‍👩‍👧", "日本語", "שלום", "Ünïcödé", "\ufeffmark", "O'Brien; DROP TABLE users --", "<script>", "%00", 'a\\b"c']
)
def test_all_other_text_comes_back_as_it_was_sent(cast: Cast, name: str) -> None:
    reply = _named(cast.alice, name)
    assert reply.json["name"] == name
    assert cast.alice.get(f"/api/calendars/{reply.json['id']}").json["name"] == name


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0f73", "\u0344\u0315"], ids=ascii)
def test_accents_that_pile_up_are_refused_before_they_cost_anything(cast: Cast, marks: str) -> None:
    """To put thousands of marks in order takes seconds, to put a mebibyte of them takes minutes."""
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "description": "a" + marks * (19_998 // len(marks))})
    assert (reply.status, reply.broken) == (422, ["description"])
    assert _named(cast.alice, "a" + marks * 10).status == 201


@pytest.mark.parametrize(("field", "most"), [("name", 200), ("description", 20_000)])
def test_a_text_has_a_maximum_length_in_characters(cast: Cast, field: str, most: int) -> None:
    fields = {"name": "Jazz"}
    assert cast.alice.post("/api/calendars", json=fields | {field: "é" * most}).status == 201
    assert cast.alice.post("/api/calendars", json=fields | {field: " " + "😀" * most + " "}).status == 201
    reply = cast.alice.post("/api/calendars", json=fields | {field: "x" * (most + 1)})
    assert (reply.status, reply.broken) == (422, [field])
    assert f"{most:,}" in reply.json["errors"][0]["message"]


def test_the_length_counts_after_normalising(cast: Cast) -> None:
    assert len(_named(cast.alice, "e\u0301" * 200).json["name"]) == 200


def test_a_password_keeps_its_spaces(client: Client) -> None:
    name, spaced = uuid4().hex, f"  {PASSWORD}  "
    assert client.post("/api/users", json={"user_name": name, "email_address": f"{name}@example.org", "password": spaced}).status == 201
    for password, status in ((spaced, 201), (PASSWORD, 401)):
        assert client.post("/api/session", json={"user_name": name, "password": password}).status == status


def test_names_are_found_in_every_spelling_of_the_same_characters(cast: Cast) -> None:
    friend = Person(cast.anonymous, "zoé")
    calendar = a_calendar(cast.alice)
    for spelling in (friend.user_name.replace("é", "e\u0301"), friend.user_name.upper(), f" {friend.user_name} "):
        assert cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": spelling}).status == 200


@pytest.mark.parametrize("address", ["bob@mail.local", "o'hara+tag@example.org", "ünï@example.org", "bob@bücher.example"])
def test_an_address_is_checked_for_its_form_only(cast: Cast, address: str) -> None:
    local, _, domain = address.partition("@")
    unique = f"{local}{cast.alice.id}@{domain}"
    changed = cast.alice.put(f"/api/users/{cast.alice.id}", json={"email_address": unique, "current_password": PASSWORD})
    assert (changed.status, changed.json["email_address"]) == (200, unique)


@pytest.mark.parametrize(
    "address",
    ["bob", "@example.org", "bob@", "a b@example.org", "bob@exa mple.org", "bob@@example.org", "b\u0000@x.org", "a@localhost", "foo@bar"],
)
def test_other_forms_are_not_email_addresses(cast: Cast, address: str) -> None:
    assert cast.alice.put(f"/api/users/{cast.alice.id}", json={"email_address": address, "current_password": PASSWORD}).broken == [
        "email_address"
    ]


def test_json_replies_are_utf_8(cast: Cast) -> None:
    reply = _named(cast.alice, "Café 😀")
    assert reply.headers["Content-Type"] == "application/json"
    assert "Café 😀" in reply.content.decode()
    assert json.loads(reply.content)["name"] == "Café 😀"


def test_comparing_disregards_case_and_spelling() -> None:
    assert text.fold_case("STRASSE") == text.fold_case("straße")
    assert text.fold_case("ÉTÉ") == text.fold_case("e\u0301te\u0301")
    assert text.fold_case("Bob") != text.fold_case("Rob")
