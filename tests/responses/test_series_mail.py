"""What a guest who responds to all dates of a series gets: a mail that says so, and a calendar file with the rule."""

import re
from email.message import EmailMessage
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.events.rules.uid import own_uid
from tests.cast import Cast, Person, a_response, an_event, verified
from tests.events.series import events_of_series, repeat
from tests.responses.guest_browser import GuestBrowser
from tests.responses.mail import links_in, mails_about, text_of, token_of

GUS = "gus@example.org"
Event = dict[str, Any]


def _tuesdays(owner: Person, **fields: Any) -> list[Event]:
    """Five Tuesdays in Paris, at 19:00."""
    times = {"start_time": "2027-06-01T19:00", "end_time": "2027-06-01T21:00", "time_zone": "Europe/Paris"}
    event = an_event(owner, **{"public": True, "title": "Tango", **times, **fields})
    repeat(owner, event["id"], frequency="WEEKLY", end_date="2027-06-29")
    return sorted(events_of_series(owner, event["id"]), key=lambda each: str(each["start_time"]))


def _respond(cast: Cast, date: Event, response: str = "YES", scope: str = "all") -> None:
    form = {"response": response, "email_address": GUS, "name": "Gus", "scope": scope}
    assert GuestBrowser(cast.anonymous).post(f"/events/{date['id']}/respond", **form).status == 303


def _row_id(owner: Person, date: Event) -> int:
    return int(owner.get(f"/api/responses?event_id={date['id']}").json["responses"][0]["id"])


def _file(mail: EmailMessage) -> str:
    (part,) = [part for part in mail.walk() if part.get_content_type() == "text/calendar"]
    return str(part.get_content())


def _lines(file: str, *names: str) -> list[str]:
    events = file.replace("\r", "")[file.replace("\r", "").index("BEGIN:VEVENT") :]
    return re.findall(rf"(?m)^(?:{'|'.join(names)})\b.*$", events)


def test_the_mail_says_the_series_and_its_file_has_the_rule(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[0])
    (mail,) = mails_about(db, settings, dates[0]["id"])
    text = text_of(mail).replace("\r", "")
    assert "Your RSVP: Going, 1 person. It counts for all dates of the series." in text
    assert "Tuesday, 1 June 2027, 19:00–21:00 (Europe/Paris)\nEvery week on Tuesday until 29 June 2027.\n" in text
    html = mail.get_body(("html",))
    assert "Every week on Tuesday until 29 June 2027." in (html.get_content() if html else "")
    assert _lines(_file(mail), "UID", "RRULE", "DTSTART", "EXDATE", "RECURRENCE-ID") == [
        f"UID:{own_uid(settings, dates[0]['series_id'], 'series')}",
        "DTSTART;TZID=Europe/Paris:20270601T190000",
        "RRULE:FREQ=WEEKLY;UNTIL=20270629T170000Z",
    ]
    assert f"/r/{token_of(db, settings, _row_id(cast.alice, dates[0]))}?response=NO&scope=all" in links_in(mail)


