"""POST /api/calendars."""

from typing import Any

import pytest

from kalends.core.values import timestamps
from tests.cast import Cast, Person
from tests.conftest import NOON, Clock

pytestmark = pytest.mark.on_one_database

JAZZ = {
    "name": "Jazz",
    "description": "Late,\nand loud.",
    "color": "#A0B1C2",
    "time_zone": "America/New_York",
    "public": True,
    "moderation": "all",
    "party_max": 12,
    "confirmations": "off",
    "confirm_responses": "always",
    "confirm_above": 20,
    "hold_minutes": 90,
    "scheduling": "off",
    "keep_responses_days": 90,
}


def test_create_stores_every_field(cast: Cast, clock: Clock) -> None:
    response = cast.alice.post("/api/calendars", json=JAZZ)
    assert response.status == 201
    assert response.headers["Location"] == f"/api/calendars/{response.json['id']}"
    stamps = {"created_at": timestamps.format_utc(NOON), "updated_at": timestamps.format_utc(NOON)}
    role = {"id": response.json["id"], "primary": False, "role": "owner", "can_edit": True, "owner": {"id": cast.alice.id, "name": "Alice"}}
    assert response.json.items() >= (JAZZ | stamps | role | {"shares": []}).items()
    assert cast.alice.get(response.headers["Location"]).json == response.json


def test_all_but_the_name_have_defaults(cast: Cast) -> None:
    hiro = Person(cast.anonymous, "hiro", time_zone="Asia/Tokyo")
    calendar = hiro.post("/api/calendars", json={"name": "Jazz"}).json
    defaults = {"description": None, "color": "#0b6b43", "time_zone": "Asia/Tokyo", "public": False, "moderation": "guests"}
    assert {field: calendar[field] for field in defaults} == defaults


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_field_gets_its_default(cast: Cast, empty: str | None) -> None:
    fields = ("description", "color", "time_zone", "public", "moderation")
    calendar = cast.alice.post("/api/calendars", json={"name": "Jazz"} | dict.fromkeys(fields, empty)).json
    assert [calendar[field] for field in fields] == [None, "#2f6fde", "UTC", False, "guests"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "x" * 200),
        ("name", "7"),
        ("description", "x" * 20_000),
        ("description", "two\n\nparagraphs\twith a tab"),
        ("color", "#000000"),
        ("color", "#ffffff"),
        ("time_zone", "UTC"),
        ("time_zone", "America/Argentina/Buenos_Aires"),
        ("public", True),
        ("moderation", "none"),
        ("moderation", "guests"),
        ("moderation", "all"),
    ],
)
def test_a_valid_value_is_stored(cast: Cast, field: str, value: Any) -> None:
    assert cast.alice.post("/api/calendars", json={"name": "Jazz"} | {field: value}).json[field] == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", value) for value in ["", None, "   ", "x" * 201, 7, ["Jazz"], "two\nlines", "nul\0"]),
        *(("description", value) for value in ["x" * 20_001, 7, "bell\a", "nul\0"]),
        *(("color", value) for value in ["red", "#fff", "#12345g", "2f6fde", "#2f6fde00", 7, "#2f6fde;"]),
        *(("time_zone", value) for value in ["Mars/Olympus", "europe/paris", "+02:00", "../UTC", 2]),
        *(("public", value) for value in ["perhaps", 2, [True]]),
        *(("moderation", value) for value in ["some", "Guests", True]),
    ],
)
def test_an_invalid_value_names_its_field_and_creates_nothing(cast: Cast, field: str, value: Any) -> None:
    response = cast.alice.post("/api/calendars", json={"name": "Jazz"} | {field: value})
    assert (response.status, response.broken) == (422, [field])
    assert len(cast.alice.get("/api/calendars").json["calendars"]) == 1


def test_two_calendars_may_have_the_same_name(cast: Cast) -> None:
    first, second = (cast.alice.post("/api/calendars", json={"name": "Jazz"}).json for _ in range(2))
    assert first["id"] != second["id"]


def test_a_key_creates_calendars_for_its_user(cast: Cast) -> None:
    key = cast.alice.post("/api/keys", json={"name": "robot"}).json
    calendar = cast.anonymous.signed_in(key["wkey"]).post("/api/calendars", json={"name": "Jazz"}).json
    assert calendar["owner"]["id"] == cast.alice.id


def test_unknown_and_read_only_fields_are_ignored(cast: Cast) -> None:
    fields = {"name": "Jazz", "id": 1, "owner_id": cast.bob.id, "is_primary": True, "primary": True, "role": "viewer", "created_at": "x"}
    response = cast.alice.post("/api/calendars", json=fields)
    assert (response.json["owner"]["id"], response.json["primary"], response.json["role"]) == (cast.alice.id, False, "owner")
