"""GET /api/events/new: the editable fields with defaults; nothing is saved."""

from datetime import datetime

import pytest

from tests.cast import Cast, Person
from tests.conftest import Clock
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

SETTINGS = {"responses_open", "waiting_list", "waiting_order", "show_counts", "approval", "offer_hours"}
FIELDS = {
    *SETTINGS,
    *("capacity", "responses_until"),
    *("title", "description", "start_time", "end_time", "all_day", "time_zone", "location", "tag_list", "public"),
    *("image_url", "image_alt", "visibility"),
    *("party_max", "status", "status_note", "location_name", "street", "city", "state", "zip", "country"),
    *("latitude", "longitude", "place_for", "online_url", "online_for", "price", "ticket_url"),
}


def test_new_returns_the_fields_and_their_defaults(cast: Cast) -> None:
    fields = cast.alice.get("/api/events/new").json
    assert set(fields) == FIELDS | {"calendar_id", "uid"}
    assert fields["calendar_id"] == cast.alice.primary_calendar_id
    assert {name for name, value in fields.items() if value is not None} == {
        *("title", "start_time", "all_day", "time_zone", "tag_list", "public", "visibility", "status", "calendar_id"),
        *("place_for", "online_for"),
        *SETTINGS,
    }
    assert (fields["title"], fields["all_day"], fields["tag_list"], fields["public"]) == ("", False, "", False)


def test_new_saves_nothing(cast: Cast) -> None:
    assert cast.alice.get("/api/events/new").status == 200
    assert listed(cast.alice) == []


def test_create_accepts_the_fields_of_new_with_a_title(cast: Cast) -> None:
    fields = cast.alice.get("/api/events/new").json
    assert cast.alice.post("/api/events", json=fields).broken == ["title"]
    reply = cast.alice.post("/api/events", json=fields | {"title": "Concert"}, headers={"Prefer": "handling=strict"})
    assert reply.status == 201
    detail = reply.json | {"image_alt": reply.json["image"]}
    assert {name: detail[name] for name in FIELDS} == {name: fields[name] for name in FIELDS} | {"title": "Concert"}
    assert (fields["uid"], fields["calendar_id"] in detail["calendar_ids"]) == (None, True)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Paris", "Asia/Kathmandu", "America/St_Johns", "Australia/Eucla"])
def test_new_proposes_the_next_full_hour_on_ones_own_clock(cast: Cast, clock: Clock, zone: str) -> None:
    erin = Person(cast.anonymous, "erin", time_zone=zone)
    for ahead in (0, 1, 900, 1800, 1799):
        clock.ahead(ahead)
        fields = erin.get("/api/events/new").json
        start = datetime.fromisoformat(fields["start_time"])
        assert (start.minute, start.second, fields["time_zone"]) == (0, 0, zone)
        assert 0 < start.timestamp() - clock.now <= 3600


def test_new_is_public_where_the_primary_calendar_is(cast: Cast) -> None:
    assert cast.alice.put(f"/api/calendars/{cast.alice.primary_calendar_id}", json={"public": True}).status == 200
    assert cast.alice.get("/api/events/new").json["public"] is True


def test_new_requires_signing_in(cast: Cast) -> None:
    assert cast.anonymous.get("/api/events/new").status == 401
