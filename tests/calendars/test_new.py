"""GET /api/calendars/new."""

from typing import Any

import pytest

from tests.cast import Cast, Person

pytestmark = pytest.mark.on_one_database


def test_new_returns_the_default_fields_and_saves_nothing(cast: Cast) -> None:
    hiro = Person(cast.anonymous, "hiro", time_zone="Asia/Tokyo")
    response = hiro.get("/api/calendars/new")
    defaults: dict[str, Any] = {"name": "", "description": None, "color": "#0b6b43", "time_zone": "Asia/Tokyo", "public": False}
    defaults |= {"moderation": "guests", "party_max": None, "confirmations": "on", "confirm_responses": "none", "confirm_above": 10}
    defaults |= {"hold_minutes": 60, "scheduling": "on", "keep_responses_days": None}
    assert (response.status, response.json) == (200, defaults)
    assert len(hiro.get("/api/calendars").json["calendars"]) == 1


def test_create_accepts_the_fields_of_new_with_a_name(cast: Cast) -> None:
    form = cast.alice.get("/api/calendars/new").json
    response = cast.alice.post("/api/calendars", json=form | {"name": "Jazz"})
    assert response.status == 201
    assert {field: response.json[field] for field in form} == form | {"name": "Jazz"}
