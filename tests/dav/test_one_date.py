"""A guest of one date of a series gets that date alone: on the calendar, in the inbox and by mail, and nothing of the series."""

import re
from email.message import EmailMessage
from typing import Any

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, a_response, shared, verified
from tests.conftest import Clock
from tests.dav.clients import calendar_path, propfind, report, responses, sync
from tests.dav.test_scheduling import addresses, delivery, names_of, replies, unfold
from tests.dav.test_write import put
from tests.invitations.test_invite import calendars_of
from tests.responses.mail import mails_about, text_of

SECRET = ("RRULE", "EXDATE", "Internal", "salary", "Every", "week", "20350601", "20350615", "2035-06-01", "June 1")


@pytest.fixture
def inbound(settings: Settings, clock: Clock) -> Settings:
    clock.now = timestamps.now()
    return structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")


@pytest.fixture
def path(cast: Cast) -> str:
    return calendar_path(cast.alice, a_calendar(cast.alice, time_zone="UTC")["id"])


@pytest.fixture
def bob(cast: Cast, db: Database) -> Person:
    """Bob shares a calendar with Alice, so that her invitations are on his at once."""
    shared(cast.bob, a_calendar(cast.bob), cast.alice, "viewer")
    return verified(db, cast.bob)


def attendees(organizer: Person, *guests: Person | str) -> str:
    mails = [each if isinstance(each, str) else each.email_address for each in guests]
    lines = "".join(f"ATTENDEE;RSVP=TRUE;PARTSTAT=NEEDS-ACTION:mailto:{each}\r\n" for each in mails)
    return f"ORGANIZER:mailto:{organizer.email_address}\r\n{lines}" if guests else ""


def a_file(organizer: Person, *, everyone: tuple[Any, ...] = (), on_date: tuple[Any, ...] | None = (), title: str = "Review") -> str:
    """A series of five weeks; its second date, on 8 June, has a title and guests of its own."""
    head = "BEGIN:VEVENT\r\nUID:u1\r\nDTSTAMP:20260101T000000Z\r\nDURATION:PT2H\r\n"
    own = f"RECURRENCE-ID:20350608T180000Z\r\nDTSTART:20350608T180000Z\r\nSUMMARY:{title}\r\n{attendees(organizer, *on_date or ())}"
    date = "" if on_date is None else f"{head}{own}END:VEVENT\r\n"
    return f"""BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Other//EN\r\n{head}DTSTART:20350601T180000Z\r\nSUMMARY:Internal salary round\r
DESCRIPTION:Every salary\r\nRRULE:FREQ=WEEKLY;COUNT=5\r\n{attendees(organizer, *everyone)}END:VEVENT\r\n{date}END:VCALENDAR\r\n"""


def dates(person: Person) -> list[str]:
    return [each["start_time"][:10] for each in person.get("/api/events").json["events"]]


def event_on(person: Person, day: str) -> dict[str, Any]:
    [event] = [each for each in person.get("/api/events").json["events"] if each["start_time"].startswith(day)]
    return dict(event)


def file_of(person: Person) -> tuple[str, str]:
    """The path and the text of the only invitation on the calendar."""
    [name] = names_of(person, calendar_path(person))
    path = f"{calendar_path(person)}{name}"
    return path, unfold(person.get(path))


def is_secret(text: str) -> bool:
    return not any(word in text for word in SECRET)


@pytest.mark.parametrize("title", ["Review", "Internal salary round"])
def test_a_guest_of_one_date_has_this_date_on_the_calendar_and_in_the_inbox(cast: Cast, path: str, bob: Person, title: str) -> None:
    alice = cast.alice
    assert put(alice, f"{path}a.ics", a_file(alice, on_date=(bob, "other@example.org"), title=title)).status == 201
    assert dates(bob) == ["2035-06-08"]
    event = event_on(bob, "2035-06-08")
    inbox = f"/dav/users/{bob.id}/inbox/"
    [message] = names_of(bob, inbox)
    detail = bob.get(f"/api/events/{event['id']}")
    assert (detail.json["title"], detail.json["repeat"]) == (title, None)
    own, file = file_of(bob)
    listed = report(
        bob,
        calendar_path(bob),
        "C:calendar-query",
        '<D:prop><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"/></C:filter>',
    )
    feed = bob.get(f"/api/calendars/{bob.primary_calendar_id}.ics")
    for text in (file, bob.get(f"{inbox}{message}").text, listed.text, feed.text, bob.get("/api/events.ics").text):
        assert "20350608T180000Z" in text
        assert is_secret(text.replace("SUMMARY:Internal salary round", "")), text
    page = bob.get(f"/events/{event['id']}").text
    assert [word for word in ("Every", "week", "June 1", "2035-06-15") if word in page] == []
    assert delivery(alice.get(f"{path}a.ics")) == {bob.email_address: "1.1", "other@example.org": "1.1"}
    # The reply is in the organiser's file, on this date.
    reply = put(bob, own, file.replace("NEEDS-ACTION", "ACCEPTED"))
    assert reply.status == 204, reply
    assert replies(alice, event_on(alice, "2035-06-08")) == [(bob.email_address, "YES")]
    assert replies(alice, event_on(alice, "2035-06-15")) == []
    assert f"PARTSTAT=ACCEPTED;SCHEDULE-STATUS=1.1:mailto:{bob.email_address}" in _ordered(unfold(alice.get(f"{path}a.ics")))


