"""The page on which a calendar is made: guests of its events are reminded by default, and a public event can move to it."""

import re
from typing import Any

import pytest

from tests.cast import Cast, Person, a_calendar, a_reminder, an_event
from tests.events.series import events_of_series

pytestmark = pytest.mark.on_one_database

FIELDS = {"name": "Events by Alice", "time_zone": "Europe/Paris", "color": "#2f6fde", "public": "true", "moderation": "guests"}
QUESTION = "Create a public calendar for your events?"


def _created(owner: Person, **fields: Any) -> dict[str, Any]:
    reply = owner.post("/calendars", data=FIELDS | fields)
    assert reply.status == 303, reply
    calendar: dict[str, Any] = max(owner.get("/api/calendars").json["calendars"], key=lambda each: each["id"])
    return calendar


def _reminders(owner: Person, calendar: dict[str, Any]) -> list[tuple[int, list[str]]]:
    listed = owner.get(f"/api/calendars/{calendar['id']}/reminders").json["reminders"]
    return [(each["before"], each["audience"]) for each in listed]


def test_guests_of_a_new_calendar_are_reminded_a_day_before_unless_the_box_is_cleared(cast: Cast) -> None:
    assert 'name="remind" type="checkbox" value="true" checked' in cast.alice.get("/calendars/new").text
    assert _reminders(cast.alice, _created(cast.alice, remind="true")) == [(1440, ["going", "maybe"])]
    assert _reminders(cast.alice, _created(cast.alice, remind="false")) == []


def test_a_new_calendar_asks_for_name_colour_and_audience_and_folds_the_rest(cast: Cast) -> None:
    first, folded = cast.alice.get("/calendars/new").text.split("<summary>More options</summary>")
    assert set(re.findall('name="(name|color|public|description|time_zone|remind)"', first)) == {"name", "color", "public"}
    assert ('name="time_zone"' in folded, 'name="remind"' in folded) == (True, True)
    assert first.rstrip().endswith('<details class="card">')


def test_the_folded_fields_of_a_calendar_are_open_if_one_of_them_is_wrong(cast: Cast) -> None:
    page = cast.alice.post("/calendars", data=FIELDS | {"time_zone": "Mars/Olympus"}).text
    assert page.split("<summary>More options</summary>")[0].rstrip().endswith('<details class="card" open>')


def test_a_public_event_on_a_private_calendar_asks_for_a_public_one_and_moves_there(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, title="Concert", start_time="2037-06-01T20:00")
    weekly = cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    assert weekly.status == 200, weekly
    path = f"/events/{event['id']}"
    assert QUESTION in cast.alice.get(path).text
    assert QUESTION not in cast.bob.get(path).text
    form = cast.alice.get(f"/calendars/new?event_id={event['id']}").text
    assert f'name="event_id" value="{event["id"]}"' in form
    assert "Events by " in form
    calendar = _created(cast.alice, event_id=str(event["id"]), remind="true")
    assert [each["calendar_ids"] for each in events_of_series(cast.alice, event["id"])] == [[calendar["id"]]] * 3
    assert cast.alice.get(f"/api{path}").json["public"] is True
    assert QUESTION not in cast.alice.get(path).text
    assert f'href="/calendars/{calendar["id"]}"' in cast.anonymous.get(f"/organisers/{cast.alice.id}").text


def test_nobody_moves_the_event_of_another_person_to_a_new_calendar(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    before = len(cast.carol.get("/api/calendars").json["calendars"])
    assert cast.carol.get(f"/calendars/new?event_id={event['id']}").status == 403
    assert cast.carol.post("/calendars", data=FIELDS | {"event_id": str(event["id"])}).status == 403
    assert len(cast.carol.get("/api/calendars").json["calendars"]) == before


def test_an_organiser_with_a_public_calendar_is_not_asked(cast: Cast) -> None:
    a_calendar(cast.dave, public=True)
    event = an_event(cast.dave, public=True, start_time="2037-06-01T20:00")
    assert QUESTION not in cast.dave.get(f"/events/{event['id']}").text


@pytest.mark.parametrize(("visibility", "has_own", "reminded"), [("link", False, True), ("members", False, False), ("public", True, False)])
def test_guests_of_a_new_event_are_reminded_a_day_before_unless_its_calendar_does(
    cast: Cast, visibility: str, has_own: bool, reminded: bool
) -> None:
    calendar = a_calendar(cast.alice)
    if has_own:
        a_reminder(cast.alice, f"/api/calendars/{calendar['id']}")
    page = cast.alice.get(cast.alice.get("/events/new").redirect[0]).text
    assert 'name="remind" type="checkbox" value="true" checked' in page
    token = page.split('name="form_token" value="')[1].split('"')[0]
    fields = {"title": "Concert", "start_time": "2037-06-01", "start_clock": "20:00", "visibility": visibility, "form_token": token}
    fields |= {
        "calendar_id": str(calendar["id"]),
        "remind": "true",
        "repeat": "custom",
        "frequency": "WEEKLY",
        "ends": "after",
        "count": "2",
    }
    created = cast.alice.post("/events", data=fields)
    assert created.status == 303, created
    dates = cast.alice.get(f"/api/events?calendar_id={calendar['id']}").json["events"]
    assert len(dates) == 2
    own = [
        [each["before"] for each in cast.alice.get(f"/api/events/{date['id']}/reminders").json["reminders"] if each["event_id"]]
        for date in dates
    ]
    assert own == [[1440] if reminded else []] * 2
