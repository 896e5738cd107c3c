"""GET /api/events/<id>: the event, expanded."""

import pytest

from tests.cast import Cast, a_calendar, an_event
from tests.conftest import NOON, Clock

pytestmark = pytest.mark.on_one_database

FULL = {
    "title": "Blue Train",
    "description": "A night of Coltrane\n\nDoors at seven.",
    "start_time": "2026-06-01T20:00:00+02:00",
    "end_time": "2026-06-01T22:00:00+02:00",
    "all_day": False,
    "time_zone": "Europe/Paris",
    "location": "Blue Note, 131 W 3rd St, New York, NY 10012, USA",
    "image_url": "https://example.org/blue.png",
    "tag_list": "jazz,Late Night",
    "public": True,
}
PARTS = {
    "location_name": "Blue Note",
    "street": "131 W 3rd St",
    "city": "New York",
    "state": "NY",
    "zip": "10012",
    "country": "USA",
}


def test_show_returns_every_field_of_an_event(cast: Cast, clock: Clock) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")["id"]
    event = an_event(cast.alice, calendar_id=calendar, uid="blue@example.org", **FULL)["id"]
    clock.ahead(60)
    assert cast.alice.put(f"/api/events/{event}", json={"tag": "live"}).status == 200
    reply = cast.alice.get(f"/api/events/{event}")
    assert reply.status == 200
    assert NOON == 1_780_000_000
    assert reply.json == FULL | PARTS | {
        "id": event,
        "image": {"url": FULL["image_url"], "width": None, "height": None, "alt": None},
        "tag_list": "jazz,Late Night,live",
        "tags": ["jazz", "Late Night", "live"],
        "calendar_ids": [calendar],
        "calendars": [{"id": calendar, "name": "Jazz"}],
        "owner": {"id": cast.alice.id, "name": "Alice"},
        "visibility": "public",
        "link_url": None,
        "series_id": None,
        "uid": "blue@example.org",
        "repeat": None,
        "party_max": None,
        "responses_open": True,
        "responses_until": None,
        "has_place": True,
        "latitude": None,
        "longitude": None,
        "place_for": "everyone",
        "online": False,
        "online_url": None,
        "online_for": "going",
        "price": None,
        "ticket_url": None,
        "capacity": None,
        "waiting_list": "off",
        "waiting_order": "fit",
        "show_counts": True,
        "approval": False,
        "offer_hours": 24,
        "places": None,
        "status": "planned",
        "status_note": None,
        "responses": {"yes": 0, "maybe": 0, "no": 0, "people": 0},
        "questions": [],
        "comments_count": 0,
        "url": f"http://testserver/events/{event}",
        "can_edit": True,
        "created_at": "2026-05-28T20:26:40Z",
        "updated_at": "2026-05-28T20:27:40Z",
    }


def test_a_bare_event_has_empty_fields(cast: Cast) -> None:
    event = cast.alice.get(f"/api/events/{an_event(cast.alice)['id']}").json
    empty = ["description", "end_time", "location", "image_url", "image", *PARTS]
    assert {name: event[name] for name in empty} == dict.fromkeys(empty)
    assert (event["tag_list"], event["tags"]) == ("", [])


@pytest.mark.parametrize("suffix", ["", ".json", "/"])
def test_an_event_is_shown_at_each_of_its_urls(cast: Cast, suffix: str) -> None:
    event = an_event(cast.alice, public=True)["id"]
    assert cast.anonymous.get(f"/api/events/{event}{suffix}").json["id"] == event


def test_a_guest_reads_a_public_event(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    reply = cast.anonymous.get(f"/api/events/{event}")
    assert (reply.status, reply.json["can_edit"], reply.json["calendars"]) == (200, False, [])


def test_an_event_that_is_not_there_is_404(cast: Cast) -> None:
    event = an_event(cast.alice)["id"]
    assert cast.alice.delete(f"/api/events/{event}").status == 200
    assert cast.alice.get(f"/api/events/{event}").status == 404


def test_readers_see_the_calendars_that_they_have_a_right_to(cast: Cast) -> None:
    public = a_calendar(cast.alice, public=True)["id"]
    private = a_calendar(cast.alice, public=False)["id"]
    event = an_event(cast.alice, calendar_id=public, public=True)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": private}).status == 200
    mine, theirs = (reader.get(f"/api/events/{event}").json for reader in (cast.alice, cast.anonymous))
    assert (mine["calendar_ids"], theirs["calendar_ids"]) == ([public, private], [public])
    assert (mine["can_edit"], theirs["can_edit"]) == (True, False)
    lists = [reader.get("/api/events", query={"calendar_id": public}).json["events"] for reader in (cast.alice, cast.anonymous)]
    assert [[each["calendar_ids"] for each in listed] for listed in lists] == [[[public, private]], [[public]]]
