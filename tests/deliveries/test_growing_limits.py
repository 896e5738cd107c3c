"""What an account may send grows with its age and with the people who answer it, and those who have not answered get little."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app import worker
from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import reaction_store as reactions
from kalends.features.deliveries.store import DAY
from kalends.http.context import Context
from tests.cast import Cast, Person, a_response, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.responses.mail import links_in, mails_about

START = "2027-06-01T20:00"


@pytest.fixture
def alice(cast: Cast, db: Database, settings: Settings, clock: Clock, limited: Client) -> Client:
    """Alice with the limits on, whose account is new."""
    person = cast.alice
    with db.write() as tx:
        tx.run("UPDATE users SET created_at = :now WHERE id = :id", now=clock.now, id=person.id)
    return _client(db, settings, clock, cast.alice)


def _client(db: Database, settings: Settings, clock: Clock, person: Client, **changes: int) -> Client:
    limits: dict[str, Any] = {"rate_limits": "on", **changes}
    return Client(application(db, structs.replace(settings, **limits), clock), person.token)


def _invite(sender: Client, event: dict[str, Any], number: int, name: str = "g") -> Reply:
    addresses = [f"{name}{n}-{event['id']}@{name}{n}.example" for n in range(number)]
    return sender.post(f"/api/events/{event['id']}/invitations", json={"addresses": addresses})


def _answer(db: Database, settings: Settings, clock: Clock, person: Person, number: int) -> None:
    ctx = Context(db, settings, clock.now)
    with ctx.write():
        for n in range(number):
            reactions.record_answer(ctx, person.id, f"answered{n}@example.org")


def test_a_new_account_invites_fifty_people_a_day(cast: Cast, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START)
    assert _invite(alice, event, 50).status == 202
    refused = _invite(alice, event, 1, "h")
    assert refused.status == 429
    assert "You can invite 50 people a day" in refused.json["detail"]


def test_the_limit_grows_with_each_week_and_each_answer(cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START)
    _answer(db, settings, clock, cast.alice, 3)
    assert _invite(alice, event, 66).status == 429
    assert _invite(alice, event, 65).status == 202
    with db.write() as tx:
        tx.run("UPDATE users SET created_at = :then WHERE id = :id", then=clock.now - 7 * DAY, id=cast.alice.id)
    assert _invite(alice, event, 51, "h").status == 429
    assert _invite(alice, event, 50, "h").status == 202


def test_the_setting_is_the_upper_bound_and_admins_have_it_at_once(
    cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client
) -> None:
    event = an_event(cast.alice, start_time=START)
    few = _client(db, settings, clock, cast.alice, account_invitations_per_day=3)
    assert (_invite(few, event, 4).status, _invite(few, event, 3).status) == (429, 202)
    with db.write() as tx:
        tx.run("UPDATE users SET role = 'admin' WHERE id = :id", id=cast.alice.id)
    assert _invite(alice, event, 200, "h").status == 202


def test_whom_an_editor_adds_counts_as_invited(cast: Cast, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START)
    assert _invite(alice, event, 48).status == 202
    fields = {"event_id": event["id"], "response": "YES", "notify": False}
    added = [alice.post("/api/responses", json={**fields, "email_address": f"a{n}@example.org"}).status for n in range(3)]
    assert added == [201, 201, 429]
    # To change the response of someone who is on the list counts nothing.
    assert alice.post("/api/responses", json={**fields, "email_address": "a0@example.org", "plus_n": 1}).status == 200


def test_whom_an_editor_added_gets_messages_after_an_answer(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    a_response(cast.alice, event, email_address="added@example.org")
    a_response(cast.anonymous, event, email_address="own@example.org")
    text = {"to": "going", "subject": "Hello", "text": "Bring a chair."}
    path = f"/api/events/{event['id']}/messages"
    assert cast.alice.post(path, json=text).json["notified"] == {"email": 1, "sms": 0, "skipped": 1}
    mail = next(mail for mail in mails_about(db, settings, event["id"]) if mail["To"] == "added@example.org")
    link = next(link for link in links_in(mail) if "/r/" in link)
    assert cast.anonymous.post(link.split("?")[0], data={"response": "MAYBE"}).status == 303
    notified = cast.alice.post(path, json=text | {"to": "going,maybe"}).json["notified"]
    assert notified == {"email": 2, "sms": 0, "skipped": 0}


def test_who_has_not_answered_gets_two_messages_a_day(cast: Cast, clock: Clock, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START)
    assert _invite(alice, event, 3).status == 202
    path = f"/api/events/{event['id']}/messages"
    notified = [alice.post(path, json={"to": "not_answered", "subject": "Hi", "text": "x"}).json["notified"] for _ in range(3)]
    assert [(each["email"], each["skipped"]) for each in notified] == [(3, 0), (3, 0), (0, 3)]
    clock.now += DAY + 1
    assert alice.post(path, json={"to": "not_answered", "subject": "Hi", "text": "x"}).json["notified"]["email"] == 3


def _fabricate(cast: Cast, event: dict[str, Any], number: int, name: str = "g") -> None:
    for n in range(number):
        a_response(cast.anonymous, event, email_address=f"{name}{n}@{name}{n}.example")


def _write_to(sender: Client, event: dict[str, Any]) -> tuple[int, int]:
    """How many guests a message reaches, and how many not."""
    reply = sender.post(f"/api/events/{event['id']}/messages", json={"to": "going", "subject": "Hi", "text": "x"})
    assert reply.status == 202, reply
    return reply.json["notified"]["email"], reply.json["notified"]["skipped"]


def test_guests_without_proof_count_as_invited_when_the_organiser_writes_to_them(cast: Cast, clock: Clock, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    _fabricate(cast, event, 6)
    assert _invite(alice, event, 46, "h").status == 202
    # Four of fifty are left, and each guest counts once; the earliest responses are served.
    assert [_write_to(alice, event) for _ in range(2)] == [(4, 2), (4, 2)]
    assert _invite(alice, event, 1, "i").status == 429
    clock.now += 2 * DAY
    assert _write_to(alice, event) == (6, 0)


def test_guests_with_proof_count_as_nothing(cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    _fabricate(cast, event, 1)
    (mail,) = mails_about(db, settings, event["id"])
    link = next(link for link in links_in(mail) if "/r/" in link)
    assert cast.anonymous.post(link.split("?")[0], data={"response": "YES"}).status == 303
    # With an answer, it is 55.
    assert _invite(alice, event, 55, "h").status == 202
    assert _write_to(alice, event) == (1, 0)


def test_cancellations_reach_guests_without_proof_up_to_the_limit(cast: Cast, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    other = an_event(cast.alice, start_time=START)
    _fabricate(cast, event, 3)
    assert _invite(alice, other, 48, "h").status == 202
    cancelled = alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"})
    assert cancelled.status == 200, cancelled
    assert (cancelled.json["notified"]["email"], cancelled.json["notified"]["skipped"]) == (2, 1)


def _place_notices(db: Database, event: dict[str, Any]) -> dict[str, int]:
    """How many notices of their places guests got about the event."""
    with db.read() as tx:
        sql = "SELECT address, count(*) FROM deliveries WHERE event_id = :id AND kind = 'notice' GROUP BY address"
        return dict(tx.rows(sql, id=event["id"]))


def _open_and_close(alice: Client, event: dict[str, Any]) -> None:
    for capacity in (100, 1):
        assert alice.put(f"/api/events/{event['id']}", json={"capacity": capacity}).status == 200


def test_notices_of_places_reach_guests_without_proof_up_to_the_limit(cast: Cast, db: Database, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True, capacity=1, waiting_list="auto")
    _fabricate(cast, event, 5)
    assert _invite(alice, an_event(cast.alice, start_time=START), 48, "h").status == 202
    _open_and_close(alice, event)
    assert sorted(_place_notices(db, event).values()) == [1, 1]


def test_guests_without_proof_get_two_notices_of_places_a_day(cast: Cast, db: Database, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True, capacity=1, waiting_list="auto")
    _fabricate(cast, event, 3)
    for _ in range(4):
        _open_and_close(alice, event)
        for response in ("NO", "YES"):
            for n in (1, 2):
                a_response(cast.anonymous, event, email_address=f"g{n}@g{n}.example", response=response)
    assert set(_place_notices(db, event).values()) == {2}


def test_reminders_reach_guests_without_proof_up_to_the_limit(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, start_time=START, time_zone="UTC", public=True)
    _fabricate(cast, event, 3)
    assert cast.alice.post(f"/api/events/{event['id']}/reminders", json={"before": 60}).status == 201
    clock.now = timestamps.parse_instant("2027-06-01T19:00:00Z") or 0
    worker.remind_guests(Context(db, structs.replace(settings, rate_limits="on", account_invitations_per_day=2), clock.now))
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM deliveries WHERE event_id = :id AND kind = 'reminder'", id=event["id"]) == 2


def test_who_has_answered_gets_more(cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client) -> None:
    event = an_event(cast.alice, start_time=START, public=True)
    a_response(cast.bob, event)
    ctx = Context(db, settings, clock.now)
    with ctx.write():
        reactions.record_answer(ctx, cast.alice.id, cast.bob.email_address)
    sent = [alice.post(f"/api/events/{event['id']}/messages", json={"to": "going", "subject": "Hi", "text": "x"}) for _ in range(3)]
    assert [each.json["notified"]["email"] for each in sent] == [1, 1, 1]


def test_one_account_sends_a_quarter_of_the_mail_of_the_installation(
    cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client
) -> None:
    event = an_event(cast.alice, start_time=START)
    with db.write() as tx:
        tx.run("UPDATE users SET created_at = 0 WHERE id = :id", id=cast.alice.id)
    sender = _client(db, settings, clock, cast.alice, emails_per_day=480)
    assert _invite(sender, event, 121).status == 429
    assert _invite(sender, event, 120).status == 202
    refused = _invite(sender, event, 1, "h")
    assert (refused.status, "An account may send 120 of the e-mails" in refused.json["detail"]) == (429, True)


def test_guests_cause_a_quarter_of_the_mail_of_the_installation_about_the_events_of_one_account(
    cast: Cast, db: Database, settings: Settings, clock: Clock, alice: Client
) -> None:
    event, other = an_event(cast.alice, start_time=START, public=True), an_event(cast.bob, start_time=START, public=True)
    guest = _client(db, settings, clock, cast.anonymous, emails_per_day=480, guest_sends_per_hour=1_000)
    for number, to in [*((n, event) for n in range(121)), (0, other)]:
        a_response(guest, to, email_address=f"g{number}@g{number}.example")
    with db.read() as tx:
        sql = "SELECT count(*) FROM deliveries WHERE event_id = :id AND kind = 'response'"
        assert [tx.value(sql, id=each["id"]) for each in (event, other)] == [120, 1]
    # What guests cause counts for the organiser as nothing.
    assert _invite(alice, event, 50).status == 202
