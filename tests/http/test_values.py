"""Values: BOOLEAN words, 64-bit integers, what an empty value clears, and what a partial update leaves alone."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar

pytestmark = pytest.mark.on_one_database

TRUE: list[Any] = ["true", "TRUE", "True", "tRuE", "1", "yes", "YES", "on", "On", " true ", True, 1]
FALSE: list[Any] = ["false", "FALSE", "False", "0", "no", "No", "off", "OFF", " off ", False, 0]


@pytest.mark.parametrize(("word", "meant"), [(word, True) for word in TRUE] + [(word, False) for word in FALSE])
def test_a_boolean_is_read_from_many_words_in_any_case(cast: Cast, word: Any, meant: bool) -> None:
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "public": word})
    assert (reply.status, reply.json["public"]) == (201, meant)
    if isinstance(word, str):
        assert cast.alice.post("/api/calendars", data={"name": "Jazz", "public": word}).json["public"] is meant


@pytest.mark.parametrize("word", ["maybe", "2", "-1", "truely", "y", "t", "ja", 2, -1, 0.5, [], {}, [True], {"true": 1}])
def test_other_values_are_not_booleans(cast: Cast, word: Any) -> None:
    reply = cast.alice.post("/api/calendars", json={"name": "Jazz", "public": word})
    assert (reply.status, reply.broken) == (422, ["public"])


@pytest.mark.parametrize("number", ["7", " 7 ", "+7", "007", "+00000000000000000000000007", "7\u2003"])
def test_an_integer_is_read_from_these_texts(cast: Cast, number: str) -> None:
    assert cast.alice.get("/api/calendars", query={"limit": number}).json["limit"] == 7


@pytest.mark.parametrize("number", [7, 7.0, "7"])
def test_an_integer_is_read_from_these_json_values(cast: Cast, number: Any) -> None:
    assert cast.alice.request("GET", "/api/calendars", json={"limit": number}).json["limit"] == 7


@pytest.mark.parametrize(
    "number", ["7\x1c", "\x1e7", "seven", "7.5", "1e3", "0x10", "7 7", "٧", "²", "--7", "1_000", "1,000", "NaN", "-", "+"]
)
def test_other_texts_are_not_integers(cast: Cast, number: str) -> None:
    reply = cast.alice.get("/api/calendars", query={"offset": number})
    assert (reply.status, reply.broken) == (422, ["offset"])


@pytest.mark.parametrize("number", [True, False, 7.5, 1e300, [], [7], {}, {"7": 7}])
def test_other_json_values_are_not_integers(cast: Cast, number: Any) -> None:
    reply = cast.alice.request("GET", "/api/calendars", json={"offset": number})
    assert (reply.status, reply.broken) == (422, ["offset"])


def test_the_largest_integer_has_64_bits(cast: Cast) -> None:
    largest = 2**63 - 1
    reply = cast.alice.get(f"/api/calendars?offset={largest}&limit={largest}")
    assert (reply.status, reply.json["offset"], reply.json["limit"]) == (200, largest, 500)
    assert cast.alice.request("GET", "/api/calendars", json={"offset": largest}).status == 200


@pytest.mark.parametrize("number", [2**63, 2**64, 10**30, 10**400, -(2**63) - 1])
def test_a_larger_integer_is_refused(cast: Cast, number: int) -> None:
    assert cast.alice.get(f"/api/calendars?offset={number}").broken == ["offset"]
    reply = cast.alice.request("GET", "/api/calendars", json={"offset": number})
    assert (reply.status, reply.broken) == (422, ["offset"])


@pytest.mark.parametrize("digits", [5_000, 1_000_000])
def test_an_integer_of_very_many_digits_is_refused(cast: Cast, digits: int) -> None:
    headers = {"Content-Type": "application/json"}
    reply = cast.alice.request("GET", "/api/calendars", body='{"offset": ' + "9" * digits + "}", headers=headers)
    assert (reply.status, reply.broken) == (422, ["offset"])


@pytest.mark.parametrize("number", ["0", "-1", "9223372036854775808", "99999999999999999999", "1.0", "+1", "1 ", "one", "%00", "null"])
def test_an_id_that_no_record_can_have_is_not_found(cast: Cast, number: str) -> None:
    assert cast.alice.get(f"/api/calendars/{number}").status == 404


def test_an_update_changes_only_the_fields_in_the_request(cast: Cast) -> None:
    before = a_calendar(cast.alice, description="Old", color="#111111", public=True, moderation="all")
    after = cast.alice.put(f"/api/calendars/{before['id']}", json={"name": "New"}).json
    assert after["name"] == "New"
    assert {**after, "name": before["name"], "updated_at": before["updated_at"]} == before


@pytest.mark.parametrize("carrier", [{"json": {"description": None}}, {"json": {"description": ""}}, {"data": {"description": ""}}])
def test_null_or_an_empty_text_clears_an_optional_field(cast: Cast, carrier: dict[str, Any]) -> None:
    calendar = a_calendar(cast.alice, description="Old")
    assert cast.alice.put(f"/api/calendars/{calendar['id']}", **carrier).json["description"] is None


@pytest.mark.parametrize("blank", [" ", "\t \n", "\u2003\u00a0"])
def test_white_space_alone_is_an_empty_text(cast: Cast, blank: str) -> None:
    calendar = a_calendar(cast.alice, description="Old")
    changed = cast.alice.put(f"/api/calendars/{calendar['id']}", json={"description": blank})
    assert (changed.status, changed.json["description"]) == (200, None)
    assert cast.alice.get("/api/calendars", query={"limit": blank}).json["limit"] == 50


def test_clearing_a_field_with_a_default_brings_the_default_back(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, color="#111111", public=True, moderation="all")
    cleared = {"color": None, "public": "", "moderation": None}
    changed = cast.alice.put(f"/api/calendars/{calendar['id']}", json=cleared).json
    assert (changed["color"], changed["public"], changed["moderation"]) == ("#2f6fde", False, "guests")


@pytest.mark.parametrize("empty", [None, "", "  "])
def test_a_required_field_cannot_be_cleared(cast: Cast, empty: str | None) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    reply = cast.alice.put(f"/api/calendars/{calendar['id']}", json={"name": empty, "color": "#222222"})
    assert (reply.status, reply.broken) == (422, ["name"])
    unchanged = cast.alice.get(f"/api/calendars/{calendar['id']}").json
    assert (unchanged["name"], unchanged["color"]) == ("Jazz", calendar["color"])


@pytest.mark.parametrize("value", [5, 1.5, True, [], ["Jazz"], {}, {"name": "Jazz"}])
def test_a_text_field_refuses_other_types(cast: Cast, value: Any) -> None:
    reply = cast.alice.post("/api/calendars", json={"name": value})
    assert (reply.status, reply.broken) == (422, ["name"])


def test_a_number_beyond_64_bits_is_reported_as_too_large(cast: Cast) -> None:
    reply = cast.alice.get("/api/calendars", query={"offset": str(2**63)})
    assert (reply.status, reply.json["detail"]) == (422, "offset: is too large")
