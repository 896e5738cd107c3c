"""/api/blocked_senders: what a blocked guest sends is replied to as if it was accepted, and leaves nothing."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest

from kalends.db import Database
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply
from tests.site.administrator import Admin, a_blocked_sender

# What a guest sends from an address.
SENT: dict[str, Callable[[Client, dict[str, Any], str], Reply]] = {
    "response": lambda guest, event, address: guest.post(
        "/api/responses", json={"event_id": event["id"], "response": "YES", "email_address": address, "opt_in": True}
    ),
    "response on the page": lambda guest, event, address: guest.post(
        f"/events/{event['id']}/respond", data={"response": "YES", "email_address": address}
    ),
    "comment": lambda guest, event, address: guest.post(
        "/api/comments", json={"event_id": event["id"], "comment": "Pills", "email_address": address, "response": "YES"}
    ),
    "comment on the page": lambda guest, event, address: guest.post(
        f"/events/{event['id']}/comment", data={"comment": "Pills", "email_address": address}
    ),
    "report": lambda guest, event, address: guest.post(
        "/api/reports", json={"event_id": event["id"], "reason": "spam", "email_address": address}
    ),
    "request to have it sent": lambda guest, event, address: guest.put(
        f"/api/events/{event['id']}/send_to_me", json={"email": address, "opt_in": True}
    ),
    "subscription": lambda guest, event, address: guest.post(
        f"/calendars/{event['calendars'][0]['id']}/subscribe", data={"email_address": address}
    ),
}
TABLES = ("responses", "comments", "reports", "deliveries", "subscribers", "recipient_languages", "changes", "sync_entries")


def contents(db: Database) -> list[Any]:
    """How many rows there are of all that a guest can cause."""
    with db.read() as tx:
        return [tx.value(f"SELECT count(*) FROM {table}") for table in TABLES]


def outline(reply: Reply, address: str) -> Any:
    """The reply without what differs from one request to the next."""
    if reply.status == 303:
        return reply.redirect
    text = reply.text.replace(address, "")
    return reply.status, [each for each in text.split(",") if '"id"' not in each]


@pytest.mark.parametrize("name", SENT)
def test_a_blocked_guest_gets_the_usual_reply_and_nothing_is_stored(cast: Cast, db: Database, name: str) -> None:
    domain = f"{uuid4().hex}.example"
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, public=True, calendar_id=calendar["id"])
    accepted = SENT[name](cast.anonymous, event, f"gus@other-{domain}")
    a_blocked_sender(Admin(cast.anonymous, "ada"), domain)
    before = contents(db)
    refused = SENT[name](cast.anonymous, event, f"Gus@mail.{domain}")
    assert outline(refused, f"Gus@mail.{domain}") == outline(accepted, f"gus@other-{domain}")
    assert contents(db) == before


@pytest.mark.parametrize("name", ["comment", "request to have it sent"])
def test_ids_do_not_tell_guests_that_they_are_blocked(cast: Cast, name: str) -> None:
    event, domain = an_event(cast.alice, public=True), f"{uuid4().hex}.example"
    a_blocked_sender(Admin(cast.anonymous, "ada"), domain)
    ids = []
    for address in (f"gus@other-{domain}", f"gus@{domain}", f"hal@{domain}", f"hal@other-{domain}"):
        reply = SENT[name](cast.anonymous, event, address).json
        ids.append(reply["deliveries"][0]["id"] if "deliveries" in reply else reply["id"])
    steps = {after - before for before, after in pairwise(ids)}
    assert len(steps) == 1
    assert min(steps) > 0


def test_a_blocked_address_is_one_address_and_can_be_accepted_again(cast: Cast, db: Database) -> None:
    ada, event, domain = Admin(cast.anonymous, "ada"), an_event(cast.alice, public=True), f"{uuid4().hex}.example"
    blocked = a_blocked_sender(ada, f"Gus@{domain}")
    assert blocked["sender"] == f"gus@{domain}"
    for name in ("gus", "eve", "agus"):
        SENT["response"](cast.anonymous, event, f"{name}@{domain}")
    assert responders(cast, event) == {f"eve@{domain}", f"agus@{domain}"}
    assert ada.delete(f"/api/blocked_senders/{blocked['id']}").json == {"deleted": [blocked["id"]]}
    assert ada.delete(f"/api/blocked_senders/{blocked['id']}").status == 404
    SENT["response"](cast.anonymous, event, f"gus@{domain}")
    assert f"gus@{domain}" in responders(cast, event)


def test_an_organiser_adds_a_guest_with_a_blocked_address(cast: Cast) -> None:
    event, domain = an_event(cast.alice, public=True), f"{uuid4().hex}.example"
    a_blocked_sender(Admin(cast.anonymous, "ada"), domain)
    SENT["response"](cast.alice, event, f"gus@{domain}")
    assert responders(cast, event) == {f"gus@{domain}"}


def test_admins_list_the_blocked_senders_with_their_notes(cast: Cast) -> None:
    ada, domain = Admin(cast.anonymous, "ada"), f"{uuid4().hex}.example"
    first = a_blocked_sender(ada, domain)
    again = ada.post("/api/blocked_senders", json={"sender": f"@{domain.upper()}", "note": "Pills"}).json
    assert (again["id"], again["sender"], again["note"]) == (first["id"], domain, "Pills")
    assert again in ada.get("/api/blocked_senders?limit=1000").json["blocked_senders"]
    assert ada.get("/api/blocked_senders?count=true&limit=0").json["total"] >= 1


@pytest.mark.parametrize("sender", ["", "example", "a b@example.org", "gus@example", "@", "a@b@example.org", "x" * 251 + ".org"])
def test_a_sender_is_an_address_or_a_domain(cast: Cast, sender: str) -> None:
    assert Admin(cast.anonymous, "ada").post("/api/blocked_senders", json={"sender": sender}).broken == ["sender"]


def responders(cast: Cast, event: dict[str, Any]) -> set[str]:
    return {each["email_address"] for each in cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]}
