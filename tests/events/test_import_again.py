"""Import a file again: events that changed in it are updated, and so are events that were exported here."""

from typing import Any

import pytest

from tests.cast import Cast, a_calendar, a_comment, an_event
from tests.conftest import Clock
from tests.events.importing import a_file, an_entry, counts, events, imported, starts

pytestmark = pytest.mark.on_one_database

PARIS: dict[str, Any] = {"time_zone": "Europe/Paris"}


def test_only_what_changed_in_the_file_is_updated(cast: Cast, clock: Clock) -> None:
    before = imported(cast.alice, a_file(an_entry("a"), an_entry("b", title="Other")))
    tags = [cast.alice.get(f"/api/events/{each['id']}").headers["ETag"] for each in before["events"]]
    clock.ahead(60)
    came = imported(cast.alice, a_file(an_entry("a", title="Concerto"), an_entry("b", title="Other"), an_entry("c")))
    assert counts(came) == (1, 1, 1, 0)
    assert [each["id"] for each in came["events"]][:2] == [each["id"] for each in before["events"]]
    now = [cast.alice.get(f"/api/events/{each['id']}") for each in came["events"]]
    assert [reply.json["title"] for reply in now] == ["Concerto", "Other", "Concert"]
    assert now[0].headers["ETag"] != tags[0]
    assert now[1].headers["ETag"] == tags[1]


@pytest.mark.parametrize(
    "line",
    [
        "DESCRIPTION:More",
        "LOCATION:Paris",
        "CATEGORIES:jazz",
        "IMAGE;VALUE=URI:https://example.org/a.png",
        "DTEND:20260601T190000Z",
        "DURATION:PT2H",
        "RRULE:FREQ=DAILY;COUNT=3",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=4",
        "RDATE:20260605T180000Z",
    ],
)
def test_every_field_that_changes_is_an_update_and_so_is_its_change_back(cast: Cast, line: str) -> None:
    plain, more = a_file(an_entry()), a_file(an_entry("one", "DTSTART:20260601T180000Z", line))
    first = imported(cast.alice, plain)["events"][0]["id"]
    for content in (more, plain):
        assert counts(imported(cast.alice, content)) == (0, 1, 0, 0)
        assert counts(imported(cast.alice, content)) == (0, 0, 1, 0)
        assert first in [each["id"] for each in events(cast.alice)]
    assert starts(cast.alice) == ["2026-06-01T18:00:00+00:00"]


def test_a_changed_rule_keeps_what_still_fits_and_what_people_wrote_to(cast: Cast) -> None:
    daily = a_file(an_entry("s", "DTSTART:20260601T180000Z", "RRULE:FREQ=DAILY;COUNT=4"))
    imported(cast.alice, daily)
    before = {each["start_time"]: each["id"] for each in events(cast.alice)}
    discussed = before["2026-06-02T18:00:00+00:00"]
    a_comment(cast.alice, {"id": discussed})
    came = imported(cast.alice, daily.replace("COUNT=4", "COUNT=3;INTERVAL=2"))
    assert counts(came) == (0, 1, 0, 0)
    after = {each["start_time"]: each["id"] for each in events(cast.alice)}
    assert list(after) == [f"2026-06-0{day}T18:00:00+00:00" for day in (1, 2, 3, 5)]
    assert all(before[start] == after[start] for start in list(after)[:3])
    assert cast.alice.get(f"/api/events/{discussed}").json["series_id"] is None


def test_a_changed_time_of_day_moves_the_series_and_leaves_what_was_changed_here(cast: Cast) -> None:
    weekly = a_file(an_entry("s", "DTSTART;TZID=Europe/Paris:20260601T180000", "RRULE:FREQ=WEEKLY;COUNT=3"))
    imported(cast.alice, weekly)
    ids = [each["id"] for each in events(cast.alice)]
    cast.alice.put(f"/api/events/{ids[1]}", json={"title": "Special"})
    assert counts(imported(cast.alice, weekly)) == (0, 0, 1, 0)
    imported(cast.alice, weekly.replace("T180000", "T200000"))
    held = events(cast.alice)
    assert [each["id"] for each in held] == ids
    assert [each["start_time"][11:16] for each in held] == ["20:00", "18:00", "20:00"]


def test_an_occurrence_that_was_deleted_here_is_not_imported_again(cast: Cast) -> None:
    weekly = a_file(an_entry("s", "DTSTART:20260601T180000Z", "RRULE:FREQ=WEEKLY;COUNT=3"))
    imported(cast.alice, weekly)
    cast.alice.delete(f"/api/events/{events(cast.alice)[1]['id']}")
    assert counts(imported(cast.alice, weekly)) == (0, 0, 1, 0)
    imported(cast.alice, weekly.replace("Concert", "Concerto"))
    assert starts(cast.alice, title="concerto") == ["2026-06-01T18:00:00+00:00", "2026-06-15T18:00:00+00:00"]


