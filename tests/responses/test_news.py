"""Mail to organisers about new responses and comments: at once, once a day, or never."""

import pytest

from kalends.app.worker import notify_organisers
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.http.context import Context
from tests.cast import Cast, Person, a_comment, a_response, an_event, verified
from tests.conftest import Clock
from tests.events.series import events_of_series
from tests.responses.mail import a_proposal_token
from tests.users.account_mail import mails

HOUR = 3600
# On the day after.
EIGHT = 1780041600


def mails_to(db: Database, settings: Settings, clock: Clock, owner: Person) -> list[str]:
    """The messages that the owner has got by now, as text without soft line breaks."""
    notify_organisers(Context(db, settings, clock()))
    sent = mails(db, settings, owner.id, "notice")
    return [mail.replace("=\n", "").replace("=E2=80=9C", '"').replace("=E2=80=9D", '"') for mail in sent]


@pytest.fixture
def alice(cast: Cast, db: Database) -> Person:
    return verified(db, cast.alice)


def wish(person: Person, response_notices: str) -> None:
    reply = person.put(f"/api/users/{person.id}", json={"response_notices": response_notices})
    assert (reply.status, reply.json["response_notices"]) == (200, response_notices)


def test_once_a_day_in_the_morning_is_the_default(cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock) -> None:
    assert alice.get(f"/api/users/{alice.id}").json["response_notices"] == "daily"
    gig, talk = an_event(alice, title="Gig", public=True), an_event(alice, title="Talk", public=True)
    a_response(cast.anonymous, gig, email_address="dana@example.org", name="Dana", plus_n=1, comment="With a friend")
    a_response(cast.anonymous, gig, email_address="dana@example.org", name="Dana", response="MAYBE")
    a_comment(cast.anonymous, talk, email_address="eve@example.org", name="Eve", comment="Is there\na cloak room?")
    a_response(alice, gig, email_address="by.alice@example.org")
    clock.now = EIGHT - 1
    assert mails_to(db, settings, clock, alice) == []
    clock.ahead(1)
    [mail] = mails_to(db, settings, clock, alice)
    assert "Subject: 1 new RSVP and 1 new comment\n" in mail
    assert '- Dana might go: "With a friend"' in mail
    assert '- Eve wrote: "Is there a cloak room?" (awaiting your approval)' in mail
    assert "You get this once a day" in mail
    assert "by.alice" not in mail
    assert len(mails_to(db, settings, clock, alice)) == 1


def test_at_once_sends_what_happens_within_five_minutes_in_one_message(
    cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock
) -> None:
    wish(alice, "at_once")
    event = an_event(alice, title="Gig", public=True)
    a_response(cast.bob, event)
    [first] = mails_to(db, settings, clock, alice)
    assert "Subject: 1 new RSVP: Gig\n" in first
    a_response(cast.anonymous, event, email_address="dana@example.org")
    clock.ahead(60)
    a_response(cast.anonymous, event, email_address="eve@example.org")
    assert len(mails_to(db, settings, clock, alice)) == 1
    clock.ahead(240)
    [_, second] = mails_to(db, settings, clock, alice)
    assert "Subject: 2 new RSVPs: Gig\n" in second


def test_who_waits_for_a_spot_or_for_approval_is_not_going(
    cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock
) -> None:
    wish(alice, "at_once")
    event = an_event(alice, title="Gig", public=True, capacity=6, waiting_list="auto")
    for person, name in ((cast.bob, "Hana"), (cast.carol, "Ivo")):
        a_response(verified(db, person), event, name=name, number=4)
    a_response(cast.anonymous, an_event(alice, public=True, approval=True), email_address="jo@example.org", name="Jo")
    [mail] = mails_to(db, settings, clock, alice)
    for line in ("- Hana is going, 4 people\n", "- Ivo is on the waiting list, 4 people\n", "- Jo wants to go\n"):
        assert line in mail, mail


def test_nobody_is_notified_who_does_not_want_it_or_whose_address_is_not_verified(
    cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock
) -> None:
    wish(alice, "off")
    for owner in (alice, cast.bob):
        a_response(cast.anonymous, an_event(owner, public=True), email_address="dana@example.org")
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM organiser_news WHERE owner_id IN (:alice, :bob)", alice=alice.id, bob=cast.bob.id) == 0


def test_what_is_removed_or_unchanged_notifies_nobody(cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(alice, title="Gig", public=True)
    verified(db, cast.bob)
    mine = a_response(cast.bob, event)
    gone = a_response(cast.carol, event, name="Gone")
    clock.ahead(24 * HOUR)
    assert len(mails_to(db, settings, clock, alice)) == 1
    a_response(cast.anonymous, event, email_address=cast.bob.email_address, response="NO")
    a_response(cast.carol, event, response="MAYBE")
    assert alice.delete(f"/api/responses/{gone['id']}").status == 200
    clock.ahead(24 * HOUR)
    assert len(mails_to(db, settings, clock, alice)) == 1
    assert alice.get(f"/api/responses/{mine['id']}").json["response"] == "YES"


def test_a_proposal_notifies_when_it_is_confirmed(cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock) -> None:
    wish(alice, "at_once")
    event = an_event(alice, title="Class", public=True, start_time="2026-06-01T20:00")
    assert alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 2}).status == 200
    a_response(verified(db, cast.bob), event)
    assert len(mails_to(db, settings, clock, alice)) == 1
    [_, other] = events_of_series(alice, event["id"])
    # He has not responded to the other date.
    for date, scope in ((other, "all"), (event, "this")):
        a_response(cast.anonymous, date, email_address=cast.bob.email_address, response="NO", scope=scope)
    clock.ahead(HOUR)
    assert len(mails_to(db, settings, clock, alice)) == 1
    assert cast.anonymous.post(f"/r/confirm/{a_proposal_token(settings, clock())}").status == 303
    [_, mail] = mails_to(db, settings, clock, alice)
    assert "- Bob can=E2=80=99t go" in mail


def test_a_link_in_the_message_stops_them_without_signing_in(
    cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock
) -> None:
    wish(alice, "at_once")
    event = an_event(alice, public=True)
    a_response(cast.anonymous, event, email_address="dana@example.org")
    [mail] = mails_to(db, settings, clock, alice)
    path = mail.split("List-Unsubscribe: <")[1].split(">")[0].removeprefix(settings.url)
    assert "List-Unsubscribe-Post: List-Unsubscribe=One-Click" in mail
    a_response(cast.anonymous, event, email_address="eve@example.org")
    assert "Stop these messages" in cast.anonymous.get(path).text
    assert alice.get(f"/api/users/{alice.id}").json["response_notices"] == "at_once"
    assert cast.anonymous.post(path).status == 200
    assert alice.get(f"/api/users/{alice.id}").json["response_notices"] == "off"
    clock.ahead(24 * HOUR)
    assert len(mails_to(db, settings, clock, alice)) == 1
    assert cast.anonymous.post(path[:-1] + ("a" if path[-1] != "a" else "b")).status == 404


def test_a_response_to_a_series_notifies_once(cast: Cast, alice: Person, db: Database, settings: Settings, clock: Clock) -> None:
    wish(alice, "at_once")
    event = an_event(alice, title="Class", public=True, start_time="2026-06-01T20:00")
    assert alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5}).status == 200
    a_response(cast.anonymous, event, email_address="dana@example.org", name="Dana", scope="all")
    [mail] = mails_to(db, settings, clock, alice)
    assert "Subject: 1 new RSVP: Class\n" in mail
