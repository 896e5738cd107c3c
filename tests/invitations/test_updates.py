"""What invited guests get when the event changes: a mail whose calendar updates or cancels the entry in theirs."""

import re
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.mail.inbound.handle import handle
from tests.cast import Cast, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.inbound import replies
from tests.invitations.test_invite import calendar_of, calendars_of, invitations, invite
from tests.responses.mail import links_in, mails_about, mails_about_deleted

GUEST = "ana@example.com"


@pytest.fixture
def inbound(settings: Settings, clock: Clock) -> Settings:
    # The worker has its own clock.
    clock.now = timestamps.now()
    return structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")


@pytest.fixture
def alice(cast: Cast, db: Database, inbound: Settings, clock: Clock) -> Client:
    """Alice at a server that takes replies."""
    return Client(application(db, inbound, clock), cast.alice.token)


def _sequence(calendar: str) -> int:
    return max(map(int, re.findall(r"^SEQUENCE:(\d+)$", calendar, re.MULTILINE)))


def _uids(calendar: str) -> set[str]:
    return set(re.findall(r"^UID:(.*)$", calendar, re.MULTILINE))


def test_an_invited_guest_gets_the_new_time_whether_or_not_they_have_responded(cast: Cast, db: Database, inbound: Settings) -> None:
    event: dict[str, Any] = an_event(cast.alice, start_time="2027-06-01T20:00")
    invite(cast.alice, event, GUEST, "zoe@example.com")
    first, _ = mails_about(db, inbound, event["id"])
    to = first["Reply-To"].addresses[0].addr_spec
    notified = cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-06-02T20:00"}).json["notified"]
    assert (notified["email"], notified["skipped"]) == (2, 0)
    update, _ = mails_about(db, inbound, event["id"])
    calendar = calendar_of(update)
    assert (update["To"], "METHOD:REQUEST\n" in calendar, "20270602T200000" in calendar) == (GUEST, True, True)
    assert _sequence(calendar) > _sequence(calendar_of(first))
    assert calendar.count("ATTENDEE") == 1
    assert any(path.startswith("/i/") for path in links_in(update))
    assert handle(db, inbound, replies.gmail(to=to, guest=GUEST)) == "responded"
    assert [mail["To"] for mail in mails_about(db, inbound, event["id"])] == [GUEST]
    # As when a worker claims them: later changes go into another notice.
    with db.write() as tx:
        tx.run("UPDATE change_notices SET closed_at = 1 WHERE closed_at IS NULL")
    (row,) = [row for row in invitations(cast.alice, event) if row["address"] == "zoe@example.com"]
    cast.alice.delete(f"/api/events/{event['id']}/invitations/{row['id']}")
    mails_about(db, inbound, event["id"])
    cast.alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"})
    (cancelled,) = mails_about(db, inbound, event["id"])
    assert cancelled["To"] == GUEST
    assert "METHOD:CANCEL\n" in calendar_of(cancelled)
    assert "PARTSTAT=ACCEPTED" in calendar_of(cancelled)
    assert _sequence(calendar_of(cancelled)) > _sequence(calendar)


