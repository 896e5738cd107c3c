"""The outcome of an attempt to send: retry with backoff, failure, or cancellation after a change."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from kalends.app.worker import clean_up
from kalends.core.records.delivery import Delivery
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import store
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, an_event
from tests.conftest import Clock
from tests.subscribers.confirmations import confirmed

pytestmark = pytest.mark.on_one_database

HOUR = 3600
DAY = 24 * HOUR

Claim = Callable[..., Delivery]
Attempt = Callable[[Delivery], dict[str, Any]]


@pytest.fixture(autouse=True)
def one_clock(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look at the clock that the test moves."""
    monkeypatch.setattr(timestamps, "now", clock)


@pytest.fixture
def claim(db: Database, settings: Settings, clock: Clock) -> Claim:
    """Claim this delivery as a worker does, with a number of attempts."""

    def claimed(delivery_id: int, attempts: int = 1) -> Delivery:
        ctx = Context(db, settings, clock())
        with ctx.write() as tx:
            tx.run("UPDATE deliveries SET state = 'sending', attempts = :attempts WHERE id = :id", attempts=attempts, id=delivery_id)
            delivery = store.get(ctx, delivery_id)
        assert delivery is not None
        return delivery

    return claimed


@pytest.fixture
def attempt(db: Database, settings: Settings, clock: Clock) -> Attempt:
    """Try to send by an unavailable mail server, and return the stored delivery."""
    unavailable = structs.replace(settings, email="smtp://127.0.0.1:1")

    def attempted(delivery: Delivery) -> dict[str, Any]:
        sender.attempt(db, unavailable, delivery)
        ctx = Context(db, settings, clock())
        with ctx.read():
            stored = store.get(ctx, delivery.id)
        assert stored is not None
        return {"state": stored.state, "error": stored.error, "pause": stored.due_at - clock()}

    return attempted


def a_send_to_me(cast: Cast, event: dict[str, Any], **more: Any) -> int:
    """Someone has the event sent to them."""
    reply = cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus@example.org"} | more)
    assert reply.status == 202, reply
    delivery_id: int = reply.json["deliveries"][0]["id"]
    return delivery_id


def test_retry_delays_grow_to_an_hour_with_jitter(cast: Cast, claim: Claim, attempt: Attempt) -> None:
    delivery_id = a_send_to_me(cast, an_event(cast.alice, public=True))
    for number in range(1, 16):
        outcomes = [attempt(claim(delivery_id, number)) for _ in range(8)]
        assert {outcome["state"] for outcome in outcomes} == {"queued"}
        whole = min(HOUR, 10 * 2 ** (number - 1))
        pauses = [outcome["pause"] for outcome in outcomes]
        assert whole * 0.7 < min(pauses) <= max(pauses) <= whole, number
        assert number < 4 or len(set(pauses)) > 1


def test_a_delivery_fails_after_two_days(cast: Cast, claim: Claim, attempt: Attempt, clock: Clock) -> None:
    delivery_id = a_send_to_me(cast, an_event(cast.alice, public=True))
    clock.ahead(2 * DAY - HOUR - 1)
    assert attempt(claim(delivery_id, 50))["state"] == "queued"
    clock.ahead(HOUR + 1)
    last_attempt = attempt(claim(delivery_id, 51))
    assert (last_attempt["state"], last_attempt["error"]) == ("failed", "Given up after 51 attempts. The mail server cannot be reached.")


def test_an_event_that_is_deleted_after_the_claim_is_not_sent(cast: Cast, claim: Claim, attempt: Attempt) -> None:
    event = an_event(cast.alice, public=True)
    claimed = claim(a_send_to_me(cast, event))
    cast.alice.delete(f"/api/events/{event['id']}")
    outcome = attempt(claimed)
    assert (outcome["state"], outcome["error"]) == ("failed", "The event was deleted before it was sent.")


def test_an_address_that_unsubscribes_after_the_claim_gets_nothing(cast: Cast, settings: Settings, claim: Claim, attempt: Attempt) -> None:
    event = an_event(cast.alice, public=True)
    a_send_to_me(cast, event, opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    cast.alice.put(f"/api/events/{event['id']}/announce")
    claimed = claim(cast.alice.get("/api/deliveries").json["deliveries"][0]["id"])
    (subscriber,) = cast.alice.get("/api/subscribers").json["subscribers"]
    cast.alice.delete(f"/api/subscribers/{subscriber['id']}")
    outcome = attempt(claimed)
    assert (outcome["state"], outcome["error"]) == ("failed", "They left the list before it was sent.")


def test_an_event_that_became_private_is_not_sent(cast: Cast, settings: Settings, claim: Claim, attempt: Attempt) -> None:
    event = an_event(cast.alice, public=True)
    first = claim(a_send_to_me(cast, event, opt_in=True))
    confirmed(cast.alice, settings, "gus@example.org")
    assert cast.alice.put(f"/api/events/{event['id']}/announce").json == {"queued": 1}
    announced = claim(cast.alice.get("/api/deliveries").json["deliveries"][0]["id"])
    cast.alice.put(f"/api/events/{event['id']}", json={"public": False, "description": "secret"})
    for delivery in (first, announced):
        outcome = attempt(delivery)
        assert (outcome["state"], outcome["error"]) == ("failed", "The event was made private before it was sent.")


def test_a_private_event_is_sent_for_those_who_see_it(cast: Cast, claim: Claim, attempt: Attempt) -> None:
    event = an_event(cast.alice)
    delivery = cast.alice.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus@example.org"}).json["deliveries"][0]
    assert attempt(claim(delivery["id"]))["error"] == "The mail server cannot be reached."


def test_deliveries_are_deleted_with_their_owner(cast: Cast, db: Database, settings: Settings, claim: Claim) -> None:
    claimed = claim(a_send_to_me(cast, an_event(cast.dave, public=True)))
    cast.dave.delete(f"/api/users/{cast.dave.id}", json={"current_password": "correct horse battery"})
    sender.attempt(db, settings, claimed)
    assert not (settings.folder / "outbox" / f"{claimed.id}.eml").exists()
    with db.read() as tx:
        assert tx.rows("SELECT 1 FROM deliveries WHERE id = :id", id=claimed.id) == []


def test_old_deliveries_are_deleted_but_not_announced_again(
    cast: Cast, db: Database, settings: Settings, clock: Clock, claim: Claim
) -> None:
    event = an_event(cast.alice, public=True)
    a_send_to_me(cast, event, opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    cast.alice.put(f"/api/events/{event['id']}/announce")
    for delivery in cast.alice.get("/api/deliveries").json["deliveries"]:
        sender.attempt(db, settings, claim(delivery["id"]))
    clock.ahead(90 * DAY)
    clean_up(Context(db, settings, clock()))
    token = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": "correct horse battery"})
    alice = cast.alice.signed_in(token.json["token"])
    kinds = [delivery["kind"] for delivery in alice.get("/api/deliveries").json["deliveries"]]
    assert kinds == ["announce", "send_to_me", "confirm"]
    clock.ahead(1)
    clean_up(Context(db, settings, clock()))
    assert [delivery["kind"] for delivery in alice.get("/api/deliveries").json["deliveries"]] == ["announce"]
    assert alice.put(f"/api/events/{event['id']}/announce").json == {"queued": 0}
