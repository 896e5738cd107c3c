"""Feeds with `alarms=1`: the reminders of events as alarms of calendar programs."""

import pytest

from tests.cast import Cast, a_calendar, a_reminder, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database


def _triggers(reader: Client, path: str) -> list[str]:
    lines = reader.get(path).text.split("\r\n")
    assert lines.count("BEGIN:VALARM") == lines.count("END:VALARM")
    return [line.removeprefix("TRIGGER:") for line in lines if line.startswith("TRIGGER:")]


def test_a_feed_has_the_reminders_as_alarms_if_it_is_asked_for_them(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True, time_zone="Europe/Paris")
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-09T20:00", title="Jazz, late")
    an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-10T19:30")
    an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-11T19:30", status="cancelled")
    a_reminder(cast.alice, f"/api/calendars/{calendar['id']}", days_before=1, at="18:00")
    a_reminder(cast.alice, f"/api/calendars/{calendar['id']}", before=60, channel="sms")
    for before in (60, 1440):
        a_reminder(cast.alice, f"/api/events/{event['id']}", before=before, text="The door code is 1234.")
    path = f"/api/calendars/{calendar['id']}.ics"
    for reader in (cast.anonymous, cast.alice):
        plain, alarming = reader.get(path), reader.get(f"{path}?alarms=1")
        assert ("VALARM" in plain.text, plain.headers["ETag"] == alarming.headers["ETag"]) == (False, False)
        assert _triggers(reader, f"{path}?alarms=1") == ["-PT60M", "-PT1440M", "-P1DT90M"]
        assert ("DESCRIPTION:Jazz\\, late" in alarming.text, "1234" in alarming.text) == (True, False)
        unchanged = reader.get(f"{path}?alarms=1", headers={"If-None-Match": alarming.headers["ETag"]})
        assert unchanged.status == 304
    listed = f"/api/events.ics?calendar_id={calendar['id']}"
    assert (_triggers(cast.alice, listed), len(_triggers(cast.alice, f"{listed}&alarms=1"))) == ([], 3)
    assert len(_triggers(cast.alice, f"{listed}&alarms=1&limit=1")) == 2


def test_the_rule_of_a_series_has_the_alarm_once(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-09T20:00")
    a_reminder(cast.alice, f"/api/events/{event['id']}", days_before=0, at="18:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 30})
    path = f"/api/calendars/{calendar['id']}.ics?alarms=1"
    assert _triggers(cast.alice, path) == ["-PT120M"]
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    date = cast.alice.get(f"/api/events?series_id={series_id}").json["events"][2]
    a_reminder(cast.alice, f"/api/events/{date['id']}", before=30)
    assert _triggers(cast.alice, path) == ["-PT120M", "-PT120M", "-PT30M"]