def test_an_occurrence_that_a_later_file_cancels_is_cancelled(cast: Cast) -> None:
    weekly = an_entry("s", "DTSTART:20260601T180000Z", "RRULE:FREQ=WEEKLY;COUNT=3")
    imported(cast.alice, a_file(weekly))
    gone = an_entry("s", "DTSTART:20260608T180000Z", "RECURRENCE-ID:20260608T180000Z", "STATUS:CANCELLED")
    assert counts(imported(cast.alice, a_file(weekly, gone))) == (0, 1, 0, 0)
    assert counts(imported(cast.alice, a_file(weekly, gone))) == (0, 0, 1, 0)
    assert [event["status"] for event in events(cast.alice)] == ["planned", "cancelled", "planned"]


def test_importing_a_file_into_two_calendars_creates_separate_events(cast: Cast) -> None:
    content = a_file(an_entry(), an_entry("s", "DTSTART:20260701T180000Z", "RRULE:FREQ=DAILY;COUNT=2"))
    first, second = a_calendar(cast.alice)["id"], a_calendar(cast.alice)["id"]
    for calendar in (first, second):
        assert counts(imported(cast.alice, content, calendar_id=calendar)) == (2, 0, 0, 0)
    imported(cast.alice, content.replace("Concert", "Concerto"), calendar_id=first)
    assert {each["title"] for each in events(cast.alice, calendar_id=second)} == {"Concert"}


def exported(cast: Cast, calendar_id: int) -> str:
    return cast.alice.get(f"/api/calendars/{calendar_id}.ics").text


def test_an_exported_file_is_imported_onto_its_own_events(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, time_zone="Europe/Paris")["id"]
    weekly = an_event(cast.alice, calendar_id=calendar, start_time="2026-10-05T23:00", end_time="2026-10-06T05:00", tag_list="a,b")
    cast.alice.put(f"/api/events/{weekly['id']}/repeat", json={"frequency": "WEEKLY", "end_date": "2026-11-20"})
    event_ids = [each["id"] for each in events(cast.alice, calendar_id=calendar)]
    cast.alice.put(f"/api/events/{event_ids[2]}", json={"title": "Special", "start_time": "2026-10-21T10:00"})
    cast.alice.delete(f"/api/events/{event_ids[4]}")
    an_event(cast.alice, calendar_id=calendar, start_time="2026-07-01", end_time="2026-07-01", street="12 High St", city="York")
    an_event(cast.alice, calendar_id=calendar, start_time="2026-10-25T02:30:00+01:00", end_time="2026-10-25T04:00")
    an_event(
        cast.alice, calendar_id=calendar, start_time="2026-07-01T10:00Z", time_zone="America/New_York", image_url="https://example.org/a"
    )
    before, content = events(cast.alice, calendar_id=calendar), exported(cast, calendar)
    assert counts(imported(cast.alice, content, calendar_id=calendar)) == (0, 0, 4, 0)
    assert events(cast.alice, calendar_id=calendar) == before
    elsewhere = a_calendar(cast.alice, time_zone="Europe/Paris")["id"]
    came = imported(cast.alice, content, calendar_id=elsewhere)
    assert (counts(came), came["remarks"]) == ((4, 0, 0, 0), [])
    compared = ("title", "start_time", "end_time", "all_day", "time_zone", "location", "tags", "image_url", "description", "repeat")
    old, new = (
        [{name: each[name] for name in compared if name != "repeat"} for each in events(cast.alice, calendar_id=c)]
        for c in (calendar, elsewhere)
    )
    assert [each | {"end_time": None if each["all_day"] else each["end_time"]} for each in old] == new


def test_a_change_in_an_exported_file_updates_its_event(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)["id"]
    event = an_event(cast.alice, calendar_id=calendar, street="12 High St", city="York")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-03"})
    content = exported(cast, calendar)
    assert counts(imported(cast.alice, content.replace("SUMMARY:Concert", "SUMMARY:Concerto"), calendar_id=calendar)) == (0, 1, 0, 0)
    held = events(cast.alice, calendar_id=calendar)
    assert [(each["title"], each["street"]) for each in held] == [("Concerto", "12 High St")] * 3
    assert held[0]["id"] == event["id"]


def test_an_import_does_not_change_events_that_are_only_placed_on_the_calendar(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    calendar = a_calendar(cast.bob, public=True)["id"]
    assert cast.bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar}).status == 200
    content = cast.bob.get(f"/api/calendars/{calendar}.ics").text.replace("SUMMARY:Concert", "SUMMARY:Mine now")
    came = imported(cast.bob, content, calendar_id=calendar)
    assert (counts(came), came["remarks"][0]["message"]) == ((0, 0, 0, 1), "it was left as it is: it is not yours to edit")
    assert cast.alice.get(f"/api/events/{event['id']}").json["title"] == "Concert"


def test_an_import_never_reaches_beyond_its_calendar(cast: Cast) -> None:
    """Of a series of which only one occurrence is on the calendar, the others would be exceptions."""
    event = an_event(cast.alice)
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "end_date": "2026-06-05"})
    calendar = a_calendar(cast.alice)["id"]
    cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar})
    came = imported(cast.alice, exported(cast, calendar), calendar_id=calendar)
    assert counts(came) == (0, 0, 0, 1)
    assert len(starts(cast.alice, calendar_id=cast.alice.primary_calendar_id)) == 5