def _ordered(text: str) -> str:
    return re.sub(r"SCHEDULE-STATUS=1\.1;PARTSTAT=([A-Z-]+)", r"PARTSTAT=\1;SCHEDULE-STATUS=1.1", text)


def test_changes_of_the_series_do_not_reach_the_guest_of_one_date_and_those_of_the_date_do(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", a_file(alice, on_date=(bob,)))
    own, file = file_of(bob)
    _, token = sync(bob, calendar_path(bob))
    text = a_file(alice, on_date=(bob,)).replace("COUNT=5", "COUNT=7").replace("DESCRIPTION:Every", "DESCRIPTION:Each week, Every")
    assert put(alice, f"{path}a.ics", text).status == 204
    assert (dates(bob), file_of(bob)) == (["2035-06-08"], (own, file))
    put(alice, f"{path}a.ics", text.replace("SUMMARY:Review", "SUMMARY:Second review"))
    assert "SUMMARY:Second review" in file_of(bob)[1]
    assert is_secret(file_of(bob)[1])
    assert sync(bob, calendar_path(bob), token)[0][own.rpartition("/")[2]] == 200
    assert set(responses(propfind(bob, calendar_path(bob), "D:getetag", depth="1"))) == {
        str(bob.primary_calendar_id),
        own.rpartition("/")[2],
    }
    # Without the guest, and without a date of its own.
    for without in (a_file(alice), a_file(alice, on_date=None)):
        put(alice, f"{path}a.ics", text)
        assert dates(bob) == ["2035-06-08"]
        put(alice, f"{path}a.ics", without)
        assert (dates(bob), names_of(bob, calendar_path(bob))) == ([], [])


def test_a_guest_of_one_date_is_invited_to_all_later_and_to_one_again(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", a_file(alice, on_date=(bob,)))
    a_response(bob, event_on(bob, "2035-06-08"), response="YES")
    put(alice, f"{path}a.ics", a_file(alice, everyone=(bob,), on_date=(bob,)))
    assert len(dates(bob)) == 5
    assert "RRULE" in file_of(bob)[1]
    assert len(names_of(bob, calendar_path(bob))) == 1
    states = addresses(alice, event_on(alice, "2035-06-15"))
    assert states == {bob.email_address: "queued"}
    put(alice, f"{path}a.ics", a_file(alice, on_date=(bob,)))
    assert dates(bob) == ["2035-06-08"]
    assert is_secret(file_of(bob)[1])


def test_the_mails_to_a_guest_of_one_date_have_nothing_of_the_series(inbound: Settings, cast: Cast, path: str, db: Database) -> None:
    alice, guest = cast.alice, f"ana-{cast.alice.id}@example.com"

    def mails() -> list[EmailMessage]:
        return [mail for day in ("2035-06-08", "2035-06-01") for mail in mails_about(db, inbound, event_on(alice, day)["id"])]

    put(alice, f"{path}a.ics", a_file(alice, on_date=(guest,)))
    [mail] = mails()
    assert (mail["To"], mail["Subject"]) == (guest, "Invitation: Review")
    _check(mail, "REQUEST")
    put(alice, f"{path}a.ics", a_file(alice, on_date=(guest,)).replace("DTSTART:20350608T180000Z", "DTSTART:20350609T170000Z"))
    event = event_on(alice, "2035-06-09")
    [update] = mails_about(db, inbound, event["id"])
    _check(update, "REQUEST", "20350609T170000Z")
    with db.write() as tx:
        tx.run("UPDATE change_notices SET closed_at = 1 WHERE closed_at IS NULL")
    put(alice, f"{path}a.ics", a_file(alice))
    [cancelled] = mails()
    _check(cancelled, "CANCEL")
    # To all of it: the one date leaves the guest's calendar with the same mail.
    put(alice, f"{path}a.ics", a_file(alice, on_date=(guest,)))
    [again] = mails()
    _check(again, "REQUEST")
    put(alice, f"{path}a.ics", a_file(alice, everyone=(guest,), on_date=(guest,)))
    [whole] = mails()
    assert "Every week" in text_of(whole)
    request, cancel = calendars_of(whole)
    assert "RRULE" in request
    assert "METHOD:CANCEL\n" in cancel
    assert _uid(cancel) == _uid(calendars_of(again)[0])


def _uid(calendar: str) -> str:
    match = re.search("UID:(.*)", calendar)
    assert match
    return match[1]


def _check(mail: EmailMessage, method: str, time: str = "20350608T180000Z") -> None:
    [calendar] = calendars_of(mail)
    assert (f"METHOD:{method}\n" in calendar, time in calendar) == (True, True), calendar
    assert is_secret(calendar), calendar
    assert is_secret(text_of(mail)), text_of(mail)


def test_a_mail_to_a_guest_of_one_date_that_comes_back_is_in_the_file_of_the_series(cast: Cast, path: str, db: Database) -> None:
    alice, guest = cast.alice, f"gone-{cast.alice.id}@example.com"
    put(alice, f"{path}a.ics", a_file(alice, on_date=(guest,)))
    before = alice.get(f"{path}a.ics")
    with db.write() as tx:
        tx.run("UPDATE invitations SET state = 'bounced' WHERE email_key = :key", key=guest)
    got = alice.get(f"{path}a.ics")
    assert (delivery(before), delivery(got)) == ({guest: "1.1"}, {guest: "5.2"})
    assert got.headers["ETag"] != before.headers["ETag"]
