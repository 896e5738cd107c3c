"""Sample rows of an event and a delivery."""

from contextlib import closing
from typing import Any
from uuid import uuid4

from kalends.core.records.delivery import Delivery
from kalends.core.records.event import Event
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.rules.recipient_links import stop_url
from kalends.http.context import Context
from tests.cast import Person, a_response, an_event
from tests.client import Client

# Monday, 11 May 2026, 17:00 in Paris.
FIVE = 1_778_511_600


def a_row(**fields: Any) -> Event:
    """An event's row, by default two hours long."""
    row: dict[str, Any] = dict.fromkeys(Event.__struct_fields__)
    row |= {"id": 7, "owner_id": 1, "calendar_id": 1, "title": "Jazz", "start_at": FIVE, "end_at": FIVE + 7200, "all_day": False}
    row |= {"time_zone": "Europe/Paris", "tags": "", "public": True, "version": 1, "created_at": 1_778_000_000, "updated_at": 1_778_000_001}
    row |= {"edited": False, "owner_name": "Ana", "can_edit": False}
    row["status"] = "planned"
    return Event(**row | fields)


def a_delivery(**fields: Any) -> Delivery:
    """A requested delivery, or with `subscriber_id` one to a subscriber."""
    row: dict[str, Any] = dict.fromkeys(Delivery.__struct_fields__)
    row |= {"id": 42, "owner_id": 1, "event_id": 7, "kind": "send_to_me", "channel": "email", "address": "gus@example.org"}
    row |= {"public": True, "state": "sending", "attempts": 1, "due_at": 0, "created_at": 1_778_000_000, "updated_at": 0}
    return Delivery(**row | fields)


def empty_queue(db: Database) -> None:
    """Count the deliveries of other tests as sent, so that a worker of this test does not send them."""
    with db.write() as tx:
        tx.run("DELETE FROM delivery_batches")
        tx.run("UPDATE deliveries SET state = 'sent' WHERE state IN ('queued', 'sending')")


def a_stop_token(settings: Settings, owner: Client) -> str:
    """The token by which a guest of a new event, who is notified of a change, gets no more messages about it."""
    event = an_event(owner, public=True, start_time="2030-06-01T20:00")
    a_response(owner, event, email_address="gus@example.org")
    assert owner.put(f"/api/events/{event['id']}", json={"start_time": "2030-06-02T20:00"}).json["notified"]["email"] == 1
    messages = owner.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    return stop_url(settings, next(each["id"] for each in messages if each["kind"] == "change")).rsplit("/", 1)[1]


def a_suppression(settings: Settings, owner: Person) -> int:
    """An address that a mail server refused, of which the owner's events get no more."""
    with closing(open_database(settings)) as db:
        ctx = Context(db, settings, 0)
        with ctx.write() as tx:
            suppressions.insert(
                ctx, "notice", "refused", "email", f"gus-{uuid4().hex}@example.org", owner_id=owner.id, detail="No such user"
            )
            return int(tx.value("SELECT max(id) FROM suppressed_addresses WHERE owner_id = :id", id=owner.id))
