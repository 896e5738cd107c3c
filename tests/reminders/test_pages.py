"""Reminders on pages: organisers add, change and remove them, with whom each reminds and when."""

import re

from tests.cast import Cast, a_calendar, a_reminder, a_response, an_event


def test_an_organiser_adds_and_removes_a_reminder(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-09T20:00", time_zone="Europe/Paris")
    a_response(cast.alice, event, email_address="gus@example.org")
    path = f"/events/{event['id']}/reminders"
    assert f'href="{path}"' in cast.alice.get(f"/events/{event['id']}/edit").text
    form = {"when": "clock", "days_before": "1", "at": "18:00", "audience[]": "going", "channel": "email", "text": "Bring a chair."}
    broken = cast.alice.post(path, data=form | {"at": ""})
    assert (broken.status, 'href="#at"' in broken.text, "Bring a chair." in broken.text) == (422, True, True)
    assert cast.alice.post(path, data=form).status == 303
    page = cast.alice.get(path).text
    assert "1 day before at 18:00, by email to people who are going" in page
    assert "Will remind 1 person on 8 June 2026, 18:00" in page
    reminder = cast.alice.get(f"/api{path}").json["reminders"][0]
    assert cast.alice.post(f"{path}/{reminder['id']}/delete").status == 303
    assert "None yet." in cast.alice.get(path).text


def test_an_organiser_changes_a_reminder_and_it_keeps_what_is_not_changed(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2026-06-09T20:00", time_zone="Europe/Paris")
    path = f"/events/{event['id']}/reminders"
    reminder = a_reminder(cast.alice, f"/api/events/{event['id']}", before=90, audience=["waiting"], text="Bring a chair.")
    edit = f"{path}/{reminder['id']}/edit"
    assert f'href="{edit}"' in cast.alice.get(path).text
    page = cast.alice.get(edit).text
    assert re.search(r'<option value="90" selected[^>]*>90 minutes before', page)
    assert (re.findall(r'value="(\w+)" checked', page), "Bring a chair." in page) == (["waiting"], True)
    form = {"when": "clock", "days_before": "2", "at": "18:00", "audience[]": "going", "channel": "email", "text": ""}
    broken = cast.alice.post(edit, data=form | {"at": "", "text": "Bring two."})
    assert (broken.status, 'href="#at"' in broken.text, "Bring two." in broken.text) == (422, True, True)
    assert cast.alice.post(edit, data=form).status == 303
    (changed,) = cast.alice.get(f"/api{path}").json["reminders"]
    assert {name: changed[name] for name in ("id", "before", "days_before", "at", "audience", "text")} == {
        "id": reminder["id"],
        "before": None,
        "days_before": 2,
        "at": "18:00",
        "audience": ["going"],
        "text": None,
    }
    assert 'value="clock" selected' in cast.alice.get(edit).text


def test_the_reminders_of_a_calendar_are_changed_there_alone(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    reminder = a_reminder(cast.alice, f"/api/calendars/{calendar['id']}", before=60)
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-09T20:00")
    edit = f"reminders/{reminder['id']}/edit"
    assert cast.alice.get(f"/events/{event['id']}/{edit}").status == 404
    assert cast.alice.post(f"/events/{event['id']}/{edit}", data={"when": "180"}).status == 404
    assert cast.alice.post(f"/calendars/{calendar['id']}/{edit}", data={"when": "180", "audience[]": "all"}).status == 303
    assert "3 hours before, by email to everyone" in cast.alice.get(f"/calendars/{calendar['id']}/reminders").text


def test_the_reminders_of_a_calendar_are_switched_off_for_one_event(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    path = f"/calendars/{calendar['id']}/reminders"
    assert f'href="{path}"' in cast.alice.get(f"/calendars/{calendar['id']}/edit").text
    assert cast.alice.post(path, data={"when": "180", "audience[]": "all", "channel": "email"}).status == 303
    assert "3 hours before, by email to everyone who hasn’t said they can’t go" in cast.alice.get(path).text
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2026-06-09T20:00")
    own = f"/events/{event['id']}/reminders"
    page = cast.alice.get(own).text
    assert ("the calendar" in page, "3 hours before" in page, f'action="{own}/' in page) == (True, True, False)
    assert cast.alice.post(own, data={"when": "1440"}).status == 303
    assert "Off" in cast.alice.get(own).text
    assert [each["state"] for each in cast.alice.get(f"/api{own}").json["reminders"]] == ["off"]


def test_a_reminder_of_a_series_is_added_and_removed_for_all_dates(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2026-06-09T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 2})
    path = f"/events/{event['id']}/reminders"
    assert cast.alice.post(path, data={"when": "60", "audience[]": "going", "scope": "all"}).status == 303
    series_id = cast.alice.get(f"/api/events/{event['id']}").json["series_id"]
    dates = [f"/api/events/{each['id']}/reminders" for each in cast.alice.get(f"/api/events?series_id={series_id}").json["events"]]
    listed = [cast.alice.get(date).json["reminders"] for date in dates]
    assert [len(each) for each in listed] == [1, 1]
    assert cast.alice.post(f"{path}/{listed[0][0]['id']}/delete", data={"dates": "all"}).status == 303
    assert [cast.alice.get(date).json["reminders"] for date in dates] == [[], []]
