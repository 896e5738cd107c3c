"""Reminders of events and calendars: adding, changing, deleting, copying and undoing them."""

from typing import Any

import pytest

from tests.cast import Cast, Person, a_calendar, a_reminder, a_response, an_event
from tests.questions.asking import undo

START = "2026-06-01T20:00"


def reminders_of(owner: Person, event: dict[str, Any]) -> list[dict[str, Any]]:
    reminders: list[dict[str, Any]] = owner.get(f"/api/events/{event['id']}/reminders").json["reminders"]
    return reminders


def test_a_reminder_says_when_it_is_due_and_whom_it_reminds(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time=START, time_zone="Europe/Paris")
    for number, response in enumerate(("YES", "MAYBE", "NO")):
        a_response(cast.alice, event, email_address=f"g{number}@example.org", response=response)
    reminder = a_reminder(cast.alice, f"/api/events/{event['id']}", days_before=1, at="18:00", text="Bring a chair.")
    assert reminder == {
        "id": reminder["id"],
        "event_id": event["id"],
        "calendar_id": None,
        "before": None,
        "days_before": 1,
        "at": "18:00",
        "audience": ["going", "maybe"],
        "channel": "email",
        "text": "Bring a chair.",
        "due_time": "2026-05-31T18:00:00+02:00",
        "recipients": 2,
        "state": "planned",
    }
    assert reminders_of(cast.alice, event) == [reminder]


@pytest.mark.on_one_database
@pytest.mark.parametrize(
    ("fields", "broken"),
    [
        ({}, ["before"]),
        ({"before": 4}, ["before"]),
        ({"before": 60, "days_before": 1, "at": "18:00"}, ["days_before"]),
        ({"before": 60, "at": "18:00"}, ["at"]),
        ({"days_before": 1}, ["at"]),
        ({"at": "18:00"}, ["days_before"]),
        ({"days_before": 1, "at": "24:00"}, ["at"]),
        ({"before": 60, "audience": ["everybody"]}, ["audience"]),
        ({"before": 60, "channel": "fax", "text": "x" * 2_001}, ["channel", "text"]),
    ],
)
def test_what_makes_no_reminder_names_its_field(cast: Cast, fields: dict[str, Any], broken: list[str]) -> None:
    reply = cast.alice.post(f"/api/events/{an_event(cast.alice)['id']}/reminders", json=fields)
    assert (reply.status, reply.broken) == (422, broken)


def test_a_new_time_replaces_the_old_one(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    reminder = a_reminder(cast.alice, f"/api/events/{event['id']}")
    path = f"/api/events/{event['id']}/reminders/{reminder['id']}"
    changed = cast.alice.put(path, json={"days_before": 2, "at": "09:30"}).json
    assert (changed["before"], changed["days_before"], changed["at"]) == (None, 2, "09:30")
    assert cast.alice.put(path, json={"at": "10:00", "audience": []}).json["state"] == "off"
    changed = cast.alice.put(path, json={"before": 90}).json
    assert (changed["before"], changed["days_before"], changed["at"], changed["audience"]) == (90, None, None, [])
    assert cast.alice.put(path, json={"before": None}).broken == ["before"]
    assert cast.alice.delete(path).status == 200
    assert (reminders_of(cast.alice, event), cast.alice.put(path, json={"before": 5}).status) == ([], 404)


def test_an_events_own_reminders_replace_those_of_its_calendar(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time=START)
    shared = a_reminder(cast.alice, f"/api/calendars/{calendar['id']}")
    assert (shared["due_time"], shared["recipients"], shared["state"]) == (None, None, None)
    assert [each["id"] for each in reminders_of(cast.alice, event)] == [shared["id"]]
    assert cast.alice.put(f"/api/events/{event['id']}/reminders/{shared['id']}", json={"before": 5}).status == 404
    own = a_reminder(cast.alice, f"/api/events/{event['id']}", before=30)
    assert [each["id"] for each in reminders_of(cast.alice, event)] == [own["id"]]
    assert [each["id"] for each in cast.alice.get(f"/api/calendars/{calendar['id']}/reminders").json["reminders"]] == [shared["id"]]


def test_the_dates_of_a_series_have_the_reminder(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    a_reminder(cast.alice, f"/api/events/{event['id']}")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 3})
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    first, second, third = cast.alice.get(f"/api/events?series_id={series_id}").json["events"]
    copy = reminders_of(cast.alice, second)[0]
    path = f"/api/events/{second['id']}/reminders/{copy['id']}"
    assert cast.alice.put(path, json={"before": 60, "scope": "following"}).status == 200
    assert [reminders_of(cast.alice, date)[0]["before"] for date in (first, second, third)] == [1440, 60, 60]
    assert len(cast.alice.delete(path, json={"scope": "all"}).json["deleted"]) == 3
    added = a_reminder(cast.alice, f"/api/events/{third['id']}", scope="all")
    assert [len(reminders_of(cast.alice, date)) for date in (first, second, third)] == [1, 1, 1]
    assert added["event_id"] == third["id"]


def test_a_copy_takes_the_reminders_of_ones_own_event_alone(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time=START)
    a_reminder(cast.alice, f"/api/events/{event['id']}", text="The door code is 1234.")
    copies = [(person, person.put(f"/api/events/{event['id']}/copy", json={}).json) for person in (cast.alice, cast.carol)]
    assert [[each["text"] for each in reminders_of(person, copy)] for person, copy in copies] == [["The door code is 1234."], []]


def test_a_deleted_reminder_comes_back_by_undo(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    reminder = a_reminder(cast.alice, f"/api/events/{event['id']}")
    cast.alice.delete(f"/api/events/{event['id']}/reminders/{reminder['id']}")
    undo(cast.alice, event)
    assert reminders_of(cast.alice, event) == [reminder]


def test_there_are_at_most_ten_reminders(cast: Cast) -> None:
    event = an_event(cast.alice)
    for before in range(10, 20):
        a_reminder(cast.alice, f"/api/events/{event['id']}", before=before)
    assert cast.alice.post(f"/api/events/{event['id']}/reminders", json={"before": 5}).status == 409
