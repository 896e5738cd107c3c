"""What messages that arrive do: replies of each mail program become responses once, and others change nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.events.invitations.steps.addresses import bounce_address
from kalends.mail.inbound.handle import handle
from tests.cast import Cast, Person, a_question, a_response, an_event
from tests.conftest import Clock
from tests.inbound import replies
from tests.inbound.replies import PROGRAMS
from tests.invitations.test_invite import invitations, invite
from tests.responses.mail import mails_about, read_mail, text_of

pytestmark = pytest.mark.on_one_database

START = "2027-06-01T20:00"
GUEST = "ana@example.com"

Receive = Callable[[bytes], str]


@pytest.fixture(autouse=True)
def _real_time(clock: Clock) -> None:
    # The worker has its own clock.
    clock.now = timestamps.now()


@pytest.fixture
def inbound(settings: Settings) -> Settings:
    return structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")


@pytest.fixture
def receive(db: Database, inbound: Settings) -> Receive:
    return lambda octets: handle(db, inbound, octets)


def _invited(cast: Cast, db: Database, inbound: Settings, **fields: Any) -> tuple[dict[str, Any], str]:
    """A private event with an invited guest, and the address for the replies."""
    event = an_event(cast.alice, start_time=START, **fields)
    return event, _reply_address(cast, db, inbound, event)


def _reply_address(cast: Cast, db: Database, inbound: Settings, event: dict[str, Any], **fields: Any) -> str:
    invite(cast.alice, event, GUEST, **fields)
    (mail,) = mails_about(db, inbound, event["id"])
    return str(mail["Reply-To"].addresses[0].addr_spec)


def _responses(host: Person, event: dict[str, Any]) -> list[tuple[str, str, int]]:
    rows = host.get(f"/api/responses?event_id={event['id']}").json["responses"]
    return [(row["email_address"], row["response"], row["plus_n"]) for row in rows]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_reply_of_a_mail_program_becomes_a_response_once(
    cast: Cast, db: Database, inbound: Settings, receive: Receive, program: str
) -> None:
    event, to = _invited(cast, db, inbound)
    accepted = PROGRAMS[program](to=to, comment="With pleasure")
    assert [receive(accepted), receive(accepted)] == ["responded", "repeated"]
    (stored,) = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert (stored["email_address"], stored["response"], stored["comment"]) == (GUEST, "YES", "With pleasure")
    assert receive(PROGRAMS[program]("DECLINED", to=to, stamp="20260520T111500Z")) == "responded"
    assert _responses(cast.alice, event) == [(GUEST, "NO", 0)]
    assert invitations(cast.alice, event)[0]["state"] == "answered"


def test_the_newest_reply_counts_whatever_arrives_last(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    assert receive(replies.gmail("DECLINED", to=to, stamp="20260521T100000Z")) == "responded"
    assert receive(replies.gmail("ACCEPTED", to=to, stamp="20260520T100000Z")) == "ignored"
    # A replay with another Message-ID.
    assert receive(replies.outlook("ACCEPTED", to=to, stamp="20260521T100000Z")) == "ignored"
    assert _responses(cast.alice, event) == [(GUEST, "NO", 0)]
    # The clock of a guest that is years ahead does not outdate later replies.
    assert receive(replies.apple("TENTATIVE", to=to, stamp="20990101T000000Z")) == "responded"
    assert _responses(cast.alice, event) == [(GUEST, "MAYBE", 0)]


def test_a_forged_sender_changes_nothing_and_needs_none(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    wrong = to.replace(to[to.index("-") + 1], "0" if to[to.index("-") + 1] != "0" else "1", 1)
    other = f"reply+{int(to[6 : to.index('-')]) + 1}{to[to.index('-') :]}"
    for address in (wrong, other, "reply@in.example.org", f"reply+b1{to[to.index('-') :]}", "kalends@testserver"):
        assert receive(replies.gmail(to=address)) == "unknown", address
    assert _responses(cast.alice, event) == []
    forged = replies.gmail(to=to.upper(), guest="eve@example.net").replace(b"From: Ana <ana@example.com>", b"From: eve@example.net")
    assert receive(forged) == "responded"
    # The response is that of the invited address, no matter who seems to have sent the mail.
    assert _responses(cast.alice, event) == [(GUEST, "YES", 0)]


def test_the_guests_of_a_guest_are_counted_within_the_limit(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    assert receive(replies.gmail(to=to, guests=2)) == "responded"
    assert _responses(cast.alice, event) == [(GUEST, "YES", 2)]
    event = an_event(cast.alice, start_time=START)
    to = _reply_address(cast, db, inbound, event, party_max=2)
    assert receive(replies.gmail(to=to, guests=500)) == "responded"
    assert _responses(cast.alice, event) == [(GUEST, "YES", 1)]


def test_a_reply_to_a_series_and_to_one_date(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event = an_event(cast.alice, start_time=START, time_zone="Europe/Paris")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 3})
    to = _reply_address(cast, db, inbound, event, scope="all")
    dates = cast.alice.get(f"/api/events?calendar_id={cast.alice.primary_calendar_id}&start_time=2027-06-01").json["events"]
    assert len(dates) == 3
    assert receive(replies.exchange(to=to)) == "responded"
    assert receive(replies.outlook("DECLINED", slot="20270608T200000", to=to)) == "responded"
    both = replies.vevent(status="TENTATIVE", to=to, stamp="20260601T000000Z") + replies.vevent(
        status="ACCEPTED", to=to, stamp="20260601T000000Z", slot="RECURRENCE-ID:20270615T180000Z\n"
    )
    whole = replies.message(replies.part(replies.calendar(both, "x"), "text/calendar; method=REPLY"), to=to, Message_ID="<both@x>")
    assert [_responses(cast.alice, date)[0][1] for date in dates] == ["YES", "NO", "YES"]
    assert receive(whole) == "responded"
    assert [_responses(cast.alice, date)[0][1] for date in dates] == ["MAYBE", "NO", "YES"]
    assert receive(replies.gmail("DECLINED", slot="20270611T200000", to=to)) == "ignored"


def test_a_full_event_lets_the_guest_wait_or_tells_why_not(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound, capacity=1)
    a_response(cast.alice, event)
    assert receive(replies.gmail(to=to)) == "refused"
    assert len(_responses(cast.alice, event)) == 1
    mail = mails_about(db, inbound, event["id"])[-1]
    assert (mail["To"], mail["Subject"]) == (GUEST, "Your RSVP wasn’t recorded: Concert")
    event, to = _invited(cast, db, inbound, capacity=1, waiting_list="auto")
    a_response(cast.alice, event)
    assert receive(replies.gmail(to=to)) == "responded"
    _, stored = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    assert stored["place"]["place"] == "waiting"
    mail = mails_about(db, inbound, event["id"])[-1]
    assert mail["To"] == GUEST
    assert "waiting list" in text_of(mail)


def test_a_yes_that_needs_answers_asks_for_them(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    a_question(cast.alice, f"/api/events/{event['id']}", required=True)
    assert receive(replies.gmail(to=to)) == "refused"
    (mail,) = mails_about(db, inbound, event["id"])
    assert "/i/" in text_of(mail)
    assert receive(replies.gmail("DECLINED", to=to)) == "responded"


def test_texts_and_counter_proposals_reach_the_organiser(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    text = replies.message(replies.part("Can I bring my dog?", "text/plain"), to=to, Subject="A question", Message_ID="<text@x>")
    html = replies.message(replies.part("<p>And my cat?</p>", "text/html"), to=to, Message_ID="<html@x>")
    counter = replies.calendar(replies.vevent(comment="COMMENT:At nine?\n"), "x", method="COUNTER")
    delegated = replies.calendar(replies.vevent(status="DELEGATED"), "x")
    many = replies.calendar("BEGIN:VEVENT\nEND:VEVENT\n" * 9_000, "x")
    calendars = [replies.part(each, "text/calendar; method=REPLY") for each in (counter, delegated, many)]
    messages = [text, html, *(replies.message(each, to=to, Message_ID=f"<{n}@x>") for n, each in enumerate(calendars))]
    assert [receive(each) for each in messages] == ["noted"] * 5
    assert _responses(cast.alice, event) == []
    mails = mails_about(db, inbound, event["id"])
    assert {mail["To"] for mail in mails} == {cast.alice.email_address}
    assert {str(mail["Reply-To"]) for mail in mails} == {GUEST}
    for mail, words in zip(
        mails, ["my dog?", "my cat?", "At nine?", "someone else", "couldn’t be read: it has more than 500"], strict=True
    ):
        assert words in text_of(mail)
    assert "Monday, 1 June 2026, 20:00 (Europe/Paris)" in text_of(mails[2])


@pytest.mark.parametrize(
    ("octets", "outcome"),
    [
        (replies.message(replies.part("I am away.", "text/plain"), Auto_Submitted="auto-replied"), "ignored"),
        (replies.message(replies.part("", "text/plain")), "ignored"),
        (replies.bounce(action="delayed", status="4.4.7"), "ignored"),
        (replies.gmail("NEEDS-ACTION"), "ignored"),
    ],
    ids=["vacation", "empty", "delay", "no decision"],
)
def test_what_says_nothing_changes_nothing(
    cast: Cast, db: Database, inbound: Settings, receive: Receive, octets: bytes, outcome: str
) -> None:
    event, to = _invited(cast, db, inbound)
    assert receive(octets.replace(replies.ADDRESS.encode(), to.encode())) == outcome
    assert _responses(cast.alice, event) == []
    assert mails_about(db, inbound, event["id"]) == []


def test_one_guest_cannot_flood_the_organiser(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, to = _invited(cast, db, inbound)
    outcomes = [receive(replies.message(replies.part(f"{n}", "text/plain"), to=to, Message_ID=f"<{n}@y>")) for n in range(12)]
    assert outcomes == ["noted"] * 10 + ["ignored"] * 2
    assert len(mails_about(db, inbound, event["id"])) == 10


def test_a_bounce_marks_the_invitation_and_its_address_gets_no_more(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    event, _ = _invited(cast, db, inbound)
    with db.read() as tx:
        delivery_id = tx.value("SELECT id FROM deliveries WHERE event_id = :id AND kind = 'invitation'", id=event["id"])
    bounced = replies.bounce(to=bounce_address(inbound, delivery_id))
    assert [receive(bounced), receive(replies.bounce(to=bounce_address(inbound, delivery_id + 1000)))] == ["bounced", "ignored"]
    (row,) = invitations(cast.alice, event)
    assert (row["state"], row["detail"]) == ("bounced", "smtp; 550 5.1.1 No such user")
    assert invite(cast.alice, an_event(cast.alice, start_time=START), GUEST)["skipped"] == 1
    assert cast.alice.put(f"/api/events/{event['id']}/invitations/{row['id']}/resend").status == 409


def test_a_bounce_to_the_reply_address_counts_as_a_refusal(cast: Cast, db: Database, inbound: Settings, receive: Receive) -> None:
    _, to = _invited(cast, db, inbound)
    count = "SELECT count(*) FROM reactions WHERE owner_id = :id AND refused_at IS NOT NULL"
    with db.read() as tx:
        before = tx.value(count, id=cast.alice.id)
    assert receive(replies.bounce(to=to)) == "bounced"
    with db.read() as tx:
        assert tx.value(count, id=cast.alice.id) == before + 1


def test_a_late_bounce_does_not_make_the_wish_of_a_guest_one_that_the_organiser_lifts(
    cast: Cast, db: Database, inbound: Settings, receive: Receive
) -> None:
    event, _ = _invited(cast, db, inbound)
    with db.read() as tx:
        delivery_id = tx.value("SELECT id FROM deliveries WHERE event_id = :id AND kind = 'invitation'", id=event["id"])
    mail = read_mail(inbound.folder / "outbox" / f"{delivery_id}.eml")
    stop = mail["List-Unsubscribe"].strip("<>").partition("testserver")[2]
    assert cast.anonymous.post(stop, data={"List-Unsubscribe": "One-Click"}).status == 200
    assert receive(replies.bounce(to=bounce_address(inbound, delivery_id))) == "bounced"
    (row,) = cast.alice.get("/api/deliveries/suppressions").json["suppressions"]
    assert cast.alice.delete(f"/api/deliveries/suppressions/{row['id']}").status == 409
