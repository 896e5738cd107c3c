"""Rate limits on sending, and priorities."""

from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries import claim_store as claims
from kalends.features.deliveries import store
from kalends.features.deliveries.steps import limits as sending_limits
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import PASSWORD, Cast, a_calendar, a_response, an_event
from tests.client import Client, Reply
from tests.conftest import Clock
from tests.subscribers.confirmations import confirmed

pytestmark = pytest.mark.on_one_database


class Service:
    """The service with small limits."""

    def __init__(self, db: Database, settings: Settings, clock: Clock):
        self._db, self._settings, self._clock = db, settings, clock

    def client(self, someone: Client, **limits: int) -> Client:
        changes: dict[str, Any] = {"rate_limits": "on", **limits}
        return Client(application(self._db, structs.replace(self._settings, **changes), self._clock), someone.token)


@pytest.fixture
def service(db: Database, settings: Settings, clock: Clock, limited: Client) -> Service:
    return Service(db, settings, clock)


def send(sender: Client, event: dict[str, Any], number: int, channel: str = "email", **more: Any) -> Reply:
    address = {"email": f"r{event['id']}-{number}@example.org"} if channel == "email" else {"mobile_number": f"+3361{number:07}"}
    return sender.put(f"/api/events/{event['id']}/send_to_me", json=address, **more)


@pytest.mark.parametrize(
    ("limits", "channel", "name", "words"),
    [
        ({"account_sends_per_hour": 3}, "email", "account-sends-hour", "You can send 3 messages an hour."),
        ({"account_sends_per_day": 3}, "email", "account-sends-day", "You can send 3 messages a day."),
        ({"account_sms_per_day": 3}, "sms", "account-sms-day", "You can send 3 text messages a day."),
        ({"emails_per_day": 3}, "email", "email-day", "This site can send 3 emails a day"),
        ({"sms_per_day": 3}, "sms", "sms-day", "This site can send 3 text messages a day"),
    ],
)
def test_an_account_sends_no_more_than_its_limits(
    cast: Cast, service: Service, limits: dict[str, int], channel: str, name: str, words: str
) -> None:
    event = an_event(cast.alice)
    alice = service.client(cast.alice, **limits)
    replies = [send(alice, event, number, channel) for number in range(4)]
    assert [response.status for response in replies] == [202] * 3 + [429]
    assert words in replies[-1].json["detail"]
    assert replies[-1].headers["RateLimit"] == f'"{name}";r=0;t={replies[-1].headers["Retry-After"]}'
    assert len(cast.alice.get("/api/deliveries").json["deliveries"]) == 3


@pytest.mark.parametrize(
    ("limits", "channel", "words"),
    [
        ({"guest_sends_per_hour": 3}, "email", "Without an account, your network can request 3 messages an hour."),
        ({"guest_sms_per_day": 3}, "sms", "Without an account, your network can request 3 text messages a day."),
    ],
)
def test_the_guests_of_a_network_share_a_limit(cast: Cast, service: Service, limits: dict[str, int], channel: str, words: str) -> None:
    event = an_event(cast.alice, public=True)
    guest = service.client(cast.anonymous, **limits)
    replies = [send(guest, event, number, channel, remote_addr=f"2001:db8:9::{number + 1:x}") for number in range(4)]
    assert [response.status for response in replies] == [202] * 3 + [429]
    assert words in replies[-1].json["detail"]
    assert send(guest, event, 5, channel, remote_addr="2001:db8:9:1::1").status == 202
    assert send(service.client(cast.bob, **limits), event, 6, channel).status == 202


def test_a_refused_opt_in_does_not_disclose_who_is_on_the_list(cast: Cast, service: Service, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True, confirmations="off")
    event, member, unconfirmed = an_event(cast.alice, calendar_id=calendar["id"]), "member@example.org", "asked@example.org"
    a_response(cast.anonymous, event, email_address=member, opt_in=True)
    confirmed(cast.alice, settings, member)
    a_response(cast.anonymous, event, email_address=unconfirmed, opt_in=True)
    guest = service.client(cast.anonymous, guest_sends_per_hour=2)
    opt_ins = [
        guest.post("/api/responses", json={"event_id": event["id"], "response": "YES", "opt_in": True, "email_address": address})
        for address in (member, unconfirmed, member, unconfirmed, "stranger@example.org")
    ]
    assert [opt_in.status for opt_in in opt_ins] == [201, 201, 429, 429, 429]


