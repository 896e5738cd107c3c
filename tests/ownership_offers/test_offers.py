"""Offers to hand over a calendar: who makes, accepts, declines and withdraws them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.app.worker import clean_up
from kalends.core.settings import Settings
from kalends.db import Author, Database
from kalends.http.context import Context
from tests.cast import PASSWORD, Cast, Person, a_block, a_calendar, an_event, an_ownership_offer, handed_over, shared
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.site.administrator import Admin
from tests.users.account_mail import mails

DAY = 86_400


def _offers(person: Person) -> list[dict[str, Any]]:
    offers: list[dict[str, Any]] = person.get("/api/ownership_offers").json["ownership_offers"]
    return offers


def _role(person: Person, calendar: dict[str, Any]) -> str | None:
    reply = person.get(f"/api/calendars/{calendar['id']}")
    return str(reply.json["role"]) if reply.status == 200 else None


def _answer(person: Person, offer: dict[str, Any], accepted: bool, **fields: Any) -> Any:
    return person.put(f"/api/ownership_offers/{offer['id']}", json={"accepted": accepted} | fields)


def test_an_accepted_calendar_has_a_new_owner_and_its_former_one_as_a_manager(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, name="Choir")
    shared(cast.alice, calendar, cast.vera, "viewer")
    own, deleted = an_event(cast.alice, calendar_id=calendar["id"]), an_event(cast.alice, calendar_id=calendar["id"])
    assert cast.alice.delete(f"/api/events/{deleted['id']}").status == 200
    offer = an_ownership_offer(cast.alice, calendar, cast.bob)
    assert (offer["calendar_name"], offer["user"]["id"], offer["offered_by"]["id"]) == ("Choir", cast.bob.id, cast.alice.id)
    assert offer["expires_at"] == "2026-06-11T20:26:40Z"
    assert _offers(cast.alice) == _offers(cast.bob) == [offer]
    assert (_role(cast.alice, calendar), _role(cast.bob, calendar)) == ("owner", None)
    [offered] = [text for text in mails(db, settings, cast.alice.id, "notice") if "/calendars/offers" in text]
    assert f"To: {cast.bob.email_address}" in offered
    assert _answer(cast.bob, offer, True).json["accepted"] is True
    assert [_role(person, calendar) for person in (cast.bob, cast.alice, cast.vera)] == ["owner", "manager", "viewer"]
    assert cast.bob.get(f"/api/events/{own['id']}").json["owner"]["id"] == cast.bob.id
    [entry] = cast.bob.get("/api/trash").json["trash"]
    assert cast.bob.post(f"/api/changes/{entry['seq']}/undo").status == 200
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 403
    [accepted] = mails(db, settings, cast.bob.id, "notice")
    assert f"To: {cast.alice.email_address}" in accepted
    assert _offers(cast.alice) == _offers(cast.bob) == []


def test_a_declined_or_withdrawn_offer_changes_nothing(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    assert _answer(cast.bob, an_ownership_offer(cast.alice, calendar, cast.bob), False).json["accepted"] is False
    offer = an_ownership_offer(cast.alice, calendar, cast.bob)
    assert cast.bob.delete(f"/api/ownership_offers/{offer['id']}").status == 403
    assert cast.alice.delete(f"/api/ownership_offers/{offer['id']}").status == 200
    assert _answer(cast.bob, offer, True).status == 404
    assert (_role(cast.alice, calendar), _role(cast.bob, calendar)) == ("owner", None)
    assert mails(db, settings, cast.alice.id, "notice") == []


def test_an_offer_to_somebody_else_replaces_the_first(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    first, second = an_ownership_offer(cast.alice, calendar, cast.bob), an_ownership_offer(cast.alice, calendar, cast.carol)
    assert _answer(cast.bob, first, True).status == 404
    assert _answer(cast.carol, second, True).status == 200
    assert cast.carol.get(f"/api/calendars/{calendar['id']}").json["owner"]["id"] == cast.carol.id


def test_an_offer_ends_after_fourteen_days(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    offer = an_ownership_offer(cast.alice, a_calendar(cast.alice), cast.bob)
    clock.ahead(14 * DAY - 1)
    assert _offers(cast.bob) == [offer]
    clock.ahead(1)
    assert _offers(cast.bob) == []
    assert _answer(cast.bob, offer, True, current_password=PASSWORD).status == 404
    clean_up(Context(db, settings, NOON + 14 * DAY))
    with db.read() as tx:
        assert tx.value("SELECT count(*) FROM ownership_offers WHERE id = :id", id=offer["id"]) == 0


def test_both_sides_have_signed_in_within_the_hour_or_give_the_password(cast: Cast, clock: Clock) -> None:
    path = f"/api/calendars/{a_calendar(cast.alice)['id']}/ownership_offers"
    assert _offers(cast.bob) == []
    clock.ahead(3600)
    refused = cast.alice.post(path, json={"user_name": cast.bob.user_name})
    assert (refused.status, refused.broken) == (422, ["current_password"])
    offer = cast.alice.post(path, json={"user_name": cast.bob.user_name, "current_password": PASSWORD}).json
    refused = _answer(cast.bob, offer, True)
    assert (refused.status, refused.broken) == (422, ["current_password"])
    assert _answer(cast.bob, offer, True, current_password="not this one").status == 403
    assert _answer(cast.bob, offer, True, current_password=PASSWORD).status == 200


@pytest.mark.on_one_database
def test_a_calendar_is_offered_to_somebody_else_with_an_account(cast: Cast) -> None:
    path = f"/api/calendars/{a_calendar(cast.alice)['id']}/ownership_offers"
    for name, status in ((cast.alice.user_name, 422), ("nobody", 404), ("", 422)):
        reply = cast.alice.post(path, json={"user_name": name})
        assert (reply.status, reply.broken) == (status, ["user_name"])
    primary = cast.alice.post(f"/api/calendars/{cast.alice.primary_calendar_id}/ownership_offers", json={"user_name": cast.bob.user_name})
    assert primary.status == 409


@pytest.mark.on_one_database
def test_who_blocks_somebody_hears_of_no_offer(cast: Cast, db: Database, settings: Settings) -> None:
    a_block(cast.bob, cast.alice)
    offer = an_ownership_offer(cast.alice, a_calendar(cast.alice), cast.bob)
    assert _offers(cast.bob) == []
    assert _answer(cast.bob, offer, True).status == 404
    assert mails(db, settings, cast.alice.id, "notice") == []


def test_an_admin_hands_over_a_calendar_whose_owner_is_suspended(cast: Cast) -> None:
    admin, calendar, alone = Admin(cast.anonymous, "ada"), a_calendar(cast.alice, name="Choir"), a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.mona, "manager")
    path = f"/api/calendars/{calendar['id']}/ownership_offers"
    assert admin.post(path, json={"user_name": cast.mona.user_name}).status == 404
    assert admin.put(f"/api/admin/people/{cast.alice.id}/suspend").status == 200
    assert calendar["id"] in [each["id"] for each in admin.get("/api/ownership_offers").json["ownerless_calendars"]]
    assert alone["id"] not in [each["id"] for each in admin.get("/api/ownership_offers").json["ownerless_calendars"]]
    assert "ownerless_calendars" not in cast.mona.get("/api/ownership_offers").json
    assert "Choir" in admin.get("/calendars/offers").text
    assert admin.post(path, json={"user_name": cast.mona.user_name}).status == 201
    [offer] = _offers(cast.mona)
    assert _answer(cast.mona, offer, True).status == 200
    assert _role(cast.mona, calendar) == "owner"


def test_an_offer_of_an_owner_who_was_suspended_ends(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    offer = an_ownership_offer(cast.alice, calendar, cast.bob)
    assert Admin(cast.anonymous, "ada").put(f"/api/admin/people/{cast.alice.id}/suspend").status == 200
    assert _answer(cast.bob, offer, True).status == 404


def test_the_last_manager_of_a_calendar_whose_owner_is_suspended_stays(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    for person in (cast.mona, cast.bob):
        shared(cast.alice, calendar, person, "manager")
    assert Admin(cast.anonymous, "ada").put(f"/api/admin/people/{cast.alice.id}/suspend").status == 200
    path = f"/api/calendars/{calendar['id']}/unshare"
    assert cast.mona.put(path, json={"user_name": cast.mona.user_name}).status == 200
    for fields in ({}, {"block": True}):
        reply = cast.bob.put(path, json={"user_name": cast.bob.user_name} | fields)
        assert (reply.status, "last manager" in reply.text) == (409, True)
    assert "last manager" in cast.bob.post(f"/calendars/{calendar['id']}/leave", data={}).text
    shared(cast.bob, calendar, cast.dave, "manager")
    assert cast.bob.put(path, json={"user_name": cast.bob.user_name}).status == 200


@pytest.mark.on_one_database
def test_a_calendar_counts_in_the_quota_of_its_new_owner(cast: Cast, db: Database, settings: Settings) -> None:
    calendar = a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=calendar["id"])
    offer = an_ownership_offer(cast.alice, calendar, cast.bob)
    few = Client(application(db, structs.replace(settings, quota_calendars=1), lambda: NOON)).signed_in(cast.bob.token or "")
    refused = few.put(f"/api/ownership_offers/{offer['id']}", json={"accepted": True})
    assert refused.status == 409, refused
    assert _role(cast.alice, calendar) == "owner"
    handed_over(cast.alice, calendar, cast.bob)


@pytest.mark.on_one_database
def test_the_pages_offer_accept_decline_and_withdraw(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Choir")
    assert "Hand over calendar" in cast.alice.get(f"/calendars/{calendar['id']}/edit").text
    path = f"/calendars/{calendar['id']}/ownership"
    assert "doesn’t belong to anyone" in cast.alice.post(path, data={"user_name": "nobody"}).text
    assert cast.alice.post(path, data={"user_name": cast.bob.user_name}).status == 303
    assert "Choir" in cast.alice.get("/calendars/offers").text
    [offer] = _offers(cast.bob)
    assert "offers you this calendar until" in cast.bob.get("/calendars/offers").text
    assert cast.alice.post(f"/calendars/offers/{offer['id']}/withdraw").status == 303
    assert _offers(cast.bob) == []
    offer = an_ownership_offer(cast.alice, calendar, cast.bob)
    accepted = cast.bob.post(f"/calendars/offers/{offer['id']}", data={"accepted": "true"})
    assert accepted.headers["location"].startswith(f"/calendars/{calendar['id']}")
    assert _role(cast.bob, calendar) == "owner"


def test_an_offer_that_is_accepted_meanwhile_is_not_withdrawn_or_declined(cast: Cast, db: Database) -> None:
    for ends in (lambda offer: cast.alice.delete(f"/api/ownership_offers/{offer['id']}"), lambda offer: _answer(cast.bob, offer, False)):
        calendar = a_calendar(cast.alice)
        offer = cast.alice.post(f"/api/calendars/{calendar['id']}/ownership_offers", json={"user_name": cast.bob.user_name}).json
        with ThreadPoolExecutor(1) as thread:
            with db.write() as tx:
                tx.author = lambda: Author(1, 0, None, "database", None)
                tx.advisory_lock(f"calendar {calendar['id']}")
                tx.run("DELETE FROM ownership_offers WHERE id = :id", id=offer["id"])
                ending = thread.submit(ends, offer)
                # It waits for the lock, or has not begun yet.
                threading.Event().wait(0.3)
            assert ending.result(30).status == 404
