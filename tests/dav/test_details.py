"""Guests get what the organiser's program wrote beside the event itself: above all the link to the call."""

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, Person, a_calendar, shared, verified
from tests.conftest import Clock
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import FUTURE, event_of, invited, names_of, unfold
from tests.dav.test_write import ALARM, RULE, ics, put
from tests.invitations.test_invite import calendars_of
from tests.responses.mail import mails_about, text_of

CALL = "https://meet.example.org/abc-defg-hij?pwd=1"
LINES = [
    "URL:https://example.org/agenda",
    f"CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=Call:{CALL}",
    f"X-GOOGLE-CONFERENCE:{CALL}",
    "ATTACH;FMTTYPE=application/pdf:https://example.org/slides.pdf",
    "GEO:52.520008;13.404954",
    'X-ALT-DESC;FMTTYPE=text/html:<p>Bring a <a href="https://example.org/">pen</a>, and a very long line about it that is folded</p>',
    "CLASS:CONFIDENTIAL",
    "STATUS:TENTATIVE",
]
DETAILS = "".join(f"{line}\r\n" for line in LINES)
INLINE = "ATTACH;ENCODING=BASE64;VALUE=BINARY:aGVsbG8=\r\n"


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


def own_file(person: Person) -> str:
    [name] = names_of(person, calendar_path(person))
    return f"{calendar_path(person)}{name}"


@pytest.mark.parametrize("more", ["", RULE], ids=["event", "series"])
def test_the_copy_and_the_mail_of_a_guest_have_the_link_to_the_call(
    inbound: Settings, cast: Cast, path: str, bob: Person, db: Database, more: str
) -> None:
    alice = cast.alice
    assert put(alice, f"{path}a.ics", invited(alice, bob, more=more + DETAILS + INLINE)).status == 201
    [mail] = mails_about(db, inbound, int(str(event_of(alice, path)["id"])))
    [message] = names_of(bob, f"/dav/users/{bob.id}/inbox/")
    files = [unfold(bob.get(own_file(bob))), unfold(bob.get(f"/dav/users/{bob.id}/inbox/{message}")), *calendars_of(mail)]
    for file in files:
        lines = file.replace("\r\n", "\n").split("\n")
        assert [line for line in LINES if line not in lines] == []
        assert (lines.count("STATUS:TENTATIVE"), sum(line.startswith("URL:") for line in lines), "BASE64" in file) == (1, 1, False)
    assert CALL in text_of(mail)
    assert CALL.replace("&", "&amp;") in next(part.get_content() for part in mail.walk() if part.get_content_type() == "text/html")


def test_a_guest_who_is_removed_gets_nothing_of_what_is_new(inbound: Settings, cast: Cast, path: str, bob: Person, db: Database) -> None:
    alice, new_call = cast.alice, DETAILS.replace("abc-defg-hij", "new-call") + "DESCRIPTION:new-words\r\nLOCATION:new-place\r\n"
    put(alice, f"{path}a.ics", invited(alice, bob, more=DETAILS))
    event_id = int(str(event_of(alice, path)["id"]))
    mails_about(db, inbound, event_id)
    assert put(alice, f"{path}a.ics", ics(start=FUTURE, title="Dinner", more=new_call)).status == 204
    mail = next(each for each in mails_about(db, inbound, event_id) if "withdrawn" in each["Subject"])
    [file] = calendars_of(mail)
    assert ("SUMMARY:Dinner" in file, "STATUS:CANCELLED" in file) == (True, True)
    assert "new-" not in text_of(mail) + file


def test_a_link_that_the_organiser_changes_is_in_the_copy_of_the_guest(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, bob, more=DETAILS))
    name = own_file(bob)
    got = bob.get(name)
    put(bob, name, got.text.replace("END:VEVENT", f"{ALARM}END:VEVENT"))
    etag = bob.get(name).headers["ETag"]
    put(alice, f"{path}a.ics", invited(alice, bob, more=DETAILS.replace("abc-defg-hij", "new-call").replace("STATUS:TENTATIVE\r\n", "")))
    got = bob.get(name)
    assert unfold(got).count("new-call") == 2
    assert "abc-defg-hij" not in unfold(got)
    assert "STATUS" not in got.text
    assert ALARM in got.text
    assert got.headers["ETag"] != etag
    # The guest replies in it.
    assert put(bob, name, got.text.replace("NEEDS-ACTION", "ACCEPTED")).status == 204


def test_without_a_link_of_the_organiser_guests_have_that_of_their_invitation(cast: Cast, path: str, bob: Person) -> None:
    alice = cast.alice
    put(alice, f"{path}a.ics", invited(alice, bob, more=f"URL:http://testserver/events/{alice.id}\r\n"))
    assert "URL:http://testserver/i/" in unfold(bob.get(own_file(bob)))