def test_dates_that_are_cancelled_moved_or_deleted_are_so_in_the_file(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    cancelled, moved, deleted = dates[1:4]
    assert cast.alice.put(f"/api/events/{cancelled['id']}", json={"status": "cancelled"}).status == 200
    times = {"start_time": "2027-06-16T20:00", "end_time": "2027-06-16T22:00"}
    assert cast.alice.put(f"/api/events/{moved['id']}", json=times).status == 200
    assert cast.alice.delete(f"/api/events/{deleted['id']}").status == 200
    _respond(cast, dates[0])
    file = _file(mails_about(db, settings, dates[0]["id"])[0])
    assert len(set(_lines(file, "UID"))) == 1
    assert _lines(file, "EXDATE", "RECURRENCE-ID", "STATUS") == [
        "EXDATE;TZID=Europe/Paris:20270608T190000",
        "EXDATE;TZID=Europe/Paris:20270622T190000",
        "RECURRENCE-ID;TZID=Europe/Paris:20270615T190000",
    ]
    assert "DTSTART;TZID=Europe/Paris:20270616T200000" in file


def test_one_date_alone_stays_one_date(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[1], scope="this")
    (mail,) = mails_about(db, settings, dates[1]["id"])
    assert [words for words in ("Every week", "all dates") if words in text_of(mail)] == []
    assert _lines(_file(mail), "RRULE", "RECURRENCE-ID", "DTSTART") == ["DTSTART;TZID=Europe/Paris:20270608T190000"]
    assert not [link for link in links_in(mail) if "scope" in link]


def test_the_file_of_later_dates_begins_with_them(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[2], scope="following")
    (mail,) = mails_about(db, settings, dates[2]["id"])
    assert "It counts for this date and all later ones." in text_of(mail)
    assert _lines(_file(mail), "DTSTART", "EXDATE", "RRULE") == [
        "DTSTART;TZID=Europe/Paris:20270615T190000",
        "RRULE:FREQ=WEEKLY;UNTIL=20270629T170000Z",
    ]


def test_an_answer_to_one_date_of_the_series_leaves_the_rule_with_an_exception(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[0])
    first = _file(mails_about(db, settings, dates[0]["id"])[0])
    token = token_of(db, settings, _row_id(cast.alice, dates[2]))
    assert cast.anonymous.post(f"/r/{token}", data={"response": "NO"}).status == 303
    (mail,) = mails_about(db, settings, dates[2]["id"])
    assert (mail["Subject"], "Every week" in text_of(mail)) == ("Can’t go: Tango", False)
    file = _file(mail)
    assert _lines(file, "UID") == _lines(first, "UID")
    assert _lines(file, "EXDATE") == ["EXDATE;TZID=Europe/Paris:20270615T190000"]
    assert _lines(cast.anonymous.get(f"/r/{token}.ics").text, "UID", "EXDATE") == _lines(file, "UID", "EXDATE")


def test_a_no_to_all_dates_takes_the_series_off_the_calendar(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[0], "NO")
    (never,) = mails_about(db, settings, dates[0]["id"])
    assert "Your RSVP: Can’t go. It counts for all dates of the series." in text_of(never)
    assert "BEGIN:VEVENT" not in never.as_string()
    carol, body = verified(db, cast.carol), {"event_id": dates[0]["id"], "scope": "all"}
    files = []
    for response in ("YES", "NO"):
        assert carol.post("/api/responses", json=body | {"response": response}).status in (200, 201)
        files.append(_file(mails_about(db, settings, dates[0]["id"])[0]))
    assert _lines(files[0], "UID", "STATUS") == _lines(files[1], "UID")
    assert _lines(files[1], "STATUS", "RRULE") == ["RRULE:FREQ=WEEKLY;UNTIL=20270629T170000Z", "STATUS:CANCELLED"]


def test_a_maybe_to_all_dates_is_of_the_series_too(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    _respond(cast, dates[0], "MAYBE")
    (mail,) = mails_about(db, settings, dates[0]["id"])
    assert "Your RSVP: Maybe. It counts for all dates of the series." in text_of(mail)
    assert len(_lines(_file(mail), "RRULE")) == 1


def test_an_earlier_answer_to_the_date_is_replaced_by_that_to_all(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    carol = verified(db, cast.carol)
    a_response(carol, dates[0], response="NO")
    a_response(carol, dates[1], response="NO")
    mails_about(db, settings, dates[0]["id"])
    a_response(carol, dates[0], response="YES", scope="all")
    (mail,) = mails_about(db, settings, dates[0]["id"])
    assert "Your RSVP: Going, 1 person. It counts for all dates of the series." in text_of(mail)
    assert "- Can’t go: Tuesday, 8 June 2027, 19:00–21:00 (Europe/Paris)" in text_of(mail)
    assert _lines(_file(mail), "EXDATE") == ["EXDATE;TZID=Europe/Paris:20270608T190000"]


def test_the_mail_names_the_dates_on_which_the_guest_waits(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice)
    assert cast.alice.put(f"/api/events/{dates[2]['id']}", json={"capacity": 1, "waiting_list": "auto"}).status == 200
    bob = a_response(verified(db, cast.bob), dates[2])
    a_response(verified(db, cast.carol), dates[0], response="YES", scope="all")
    (mail,) = mails_about(db, settings, dates[0]["id"])
    assert "- Waiting list: Tuesday, 15 June 2027, 19:00–21:00 (Europe/Paris)" in text_of(mail)
    mails_about(db, settings, dates[2]["id"])
    assert cast.bob.put(f"/api/responses/{bob['id']}", json={"response": "NO"}).status == 200
    granted = next(each for each in mails_about(db, settings, dates[2]["id"]) if "spot" in each["Subject"])
    assert _lines(_file(granted), "UID", "RRULE") == _lines(_file(mail), "UID", "RRULE")


@pytest.mark.parametrize("what", ["moved", "cancelled"])
def test_a_change_of_one_date_replaces_it_in_the_series_of_the_guest(cast: Cast, db: Database, settings: Settings, what: str) -> None:
    dates = _tuesdays(cast.alice)
    carol = verified(db, cast.carol)
    a_response(carol, dates[0], response="YES", scope="all")
    first = _file(mails_about(db, settings, dates[0]["id"])[0])
    change = {"status": "cancelled"} if what == "cancelled" else {"start_time": "2027-06-09T20:00", "end_time": "2027-06-09T22:00"}
    assert cast.alice.put(f"/api/events/{dates[1]['id']}", json=change | {"notify": "all"}).status == 200
    (mail,) = mails_about(db, settings, dates[1]["id"])
    file = _file(mail)
    assert set(_lines(file, "UID")) == set(_lines(first, "UID"))
    assert _lines(file, "RECURRENCE-ID") == ["RECURRENCE-ID;TZID=Europe/Paris:20270608T190000"]
    assert ("STATUS:CANCELLED" in file) == (what == "cancelled")


def test_an_invited_guest_of_a_series_gets_the_same_series(cast: Cast, db: Database, settings: Settings) -> None:
    dates = _tuesdays(cast.alice, public=False)
    invited = cast.alice.post(f"/api/events/{dates[0]['id']}/invitations", json={"addresses": [GUS], "scope": "all"})
    assert invited.status == 202
    (invitation,) = mails_about(db, settings, dates[0]["id"])
    link = next(link for link in links_in(invitation) if link.endswith("?response=YES"))
    assert cast.anonymous.post(link.partition("?")[0], data={"response": "YES"}).status == 303
    (mail,) = mails_about(db, settings, dates[0]["id"])
    assert "It counts for all dates of the series." in text_of(mail)
    assert _lines(_file(mail), "UID", "RRULE") == _lines(_file(invitation), "UID", "RRULE")