def test_links_to_verify_addresses_are_limited(cast: Cast, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise anybody could mail any number of strangers by registering accounts or changing addresses."""
    monkeypatch.setattr(sending_limits, "ACCOUNT_LINKS", structs.replace(sending_limits.ACCOUNT_LINKS, max_uses=2))
    monkeypatch.setattr(sending_limits, "NETWORK_LINKS", structs.replace(sending_limits.NETWORK_LINKS, max_uses=3))
    alice, guest = service.client(cast.alice), service.client(cast.anonymous)
    moves = [
        alice.put(f"/api/users/{cast.alice.id}", json={"email_address": f"s{n}-{cast.alice.email_address}", "current_password": PASSWORD})
        for n in range(3)
    ]
    assert [move.status for move in moves] == [200, 200, 429]
    assert cast.alice.get("/api/users/current").json["email_address"] == f"s1-{cast.alice.email_address}"
    names = [f"{cast.alice.user_name}-{n}" for n in range(2)]
    registrations = [
        guest.post("/api/users", json={"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD}) for name in names
    ]
    assert [registration.status for registration in registrations] == [201, 429]
    assert cast.anonymous.post("/api/session", json={"user_name": names[1], "password": PASSWORD}).status == 401


def test_an_accounts_limit_slides_with_time(cast: Cast, service: Service, clock: Clock) -> None:
    event = an_event(cast.alice)
    alice = service.client(cast.alice, account_sends_per_hour=2)
    assert [send(alice, event, number).status for number in range(2)] == [202] * 2
    wait = int(send(alice, event, 3).headers["Retry-After"])
    clock.ahead(wait - 1)
    assert send(alice, event, 3).status == 429
    clock.ahead(1)
    assert send(alice, event, 3).status == 202


def subscribe(db: Database, owner_id: int, emails: int, mobiles: int) -> None:
    """Put addresses on the list as if they had confirmed."""
    addresses = [("email", f"s{n}@example.org") for n in range(emails)] + [("sms", f"+3362{n:07}") for n in range(mobiles)]
    with db.write() as tx:
        for channel, address in addresses:
            tx.run(
                """INSERT INTO subscribers (owner_id, channel, address, address_key, source, consent, consented_at, confirmed_at)
                   VALUES (:owner_id, :channel, :address, :address, 'response', 'yes', 1, 1)""",
                owner_id=owner_id,
                channel=channel,
                address=address,
            )


@pytest.mark.parametrize(
    "limits", [{"account_announcements_per_day": 4}, {"account_sms_per_day": 1}, {"emails_per_day": 2}, {"sms_per_day": 1}]
)
def test_an_announcement_beyond_a_limit_is_not_sent_at_all(cast: Cast, db: Database, service: Service, limits: dict[str, int]) -> None:
    subscribe(db, cast.alice.id, 3, 2)
    event = an_event(cast.alice, public=True)
    refused = service.client(cast.alice, **limits).put(f"/api/events/{event['id']}/announce")
    assert refused.status == 429
    assert cast.alice.get("/api/deliveries").json["deliveries"] == []
    assert service.client(cast.alice).put(f"/api/events/{event['id']}/announce").json == {"queued": 5}


def test_dots_in_a_gmail_address_reach_the_same_mailbox(cast: Cast, limited: Client) -> None:
    event = an_event(cast.alice, public=True)
    path, name = f"/api/events/{event['id']}/send_to_me", f"gus{cast.alice.id}"
    for number in range(store.MAX_SENDS_PER_HOUR):
        dotted = f"g.{name[1:]}" if number % 2 else name
        assert limited.put(path, json={"email": f"{dotted}@gmail.com"}).status == 202
    assert limited.put(path, json={"email": f"{name[:2]}.{name[2:]}+x@GoogleMail.com"}).status == 429
    assert limited.put(path, json={"email": f"g.{name[1:]}@example.org"}).status == 202


def test_a_password_reset_is_sent_before_ten_thousand_announcements(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    ctx = Context(db, settings, clock.now)
    event, name = an_event(cast.alice, public=True), cast.bob.user_name
    with db.write() as tx:
        tx.run("UPDATE deliveries SET state = 'sent' WHERE state IN ('queued', 'sending')")
        tx.many(
            """INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts,
                                       due_at, created_at, updated_at)
               VALUES (:owner_id, :event_id, 'announce', 'email', :address, :address, TRUE, 'queued', 0, 1, 1, 1)""",
            [{"owner_id": cast.alice.id, "event_id": event["id"], "address": f"a{n}@example.org"} for n in range(10_000)],
        )
    assert cast.anonymous.post("/reset", data={"user_name": name}, headers={"Accept": "text/html"}).status == 303
    sender.queue_resets(ctx)
    with ctx.write():
        claimed = claims.claim(ctx, "email", 120, 8)
    assert sorted(delivery.kind for delivery in claimed) == ["announce"] * 7 + ["reset"]
    assert [delivery.address for delivery in claimed if delivery.kind == "reset"] == [cast.bob.email_address]
    with ctx.write():
        ctx.tx.run("DELETE FROM deliveries WHERE event_id = :event_id", event_id=event["id"])
