"""Double opt-in: an unverified address gets announcements only after it followed its confirmation link."""

from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries.rules.recipient_links import confirm_url, unsubscribe_url
from kalends.features.subscribers import store
from kalends.http.context import Context
from tests.cast import Cast, Person, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.subscribers.confirmations import confirmations, confirmed, link_to_confirm

DAY = 24 * 3600


def _listed(owner: Person) -> list[dict[str, Any]]:
    subscribers: list[dict[str, Any]] = owner.get("/api/subscribers").json["subscribers"]
    return subscribers


def _queued(owner: Person, event: dict[str, Any]) -> int:
    return int(owner.put(f"/api/events/{event['id']}/announce").json["queued"])


def test_a_guests_address_is_announced_to_once_it_has_confirmed(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    assert [(s["address"], s["confirmed"]) for s in _listed(cast.alice)] == [("gus@example.org", False)]
    assert "not confirmed yet" in cast.alice.get("/subscribers").text
    assert ",False" in cast.alice.get("/api/subscribers.csv").text.replace("false", "False")
    assert _queued(cast.alice, event) == 0
    link = link_to_confirm(cast.alice, settings, "gus@example.org")
    assert "Alice" in cast.anonymous.get(link).text
    assert _queued(cast.alice, event) == 0
    assert [cast.anonymous.post(link).status for _ in range(2)] == [200, 200]
    (listed,) = _listed(cast.alice)
    assert (listed["confirmed"], listed["source"]) == (True, "response")
    assert "confirmed by the link" in listed["consent"]
    assert _queued(cast.alice, event) == 1


def test_a_verified_address_is_subscribed_at_once(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice, public=True)
    a_response(verified(db, cast.carol), event, opt_in=True)
    assert [(s["address"], s["confirmed"]) for s in _listed(cast.alice)] == [(cast.carol.email_address, True)]
    assert confirmations(cast.alice, cast.carol.email_address) == []
    assert _queued(cast.alice, event) == 1


@pytest.mark.parametrize("who", ["editor", "unverified account"])
def test_a_request_alone_does_not_confirm_an_address(cast: Cast, who: str) -> None:
    """Not even the event's owner, who may respond for others."""
    event = an_event(cast.alice, public=True)
    client = {"editor": cast.alice, "unverified account": cast.carol}[who]
    address = {"editor": "gus@example.org", "unverified account": cast.carol.email_address}[who]
    a_response(client, event, email_address=address, opt_in=True)
    assert [s["confirmed"] for s in _listed(cast.alice)] == [False]


def test_a_phone_number_gets_its_confirmation_link_by_sms(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    number = "+33612345678"
    cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"mobile_number": number, "opt_in": True})
    assert _queued(cast.alice, event) == 0
    confirmed(cast.alice, settings, number)
    assert _queued(cast.alice, event) == 1


def test_an_unsubscribed_address_returns_only_by_its_own_confirmation(cast: Cast, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    leave = unsubscribe_url(settings, _listed(cast.alice)[0]["id"]).removeprefix(settings.url)
    assert cast.anonymous.post(leave).status == 200
    clock.ahead(DAY + 1)
    for _ in range(3):
        a_response(cast.anonymous, event, email_address="GUS@example.org", opt_in=True)
    assert _listed(cast.alice) == []
    assert len(confirmations(cast.alice, "GUS@example.org")) == 1
    confirmed(cast.alice, settings, "GUS@example.org")
    assert [(s["confirmed"], s["source"]) for s in _listed(cast.alice)] == [(True, "confirmation")]
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    assert len(_listed(cast.alice)) == 1


def test_an_address_gets_one_confirmation_link_a_day_for_each_owner(cast: Cast, settings: Settings, clock: Clock) -> None:
    events = [an_event(cast.alice, public=True) for _ in range(2)]
    for event in events:
        a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
        a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    assert len(confirmations(cast.alice, "gus@example.org")) == 1
    clock.ahead(DAY + 1)
    a_response(cast.anonymous, events[0], email_address="gus@example.org", opt_in=True)
    assert len(confirmations(cast.alice, "gus@example.org")) == 2
    confirmed(cast.alice, settings, "gus@example.org")
    clock.ahead(DAY + 1)
    a_response(cast.anonymous, events[0], email_address="gus@example.org", opt_in=True)
    assert len(confirmations(cast.alice, "gus@example.org")) == 2


def test_many_owners_do_not_flood_an_address(cast: Cast, limited: Client) -> None:
    address = f"{cast.alice.user_name}@victim.example"
    owners = [Person(cast.anonymous, f"owner{number}") for number in range(7)]
    for owner in owners:
        a_response(limited, an_event(owner, public=True), email_address=address, opt_in=True)
    assert sum(len(confirmations(owner, address)) for owner in owners) == 5


def test_ids_of_deliveries_do_not_tell_who_is_on_the_list(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    cast.anonymous.post(link_to_confirm(cast.alice, settings, "gus@example.org"))
    ids = []
    for address in ("pia@example.org", "gus@example.org", "ida@example.org"):
        reply = cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": address, "opt_in": True})
        ids.append(reply.json["deliveries"][0]["id"])
    assert ids[1] - ids[0] == ids[2] - ids[1]


def test_an_unconfirmed_address_is_deleted_after_30_days(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = an_event(cast.alice, public=True)
    for name in ("gus", "hal"):
        a_response(cast.anonymous, event, email_address=f"{name}@example.org", opt_in=True)
    confirmed(cast.alice, settings, "gus@example.org")
    link = link_to_confirm(cast.alice, settings, "hal@example.org")
    later = Context(db, settings, clock.now + 30 * DAY + 1)
    with later.write():
        store.clean_up(later)
    assert [s["address"] for s in _listed(cast.alice)] == ["gus@example.org"]
    clock.ahead(30 * DAY + 1)
    assert (cast.anonymous.get(link).status, cast.anonymous.post(link).status) == (404, 404)


def test_a_forged_link_confirms_nothing(cast: Cast, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org", opt_in=True)
    (message,) = confirmations(cast.alice, "gus@example.org")
    delivery_id = cast.alice.put(f"/api/events/{event['id']}/send_to_me", json={"email": "gus@example.org"}).json["deliveries"][0]["id"]
    good = confirm_url(settings, message).rsplit("/", 1)[1]
    other = confirm_url(settings, delivery_id).rsplit("/", 1)[1]
    leave = unsubscribe_url(settings, message).rsplit("/", 1)[1]
    for token in (good[:-1], f"{good}x", f"{message}-", f"{message + 1}-{good.partition('-')[2]}", other, leave, "x", "²-a"):
        assert cast.anonymous.post(f"/confirm/{token}").status == 404
    assert [s["confirmed"] for s in _listed(cast.alice)] == [False]
