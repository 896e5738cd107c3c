"""POST /api/events: create an event on a calendar, by default on one's primary one."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event, shared
from tests.events.listing import listed

pytestmark = pytest.mark.on_one_database

FIELDS = {"title": "Concert", "start_time": "2026-06-01T20:00"}


def test_create_returns_the_event_and_its_location(cast: Cast) -> None:
    created = cast.alice.post("/api/events", json=FIELDS | {"description": "Doors at seven"})
    assert created.status == 201
    assert created.headers["Location"] == f"/api/events/{created.json['id']}"
    reply = cast.alice.get(created.headers["Location"])
    assert (reply.status, reply.json) == (200, created.json)
    assert reply.headers["ETag"] == created.headers["ETag"]
    assert created.json["calendar_ids"] == [cast.alice.primary_calendar_id]
    assert listed(cast.alice) == [created.json["id"]]


@pytest.mark.parametrize(
    "carried",
    [
        {"json": FIELDS},
        {"json": {"event": FIELDS}},
        {"data": FIELDS},
        {"data": {f"event[{name}]": value for name, value in FIELDS.items()}},
        {"query": FIELDS},
    ],
)
def test_create_accepts_json_forms_and_query_parameters(cast: Cast, carried: dict[str, Any]) -> None:
    reply = cast.alice.post("/api/events", **carried)
    assert (reply.status, reply.json["title"], reply.json["start_time"]) == (201, "Concert", "2026-06-01T20:00:00+00:00")


def test_title_and_start_are_required_and_all_that_is_wrong_is_named(cast: Cast) -> None:
    assert cast.alice.post("/api/events", json={}).broken == ["title", "start_time"]
    wrong = {"title": " ", "start_time": "never", "end_time": "later", "image_url": "ftp://x", "public": "perhaps", "calendar_id": 0}
    reply = cast.alice.post("/api/events", json=wrong)
    assert (reply.status, set(reply.broken)) == (422, set(wrong))
    assert listed(cast.alice) == []


@pytest.mark.parametrize(
    ("field", "most"),
    [
        *(("title", 200), ("description", 20_000), ("location", 500), ("image_url", 2_000)),
        *((part, 200) for part in ("location_name", "street", "city", "state", "zip", "country")),
    ],
)
def test_texts_have_a_maximum_length(cast: Cast, field: str, most: int) -> None:
    begin = "https://x/" if field == "image_url" else ""
    longest = begin + "é" * (most - len(begin))
    assert an_event(cast.alice, **{field: longest})[field] == longest
    reply = cast.alice.post("/api/events", json=FIELDS | {field: longest + "é"})
    assert (reply.status, reply.broken) == (422, [field])


@pytest.mark.parametrize("value", ["a\x00b", "a\x01b", "a\x1fb", "a\u2028b"])
@pytest.mark.parametrize("field", ["title", "location", "city", "image_url", "tag_list"])
def test_texts_hold_no_control_characters(cast: Cast, field: str, value: str) -> None:
    reply = cast.alice.post("/api/events", json=FIELDS | {field: value})
    assert (reply.status, reply.broken) == (422, [field])


def test_a_description_has_lines_and_a_title_has_not(cast: Cast) -> None:
    assert an_event(cast.alice, description=" one\r\ntwo\n\tthree ")["description"] == "one\ntwo\n\tthree"
    assert cast.alice.post("/api/events", json=FIELDS | {"title": "one\ntwo"}).broken == ["title"]


def test_text_is_stripped_and_composed(cast: Cast) -> None:
    event = an_event(cast.alice, title="  Cafe\u0301 ", location="\u00a0Ghent ")
    assert (event["title"], event["location"]) == ("Café", "Ghent")


@pytest.mark.parametrize(
    "address",
    ["http://a", "https://example.org/a.png?b=c&d#e", "HTTPS://EXAMPLE.ORG/A", "http://[::1]:8000/x", "https://user@example.org/%C3%A9/é"],
)
def test_an_image_is_at_an_http_address(cast: Cast, address: str) -> None:
    assert an_event(cast.alice, image_url=address)["image_url"] == address


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "data:image/png;base64,AAAA", "ftp://example.org/a.png", "file:///etc/passwd", "//example.org/a.png"),
        *("/a.png", "a.png", "http:", "http://", "https://", "http:///a.png", "http://?a", "https:example.org", "http://a b", "http://["),
        *("http://a\u00a0b", "x http://a", "httpx://a", "java\tscript:x", 5, ["http://a"], {"http://a": 1}),
    ],
)
def test_any_other_address_of_an_image_is_refused(cast: Cast, address: object) -> None:
    reply = cast.alice.post("/api/events", json=FIELDS | {"image_url": address})
    assert (reply.status, reply.broken) == (422, ["image_url"])


def test_an_event_is_public_where_its_calendar_is_unless_it_says_otherwise(cast: Cast) -> None:
    private, public = a_calendar(cast.alice)["id"], a_calendar(cast.alice, public=True)["id"]
    assert an_event(cast.alice, calendar_id=private)["public"] is False
    assert an_event(cast.alice, calendar_id=public)["public"] is True
    assert an_event(cast.alice, calendar_id=private, public="yes")["public"] is True
    assert an_event(cast.alice, calendar_id=public, public="off")["public"] is False
    assert an_event(cast.alice, calendar_id=public, public="")["public"] is True


def test_an_event_stays_private_when_its_calendar_becomes_public(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    assert cast.alice.put(f"/api/calendars/{cast.alice.primary_calendar_id}", json={"public": True}).status == 200
    assert cast.alice.get(f"/api/events/{event}").json["public"] is False
    assert cast.anonymous.get(f"/api/events/{event}").status == 404


def test_an_editor_creates_events_of_their_own_on_a_shared_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    shared(cast.alice, calendar, cast.vera, "viewer")
    event = an_event(cast.bob, calendar_id=calendar["id"])
    assert event["owner"]["id"] == cast.bob.id
    assert listed(cast.alice, calendar_id=calendar["id"]) == listed(cast.vera, calendar_id=calendar["id"]) == [event["id"]]
    assert cast.alice.get(f"/api/events/{event['id']}").json["can_edit"] is True
    assert cast.vera.post("/api/events", json=FIELDS | {"calendar_id": calendar["id"]}).status == 403
    assert cast.carol.post("/api/events", json=FIELDS | {"calendar_id": calendar["id"]}).status == 404


def test_fields_that_clients_may_not_set_are_ignored(cast: Cast) -> None:
    fields = {"id": 1, "owner_id": cast.bob.id, "series_id": 7, "version": 9, "created_at": "1999-01-01", "ids": "1"}
    event = an_event(cast.alice, **fields)
    assert (event["owner"]["id"], event["series_id"], event["tags"]) == (cast.alice.id, None, [])
    assert event["created_at"].startswith("2026-")
    strict = cast.alice.post("/api/events", json=FIELDS | fields, headers={"Prefer": "handling=strict"})
    assert (strict.status, set(strict.broken)) == (422, set(fields))


def test_several_calendars_are_refused_rather_than_ignored(cast: Cast) -> None:
    refused = cast.alice.post("/api/events", json={"title": "Jazz", "start_time": "2027-05-11", "calendar_ids": [1, 2]})
    assert (refused.status, refused.broken) == (422, ["calendar_ids"])