def test_cancelling_one_date_cancels_that_date_alone(cast: Cast, db: Database, inbound: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00", time_zone="Europe/Paris")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    invite(cast.alice, event, GUEST, scope="all")
    mails_about(db, inbound, event["id"])
    second = cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-02").json["events"][0]
    cast.alice.put(f"/api/events/{second['id']}", json={"status": "cancelled"})
    (mail,) = mails_about(db, inbound, second["id"])
    calendar = calendar_of(mail)
    assert "METHOD:CANCEL\n" in calendar
    assert calendar.count("BEGIN:VEVENT") == 1
    assert "RECURRENCE-ID;TZID=Europe/Paris:20270608T200000\n" in calendar


def test_a_message_about_several_events_updates_each_in_the_calendar_of_an_invited_guest(
    cast: Cast, db: Database, inbound: Settings
) -> None:
    events = [an_event(cast.alice, start_time="2027-06-01T20:00", title=title) for title in ("Concert", "Lecture")]
    for event in events:
        invite(cast.alice, event, GUEST)
        mails_about(db, inbound, event["id"])
    ids = [event["id"] for event in events]
    assert cast.alice.put(f"/api/events/{ids[0]}", json={"ids": ids, "location": "Elsewhere"}).json["notified"]["email"] == 1
    (mail,) = mails_about(db, inbound, ids[0])
    files = calendars_of(mail)
    assert [(file.count("METHOD:REQUEST"), file.count("BEGIN:VEVENT")) for file in files] == [(1, 1), (1, 1)]
    assert ["SUMMARY:Concert" in files[0], "SUMMARY:Lecture" in files[1]] == [True, True]
    assert len({address for file in files for address in re.findall(r"ORGANIZER.*mailto:(\S+)", file)}) == 2
    assert mail["Reply-To"].addresses[0].addr_spec in files[0]


def test_who_is_invited_to_a_date_that_a_new_rule_deletes_is_notified(cast: Cast, db: Database, inbound: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    path = f"/api/events/{event['id']}/repeat"
    cast.alice.put(path, json={"frequency": "WEEKLY", "count": 3})
    second = cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-02").json["events"][0]
    invite(cast.alice, second, GUEST)
    mails_about(db, inbound, second["id"])
    daily = {"frequency": "DAILY", "count": 2}
    assert cast.alice.put(path, json=daily | {"dry_run": True}).json["would_notify"]["messages"][0]["address"] == GUEST
    page = cast.alice.post(f"/events/{event['id']}/repeat", data={"repeat": "daily", "ends": "after", "count": "2"})
    assert (page.status, "Email 1 person about this change?" in page.text) == (200, True)
    assert cast.alice.put(path, json=daily).json["notified"] == {"email": 1, "sms": 0, "skipped": 0}


def test_who_is_invited_to_a_series_is_notified_when_it_is_split_and_invited_to_both(cast: Cast, db: Database, inbound: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    invite(cast.alice, event, GUEST, scope="all", party_max=2)
    mails_about(db, inbound, event["id"])
    second = cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-02").json["events"][0]
    moved = cast.alice.put(f"/api/events/{second['id']}", json={"start_time": "2027-06-08T21:00", "scope": "following"}).json
    assert moved["notified"]["email"] == 1
    (mail,) = mails_about(db, inbound, second["id"])
    calendar, first = calendars_of(mail)
    assert ("METHOD:REQUEST\n" in calendar, "COUNT=2" in calendar, "20270608T210000" in calendar) == (True, True, True)
    assert ("METHOD:REQUEST\n" in first, "COUNT=1" in first, "20270601T200000" in first) == (True, True, True)
    assert _sequence(first) > 0
    assert _uids(calendar).isdisjoint(_uids(first))
    assert handle(db, inbound, replies.gmail(to=mail["Reply-To"].addresses[0].addr_spec, guest=GUEST)) == "responded"
    for date, state in ((event, "sent"), (second, "answered")):
        assert [(row["address"], row["state"], row["party_max"]) for row in invitations(cast.alice, date)] == [(GUEST, state, 2)]


def _weekly(cast: Cast, db: Database, inbound: Settings, **rule: Any) -> tuple[list[dict[str, Any]], str]:
    """The dates of a series to all of which the guest is invited, and the calendar of the invitation."""
    event = an_event(cast.alice, start_time="2027-06-01T20:00", time_zone="Europe/Paris")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY"} | rule)
    invite(cast.alice, event, GUEST, scope="all")
    (mail,) = mails_about(db, inbound, event["id"])
    return cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-01").json["events"], calendar_of(
        mail
    )


def test_the_old_rule_is_in_the_next_notice_if_a_split_notified_nobody(cast: Cast, db: Database, inbound: Settings) -> None:
    dates, _ = _weekly(cast, db, inbound)
    split = {"title": "Later ones", "scope": "following"}
    assert cast.alice.put(f"/api/events/{dates[2]['id']}", json=split).json["notified"]["email"] == 0
    cast.alice.put(f"/api/events/{dates[0]['id']}", json={"location": "Hall"})
    (mail,) = mails_about(db, inbound, dates[0]["id"])
    old, new = calendars_of(mail)
    assert ("UNTIL=20270608" in old, "LOCATION:Hall" in old, "DTSTART;TZID=Europe/Paris:20270615T200000" in new) == (True, True, True)
    cast.alice.put(f"/api/events/{dates[3]['id']}", json={"location": "Hall"})
    (mail,) = mails_about(db, inbound, dates[3]["id"])
    assert len(calendars_of(mail)) == 1


def test_a_deleted_event_is_cancelled_in_the_calendars_of_those_invited(cast: Cast, alice: Client, db: Database, inbound: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00", public=False)
    invite(cast.alice, event, GUEST)
    (first,) = mails_about(db, inbound, event["id"])
    assert alice.delete(f"/api/events/{event['id']}").json["notified"]["email"] == 1
    (mail,) = mails_about_deleted(db, inbound, cast.alice.id)
    calendar = calendar_of(mail)
    assert (mail["To"], mail["Subject"]) == (GUEST, "Cancelled: Concert")
    assert ("METHOD:CANCEL\n" in calendar, "STATUS:CANCELLED\n" in calendar, calendar.count("ATTENDEE")) == (True, True, 1)
    assert _uids(calendar) == _uids(calendar_of(first))
    assert _sequence(calendar) > _sequence(calendar_of(first))
    organizer = re.search(r"^ORGANIZER.*$", calendar_of(first), re.MULTILINE)
    assert organizer is not None
    assert f"\n{organizer[0]}\n" in calendar


@pytest.mark.parametrize("number", [0, 1])
def test_a_deleted_date_is_cancelled_alone(cast: Cast, alice: Client, db: Database, inbound: Settings, number: int) -> None:
    dates, first = _weekly(cast, db, inbound, count=3)
    alice.delete(f"/api/events/{dates[number]['id']}")
    (mail,) = mails_about_deleted(db, inbound, cast.alice.id)
    calendar = calendar_of(mail)
    assert ("METHOD:CANCEL\n" in calendar, calendar.count("BEGIN:VEVENT"), _uids(calendar)) == (True, 1, _uids(first))
    assert f"RECURRENCE-ID;TZID=Europe/Paris:{('20270601', '20270608')[number]}T200000\n" in calendar
    cast.alice.put(f"/api/events/{dates[2]['id']}", json={"location": "Hall"})
    (update,) = mails_about(db, inbound, dates[2]["id"])
    assert _sequence(calendar_of(update)) > _sequence(calendar) > _sequence(first)


def test_a_series_that_loses_its_end_ends_in_the_calendars_of_those_invited(
    cast: Cast, alice: Client, db: Database, inbound: Settings
) -> None:
    dates, first = _weekly(cast, db, inbound)
    alice.delete(f"/api/events/{dates[2]['id']}", json={"scope": "following"})
    (mail,) = mails_about_deleted(db, inbound, cast.alice.id)
    calendar = calendar_of(mail)
    assert ("METHOD:REQUEST\n" in calendar, "UNTIL=20270608" in calendar, _uids(calendar)) == (True, True, _uids(first))
    assert _sequence(calendar) > _sequence(first)


def test_a_deleted_series_is_cancelled_and_comes_back_with_its_invitations(
    cast: Cast, alice: Client, db: Database, inbound: Settings
) -> None:
    dates, first = _weekly(cast, db, inbound, count=3)
    invite(cast.alice, dates[1], "zoe@example.com")
    mails_about(db, inbound, dates[1]["id"])
    before = [invitations(cast.alice, each) for each in dates]
    alice.delete(f"/api/events/{dates[0]['id']}", json={"scope": "all"})
    mails = {mail["To"]: calendar_of(mail) for mail in mails_about_deleted(db, inbound, cast.alice.id)}
    assert sorted(mails) == [GUEST, "zoe@example.com"]
    assert all("METHOD:CANCEL\n" in calendar for calendar in mails.values())
    assert ("COUNT=3" in mails[GUEST], _uids(mails[GUEST])) == (True, _uids(first))
    assert "20270608T200000" in mails["zoe@example.com"]
    assert cast.alice.post(f"/api/changes/{cast.alice.get('/api/trash').json['trash'][0]['seq']}/undo").status == 200
    after = [invitations(cast.alice, each) for each in dates]
    assert [[row | {"updated_at": 0} for row in rows] for rows in after] == [[row | {"updated_at": 0} for row in rows] for rows in before]
    again = cast.alice.put(f"/api/events/{dates[0]['id']}/invitations/{before[0][0]['id']}/resend")
    assert again.status == 200, again
    (mail,) = mails_about(db, inbound, dates[0]["id"])
    assert ("METHOD:REQUEST\n" in calendar_of(mail), _sequence(calendar_of(mail)) > _sequence(mails[GUEST])) == (True, True)


def test_an_invitation_that_was_not_sent_when_its_event_was_deleted_can_be_sent_again(
    cast: Cast, alice: Client, db: Database, inbound: Settings
) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    invite(cast.alice, event, GUEST)
    alice.delete(f"/api/events/{event['id']}", json={"notify": "none"})
    assert mails_about_deleted(db, inbound, cast.alice.id) == []
    assert cast.alice.post(f"/api/changes/{cast.alice.get('/api/trash').json['trash'][0]['seq']}/undo").status == 200
    (row,) = invitations(cast.alice, event)
    assert (row["address"], row["state"]) == (GUEST, "bounced")
    assert cast.alice.put(f"/api/events/{event['id']}/invitations/{row['id']}/resend").status == 200
    assert [mail["Subject"] for mail in mails_about(db, inbound, event["id"])] == ["Invitation: Concert"]


def test_what_people_are_invited_to_is_not_removed_by_an_undo(cast: Cast) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00")
    history = cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"]
    invite(cast.alice, event, GUEST)
    assert cast.alice.post(f"/api/changes/{history[-1]['seq']}/undo").status == 409
    assert len(invitations(cast.alice, event)) == 1
