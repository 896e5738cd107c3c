"""Inviting people by mail: who is invited, what the mail says, and who may see the event by it."""

import re
from email.message import EmailMessage
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast, Person, a_contact, a_response, an_event
from tests.client import Client
from tests.conftest import Clock
from tests.responses.mail import links_in, mails_about, text_of

START = "2027-06-01T20:00"


@pytest.fixture(autouse=True)
def _real_time(clock: Clock) -> None:
    # The worker has its own clock.
    clock.now = timestamps.now()


def invite(host: Person, event: dict[str, Any], *addresses: str, **fields: Any) -> dict[str, Any]:
    reply = host.post(f"/api/events/{event['id']}/invitations", json={"addresses": list(addresses)} | fields)
    assert reply.status == 202, reply
    counts: dict[str, Any] = reply.json
    return counts


def invitations(host: Person, event: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = host.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    return rows


def calendar_of(mail: EmailMessage) -> str:
    return calendars_of(mail)[0]


def calendars_of(mail: EmailMessage) -> list[str]:
    """The calendar files in the mail, without folded lines."""
    contents = [part.get_content() for part in mail.walk() if part.get_content_type() == "text/calendar"]
    texts = [content if isinstance(content, str) else content.decode() for content in contents]
    return [re.sub(r"\r?\n ", "", text).replace("\r\n", "\n") for text in texts]


def test_each_person_is_invited_once(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    ana = a_contact(cast.alice, email_address="ana@example.com", first_name="Ana", tag_list="choir")
    a_contact(cast.alice, first_name="Ben", tag_list="choir")
    counts = invite(cast.alice, event, "ANA@example.com", "zoe@example.com", contact_ids=[ana["id"]], tag="choir")
    assert counts == {"invited": 2, "already": 0, "skipped": 0, "without_address": 1}
    assert invite(cast.alice, event, "zoe@example.com", "new@example.com")["invited"] == 1
    rows = invitations(cast.alice, event)
    assert [(row["address"], row["name"], row["state"]) for row in rows] == [
        ("ana@example.com", "Ana", "queued"),
        ("zoe@example.com", None, "queued"),
        ("new@example.com", None, "queued"),
    ]


def test_an_error_of_the_tag_names_the_tag(cast: Cast) -> None:
    """It is searched for like `tags` of the contacts, and a search takes no * in the middle of one."""
    event = an_event(cast.alice, start_time=START)
    refused = cast.alice.post(f"/api/events/{event['id']}/invitations", json={"tag": "choir*2"})
    assert (refused.status, refused.broken) == (422, ["tag"])


def test_a_dry_run_counts_and_invites_nobody(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    reply = invite(cast.alice, event, "ana@example.com", dry_run=True)
    assert (reply["invited"], reply["would_notify"]["messages"]) == (
        1,
        [{"kind": "invitation", "channel": "email", "address": "ana@example.com", "group": "not_answered"}],
    )
    assert invitations(cast.alice, event) == []


def test_the_mail_of_a_server_that_takes_replies(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START, title="Jam, session", description="Bring an instrument")
    invite(cast.alice, event, "ana@example.com", "zoe@example.com", message="It will be fun")
    inbound = structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")
    mail, _ = mails_about(db, inbound, event["id"])
    assert mail["From"] == '"Alice (via Kalends)" <kalends@testserver>'
    assert re.fullmatch(r"Alice <reply\+\d+-[0-9a-f]{24}@in\.example\.org>", mail["Reply-To"])
    assert (mail["To"], mail["Subject"], mail["Auto-Submitted"]) == ("ana@example.com", "Invitation: Jam, session", "auto-generated")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html", "text/calendar"]
    assert "It will be fun" in text_of(mail)
    octets = list(mail.iter_parts())[2].get_payload(decode=True)
    assert isinstance(octets, bytes)
    assert octets.count(b"\r\n") == octets.count(b"\n") > 10
    calendar = calendar_of(mail)
    assert "METHOD:REQUEST\n" in calendar
    assert re.search(r'ORGANIZER;CN="Alice":mailto:reply\+\d+-[0-9a-f]{24}@in\.example\.org\n', calendar)
    assert re.findall(r"ATTENDEE.*", calendar) == [
        'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN="ana@example.com":mailto:ana@example.com'
    ]
    assert "zoe@" not in mail.as_string()
    assert cast.alice.email_address not in mail.as_string()
    assert len(mail.as_bytes()) < 60_000
    assert [row["state"] for row in invitations(cast.alice, event)] == ["sent", "sent"]


def test_the_mail_of_a_server_without_a_mailbox_promises_no_replies(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START)
    invite(cast.alice, event, "ana@example.com")
    (mail,) = mails_about(db, settings, event["id"])
    # A reply reaches the organiser, and nobody records it.
    assert mail["Reply-To"] == cast.alice.email_address
    assert "METHOD:PUBLISH\n" in calendar_of(mail)
    assert "ATTENDEE" not in calendar_of(mail)
    assert "reply to this email" not in text_of(mail)


def test_no_name_or_title_injects_a_header_or_a_line(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START, title="Jam ;:,\\ session")
    with db.write() as tx:
        tx.run("UPDATE users SET name = :name WHERE id = :id", id=cast.alice.id, name='Al"ice, <eve@example.com>')
    invite(cast.alice, event, "ana@example.com", message="Hi\nBcc: eve@example.com")
    (mail,) = mails_about(db, structs.replace(settings, inbound="pipe"), event["id"])
    assert mail["Bcc"] is None
    assert [address.addr_spec for address in mail["From"].addresses] == ["kalends@testserver"]
    assert 'ORGANIZER;CN="Al\'ice, eve example.com":mailto:reply+' in calendar_of(mail)


def _link(cast: Cast, db: Database, settings: Settings, event: dict[str, Any], address: str, **fields: Any) -> str:
    invite(cast.alice, event, address, **fields)
    (mail,) = mails_about(db, settings, event["id"])
    return next(path for path in links_in(mail) if "?response=YES" in path)


def test_the_link_shows_a_private_event_and_takes_the_response(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START, title="Secret jam")
    link = _link(cast, db, settings, event, "ana@example.com", party_max=2)
    page = cast.anonymous.get(link)
    assert (page.status, "Secret jam" in page.text) == (200, True)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"] == []
    path = link.partition("?")[0]
    form = {"response": "YES", "number": "1", "plus_n": "2", "name": "Ana", "comment": ""}
    assert cast.anonymous.post(path, data=form).status == 422
    reply = cast.anonymous.post(path, data=form | {"plus_n": "1"})
    assert reply.status == 303
    (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert [stored[name] for name in ("email_address", "response", "plus_n", "name")] == ["ana@example.com", "YES", 1, "Ana"]
    assert "Secret jam" in cast.anonymous.get(reply.headers["Location"]).text
    assert invitations(cast.alice, event)[0]["state"] == "answered"
    # Who has responded changes the response by its own link, within the same limit.
    assert cast.anonymous.post(reply.headers["Location"].partition("?")[0], data=form).status == 422
    assert cast.anonymous.get(link).headers["Location"] == f"{reply.headers['Location']}?response=YES"
    assert cast.anonymous.get(f"/events/{event['id']}").status == 404


def test_a_wrong_link_and_one_of_a_withdrawn_invitation_show_nothing(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START)
    path = _link(cast, db, settings, event, "ana@example.com").partition("?")[0]
    assert cast.anonymous.get(f"{path[:-1]}{'a' if path[-1] != 'a' else 'b'}").status == 404
    (row,) = invitations(cast.alice, event)
    assert cast.alice.delete(f"/api/events/{event['id']}/invitations/{row['id']}").status == 200
    assert cast.anonymous.get(path).status == 404
    (mail,) = mails_about(db, structs.replace(settings, inbound="pipe"), event["id"])
    assert mail["Subject"] == "Invitation withdrawn: Concert"
    calendar = calendar_of(mail)
    assert "METHOD:CANCEL\n" in calendar
    assert "SEQUENCE:1\n" in calendar
    assert "STATUS:CANCELLED\n" in calendar
    assert invite(cast.alice, event, "ana@example.com")["invited"] == 1
    (mail,) = mails_about(db, structs.replace(settings, inbound="pipe"), event["id"])
    assert "SEQUENCE:2\n" in calendar_of(mail)


def test_an_invitation_is_sent_again(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START)
    invite(cast.alice, event, "ana@example.com")
    (row,) = invitations(cast.alice, event)
    resend = f"/api/events/{event['id']}/invitations/{row['id']}/resend"
    assert cast.alice.put(resend).json["state"] == "queued"
    assert len(mails_about(db, settings, event["id"])) == 1
    assert cast.alice.put(resend).json["state"] == "queued"
    assert len(mails_about(db, settings, event["id"])) == 1
    # Taken back before it is sent again: the guest, who has the first mail, is notified.
    assert cast.alice.put(resend).json["state"] == "queued"
    assert cast.alice.delete(resend.removesuffix("/resend")).status == 200
    assert [mail["Subject"] for mail in mails_about(db, settings, event["id"])] == ["Invitation withdrawn: Concert"]


@pytest.mark.parametrize(("whose", "skipped_by_bob"), [("organiser", 0), ("service", 1)])
def test_who_wants_no_invitations_gets_none(cast: Cast, db: Database, settings: Settings, whose: str, skipped_by_bob: int) -> None:
    address = f"{whose}@{cast.alice.user_name}.example.com"
    event = an_event(cast.alice, start_time=START)
    path = _link(cast, db, settings, event, address).partition("?")[0]
    assert cast.anonymous.get(f"{path}/stop").status == 200
    assert invite(cast.alice, an_event(cast.alice, start_time=START), address, dry_run=True)["invited"] == 1
    assert cast.anonymous.post(f"{path}/stop", data={"whose": whose}).status == 200
    assert invite(cast.alice, an_event(cast.alice, start_time=START), address)["skipped"] == 1
    assert invite(cast.bob, an_event(cast.bob, start_time=START), address)["skipped"] == skipped_by_bob


def test_an_invitation_to_a_series_has_its_rule_and_the_moved_date(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time="2027-06-01T20:00", time_zone="Europe/Paris")
    assert cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 4}).status in (200, 201)
    dates = cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-01").json["events"]
    cast.alice.put(f"/api/events/{dates[1]['id']}", json={"start_time": "2027-06-08T21:00"})
    invite(cast.alice, event, "ana@example.com", scope="all")
    (mail,) = mails_about(db, structs.replace(settings, inbound="pipe"), event["id"])
    calendar = calendar_of(mail)
    assert "RRULE:FREQ=WEEKLY" in calendar
    assert "RECURRENCE-ID;TZID=Europe/Paris:20270608T200000\n" in calendar
    assert calendar.count("ATTENDEE") == calendar.count("BEGIN:VEVENT") == 2
    path = next(path for path in links_in(mail) if "?response=YES" in path).partition("?")[0]
    assert cast.anonymous.post(path, data={"response": "YES", "number": "1", "plus_n": "0"}).status == 303
    yes = [len(cast.alice.get(f"/api/responses?event_id={date['id']}").json["responses"]) for date in dates]
    assert yes == [1, 1, 1, 1]
    assert invitations(cast.alice, dates[2])[0]["state"] == "answered"
    assert invite(cast.alice, dates[2], "ana@example.com")["already"] == 1


def test_nobody_is_invited_to_what_is_cancelled_or_over(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START)
    cast.alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"})
    past = an_event(cast.alice, start_time="2020-01-01T10:00")
    for each in (event, past):
        assert cast.alice.post(f"/api/events/{each['id']}/invitations", json={"addresses": ["ana@example.com"]}).status == 409


@pytest.mark.parametrize(
    "fields",
    [{}, {"contact_ids": [999_999_999]}, {"addresses": ["nobody"]}, {"addresses": [f"a{n}@example.com" for n in range(501)]}],
    ids=["nobody", "unknown contact", "no address", "501"],
)
def test_a_request_that_names_nobody_or_too_many_is_refused(cast: Cast, fields: dict[str, Any]) -> None:
    event = an_event(cast.alice, start_time=START)
    assert cast.alice.post(f"/api/events/{event['id']}/invitations", json=fields).status == 422
    assert invitations(cast.alice, event) == []


def test_an_account_invites_only_so_many_people_a_day(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    with db.write() as tx:
        tx.run("DELETE FROM rate_counters")
    event = an_event(cast.alice, start_time=START)
    limited = application(db, structs.replace(settings, rate_limits="on", account_invitations_per_day=3), clock)
    host = Client(limited, cast.alice.token)
    path = f"/api/events/{event['id']}/invitations"
    assert host.post(path, json={"addresses": ["a@example.com", "b@example.com"]}).status == 202
    assert host.post(path, json={"addresses": ["c@example.com", "d@example.com"]}).status == 429
    assert len(invitations(cast.alice, event)) == 2


def test_nobody_is_flooded_with_invitations_that_are_sent_again_or_taken_back(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    with db.write() as tx:
        tx.run("DELETE FROM rate_counters")
    clock.now = timestamps.now()
    event, mailbox = an_event(cast.alice, start_time=START), f"ana{cast.alice.id}"
    host = Client(application(db, structs.replace(settings, rate_limits="on"), clock), cast.alice.token)
    path = f"/api/events/{event['id']}/invitations"
    invited = host.post(path, json={"addresses": [f"{mailbox}+{number}@example.com" for number in range(12)]}).json
    assert (invited["invited"], invited["skipped"]) == (10, 2)
    assert len(mails_about(db, settings, event["id"])) == 10
    assert host.post(path, json={"addresses": [f"{mailbox}+12@example.com"]}).json["skipped"] == 1
    row = invitations(cast.alice, event)[0]
    assert host.put(f"{path}/{row['id']}/resend").status == 429
    assert host.delete(f"{path}/{row['id']}").status == 200
    assert mails_about(db, settings, event["id"]) == []
    clock.ahead(3_700)
    assert host.post(path, json={"addresses": [f"{mailbox}+12@example.com"]}).json["invited"] == 1


def test_a_response_by_another_way_answers_the_invitation(cast: Cast) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    invite(cast.alice, event, "ana@example.com")
    a_response(cast.anonymous, event, email_address="Ana@example.com", response="NO")
    (row,) = invitations(cast.alice, event)
    assert (row["state"], row["response"]) == ("answered", "NO")


@pytest.mark.parametrize("name", ["PayPal <service@paypal.com>", "a@b", "https://x.example", "＠x", "<b"])
def test_no_name_looks_like_an_address_or_a_link(cast: Cast, name: str) -> None:
    refused = cast.alice.put(f"/api/users/{cast.alice.id}", json={"name": name})
    assert (refused.status, refused.broken) == (422, ["name"])


def test_a_name_from_before_is_cleaned_in_the_sender(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START)
    with db.write() as tx:
        tx.run("UPDATE users SET name = 'PayPal <service@paypal.com>' WHERE id = :id", id=cast.alice.id)
    invite(cast.alice, event, "gus@example.org")
    (mail,) = mails_about(db, settings, event["id"])
    assert mail["From"].addresses[0].display_name == "PayPal service paypal.com (via Kalends)"
    assert "service@paypal.com" not in str(mail["Reply-To"])
