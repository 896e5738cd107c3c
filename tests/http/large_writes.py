"""The largest input that each write of the API takes."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from msgspec import Struct, structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_contents
from tests.cast import (
    PASSWORD,
    Cast,
    Person,
    a_calendar,
    a_cohost,
    a_question,
    a_reminder,
    a_response,
    a_webhook,
    an_event,
    an_ownership_offer,
    shared,
    verified,
)
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.contacts.providers.stand import Stand
from tests.events.importing import a_file, an_entry, imported
from tests.http.multipart import multipart
from tests.pictures.files import SMALL_PICTURE
from tests.site.administrator import Admin

# The most that one request takes: the dates of a series; the ids, addresses and items of a list.
DATES, LISTED = 1_000, 500
# Of each of these dates: together about what one request may add to the text index.
MAX_DESCRIPTION = 800
TEXT = "A night of jazz at the club. "


class Request(Struct):
    """A large request."""

    sender: Client
    path: str
    content: dict[str, Any] = {}


class Bulk:
    """Many records of alice's."""

    def __init__(self, db: Database, settings: Settings, clock: Clock, stack: ExitStack, events: int, contacts: int):
        self.db, self.settings, self.clock, self.stack = db, settings, clock, stack
        self.event_count, self.contact_count = events, contacts
        self.cast = Cast(Client(application(db, settings, clock)))
        self.alice = verified(db, self.cast.alice)

    def file(self) -> bytes:
        events = (an_entry(f"{i}@example.org", title=f"Concert {i}") for i in range(self.event_count))
        return a_file(*events).encode()

    def calendar(self, owner: Person | None = None) -> dict[str, Any]:
        """A calendar with many events."""
        calendar = a_calendar(owner or self.alice)
        imported(owner or self.alice, self.file(), calendar_id=calendar["id"])
        return calendar

    def series(self, **fields: Any) -> dict[str, Any]:
        event = an_event(self.alice, public=True, **fields)
        reply = self.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": min(DATES, self.event_count)})
        assert reply.status == 200, reply
        return event

    def events(self) -> list[int]:
        reply = self.alice.post("/api/events", json=[{"title": f"Concert {i}", "start_time": "2026-06-01T20:00"} for i in range(LISTED)])
        assert reply.status == 201, reply
        return [event["id"] for event in reply.json]

    def contact_file(self, start: int = 0) -> dict[str, Any]:
        rows = (f"Ana {i},Lee,ana{i}@example.org" for i in range(start, start + self.contact_count))
        return multipart(files=[("file", "a.csv", "\n".join(["first_name,last_name,email_address", *rows]).encode())])

    def contacts(self) -> None:
        for start in (0, self.contact_count):
            assert self.alice.post("/api/contacts/import_file", **self.contact_file(start)).status == 201

    def outlook(self) -> Person:
        """Alice, at a service whose Outlook has many contacts."""
        people = [{"displayName": f"Ana {i}", "emailAddresses": [{"address": f"ana{i}@example.org"}]} for i in range(self.contact_count)]
        stand = self.stack.enter_context(Stand(lambda request: request.reply(200, json.dumps({"value": people}))))
        settings = structs.replace(self.settings, graph_url=stand.settings.graph_url)
        return Person(Client(application(self.db, settings, self.clock)), "alice")

    def guests(self, count: int, **fields: Any) -> dict[str, Any]:
        """An event with many guests."""
        event = an_event(self.alice, public=True, **fields)
        first = a_response(self.cast.bob, event)["id"]
        with self.db.write() as tx:
            columns = [
                name
                for name in open_contents(self.db, tx).columns("responses")
                if name not in ("id", "user_id", "email_address", "email_key")
            ]
            tx.many(
                f"""INSERT INTO responses (email_address, email_key, {", ".join(columns)})
                    SELECT CAST(:address AS TEXT), CAST(:address AS TEXT), {", ".join(columns)} FROM responses WHERE id = :first""",
                [{"address": f"guest{i}@example.org", "first": first} for i in range(count)],
            )
        return event

    def subscribers(self) -> None:
        with self.db.write() as tx:
            tx.many(
                """INSERT INTO subscribers (owner_id, channel, address, address_key, source, consent, consented_at, confirmed_at)
                   VALUES (:me, 'email', :address, :address, 'response', 'yes', 1, 1)""",
                [{"me": self.alice.id, "address": f"guest{i}@example.org"} for i in range(self.event_count)],
            )


OUTLOOK = {"json": {"service": "outlook", "access_token": "token"}}


def _kept(bulk: Bulk) -> Request:
    alice = bulk.outlook()
    assert alice.post("/api/contacts/import", **OUTLOOK).status == 201
    return Request(alice, "/api/contacts/keep", {"json": {}})


def _all_contacts(bulk: Bulk) -> Request:
    bulk.contacts()
    return Request(bulk.alice, "/api/contacts/delete_all", {"json": {}})


def _account(bulk: Bulk) -> Request:
    bulk.calendar()
    bulk.contacts()
    return Request(bulk.alice, f"/api/users/{bulk.alice.id}", {"json": {"current_password": PASSWORD}})


def _other_account(bulk: Bulk) -> Request:
    path = _account(bulk).path.replace("users", "admin/people")
    return Request(Admin(bulk.cast.anonymous, "ada"), path, {"json": {"current_password": PASSWORD}})


def _deleted_calendar(bulk: Bulk) -> Request:
    calendar = bulk.calendar()
    assert bulk.alice.delete(f"/api/users/{bulk.alice.id}", json={"current_password": PASSWORD}).status == 200
    content = {"json": {"user_name": bulk.cast.bob.user_name}}
    return Request(Admin(bulk.cast.anonymous, "ada"), f"/api/admin/deleted_calendars/{calendar['id']}", content)


def _erased_calendar(bulk: Bulk) -> Request:
    return structs.replace(_deleted_calendar(bulk), content={"json": {}})


def _shared(bulk: Bulk) -> dict[str, Any]:
    """A calendar on which bob has made many events."""
    calendar = a_calendar(bulk.alice)
    shared(bulk.alice, calendar, bulk.cast.bob, "editor")
    imported(bulk.cast.bob, bulk.file(), calendar_id=calendar["id"])
    return calendar


def _viewer(bulk: Bulk) -> Request:
    return Request(
        bulk.alice, f"/api/calendars/{_shared(bulk)['id']}/share", {"json": {"user_name": bulk.cast.bob.user_name, "role": "viewer"}}
    )


def _unshare(bulk: Bulk) -> Request:
    fields = {"user_name": bulk.cast.bob.user_name, "events": "remove", "withdraw_invitations": True, "reset_links": True}
    return Request(bulk.alice, f"/api/calendars/{_shared(bulk)['id']}/unshare", {"json": fields})


def _undo(bulk: Bulk) -> Request:
    bulk.calendar()
    with bulk.db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes WHERE actor_id = :id", id=bulk.alice.id)
    return Request(bulk.alice, f"/api/changes/{seq}/undo", {"json": {}})


def _suspend(bulk: Bulk) -> Request:
    event = an_event(bulk.alice, public=True)
    bulk.subscribers()
    assert bulk.alice.put(f"/api/events/{event['id']}/announce", json={}).status == 202
    return Request(Admin(bulk.cast.anonymous, "ada"), f"/api/admin/people/{bulk.alice.id}/suspend", {"json": {}})


def _announce(bulk: Bulk) -> Request:
    bulk.subscribers()
    return Request(bulk.alice, f"/api/events/{an_event(bulk.alice, public=True)['id']}/announce", {"json": {}})


def _webhook(bulk: Bulk) -> str:
    """The path of a webhook with many deliveries."""
    webhook = a_webhook(bulk.alice)
    with bulk.db.write() as tx:
        tx.many(
            """INSERT INTO webhook_deliveries (webhook_id, message_id, kind, event_ids, tx, entry_id, state, attempts, created_at,
                   updated_at)
               VALUES (:id, :message, 'event', '', 1, 1, 'failed', 1, :now, :now)""",
            [{"id": webhook["id"], "message": f"m{webhook['id']}-{i}", "now": NOON} for i in range(bulk.event_count)],
        )
    return f"/api/webhooks/{webhook['id']}"


def _redeliver(bulk: Bulk) -> Request:
    return Request(bulk.alice, f"{_webhook(bulk)}/redeliver", {"json": {"since": "2026-05-11T15:00:00Z"}})


def _in_series(path: str, add: Callable[..., Any] | None = None, **fields: Any) -> Callable[[Bulk], Request]:
    def prepare(bulk: Bulk) -> Request:
        event = f"/api/events/{bulk.series()['id']}"
        record = f"/{add(bulk.alice, event, scope='all')['id']}" if add else ""
        return Request(bulk.alice, event + path + record, {"json": {"scope": "all"} | fields})

    return prepare


def _invitations(bulk: Bulk) -> Request:
    addresses = [f"guest{i}@example.org" for i in range(LISTED)]
    fields = {"addresses": addresses, "message": (TEXT * 100)[:2_000], "scope": "all"}
    return Request(bulk.alice, f"/api/events/{bulk.series()['id']}/invitations", {"json": fields})


def _message(bulk: Bulk) -> Request:
    fields = {"to": ["going"], "subject": "Jazz", "text": (TEXT * 400)[:10_000]}
    return Request(bulk.alice, f"/api/events/{bulk.guests(bulk.event_count)['id']}/messages", {"json": fields})


def _batch(bulk: Bulk) -> Request:
    event = {"title": "Concert", "start_time": "2026-06-01T20:00", "description": (TEXT * 100)[:1_800]}
    return Request(bulk.alice, "/api/events", {"json": [event] * LISTED})


def _deleted_events(bulk: Bulk) -> Request:
    first, *rest = bulk.events()
    return Request(bulk.alice, f"/api/events/{first}", {"json": {"ids": rest}})


def _deleted_by_uid(bulk: Bulk) -> Request:
    uid = bulk.alice.get(f"/api/events/{bulk.series()['id']}").json["uid"]
    return Request(bulk.alice, "/api/events", {"json": {"uid": uid}})


def _picture(bulk: Bulk) -> Request:
    content = multipart({"scope": "all"}, [("file", "a.png", SMALL_PICTURE)])
    return Request(bulk.alice, f"/api/events/{bulk.series()['id']}/image", content)


def _no_picture(bulk: Bulk) -> Request:
    request = _picture(bulk)
    assert bulk.alice.post(request.path, **request.content).status == 200
    return Request(bulk.alice, request.path, {"json": {"scope": "all"}})


def _import(bulk: Bulk) -> Request:
    return Request(bulk.alice, "/api/events/import", multipart(files=[("file", "a.ics", bulk.file())]))


def _moved_event(bulk: Bulk) -> Request:
    return Request(bulk.alice, f"/api/events/{bulk.guests(bulk.event_count)['id']}", {"json": {"start_time": "2026-06-01T21:00"}})


def _no_cohost(bulk: Bulk) -> Request:
    event = bulk.series()
    cohost = a_cohost(bulk.alice, event, "dana@example.org", scope="all")
    return Request(bulk.alice, f"/api/events/{event['id']}/cohosts/{cohost['id']}", {"json": {"scope": "all"}})


def _to_other_calendar(bulk: Bulk) -> Request:
    calendar_id = a_calendar(bulk.alice, name="Another")["id"]
    return Request(bulk.alice, f"/api/events/{bulk.series()['id']}", {"json": {"calendar_id": calendar_id, "scope": "all"}})


def _cancelled_event(bulk: Bulk) -> Request:
    return Request(bulk.alice, f"/api/events/{bulk.guests(bulk.event_count)['id']}", {"json": {"status": "cancelled"}})


def _opened_event(bulk: Bulk) -> Request:
    """An event for whose places many guests wait."""
    event = bulk.guests(bulk.event_count, capacity=20_000, waiting_list="auto")
    with bulk.db.write() as tx:
        tx.run("UPDATE responses SET held = 0, queued_at = id, queued_for = 1 WHERE event_id = :id", id=event["id"])
    return Request(bulk.alice, f"/api/events/{event['id']}", {"json": {"capacity": 19_999}})


def _deleted_event(bulk: Bulk) -> Request:
    return Request(bulk.alice, f"/api/events/{bulk.guests(bulk.event_count)['id']}")


def _small_calendars(bulk: Bulk) -> Request:
    """An account with many calendars, each of which has less than a batch of events."""
    count = bulk.event_count // 900 + 1
    for _ in range(count):
        calendar, entries = a_calendar(bulk.alice), (an_entry(f"{i}@example.org") for i in range(900))
        imported(bulk.alice, a_file(*entries), calendar_id=calendar["id"])
    return Request(bulk.alice, f"/api/users/{bulk.alice.id}", {"json": {"current_password": PASSWORD}})


def _response_to_series(bulk: Bulk) -> Request:
    return Request(bulk.cast.bob, "/api/responses", {"json": {"event_id": bulk.series()["id"], "response": "YES", "scope": "all"}})


def _answer_to_series(bulk: Bulk) -> Request:
    return Request(bulk.cast.bob, f"/api/my_events/{bulk.series()['id']}", {"json": {"response": "YES", "scope": "all"}})


def _responded_to_series(bulk: Bulk) -> dict[str, Any]:
    """Bob's response to all dates of a series."""
    verified(bulk.db, bulk.cast.bob)
    series = bulk.series(capacity=2, waiting_list="auto")
    reply = bulk.cast.bob.post("/api/responses", json={"event_id": series["id"], "response": "YES", "scope": "all"})
    assert reply.status == 201, reply
    return dict(reply.json)


def _forgotten_guest(bulk: Bulk) -> Request:
    response = _responded_to_series(bulk)
    return Request(bulk.cast.bob, f"/api/responses/{response['id']}", {"json": {"erase": True, "erase_comments": True}})


def _erased_account(bulk: Bulk) -> Request:
    _responded_to_series(bulk)
    return Request(bulk.cast.bob, f"/api/users/{bulk.cast.bob.id}", {"json": {"current_password": PASSWORD, "erase": True}})


def _renamed_calendar(bulk: Bulk) -> Request:
    return Request(bulk.alice, f"/api/calendars/{bulk.calendar()['id']}", {"json": {"name": "Rock"}})


def _repeat(bulk: Bulk) -> Request:
    event = an_event(bulk.alice, description=(TEXT * 50)[:MAX_DESCRIPTION])
    return Request(bulk.alice, f"/api/events/{event['id']}/repeat", {"json": {"frequency": "DAILY", "count": DATES}})


def _account_with_editor(bulk: Bulk) -> Request:
    """An account whose calendar somebody else keeps, with many events."""
    shared(bulk.alice, bulk.calendar(), bulk.cast.bob, "editor")
    return Request(bulk.alice, f"/api/users/{bulk.alice.id}", {"json": {"current_password": PASSWORD}})


def _accepted_calendar(bulk: Bulk) -> Request:
    offer = an_ownership_offer(bulk.alice, bulk.calendar(), bulk.cast.bob)
    return Request(bulk.cast.bob, f"/api/ownership_offers/{offer['id']}", {"json": {"accepted": True}})


LARGE: dict[str, list[Callable[[Bulk], Request]]] = {
    "DELETE /api/users/{user_id}": [_account, _account_with_editor, _small_calendars, _erased_account],
    "DELETE /api/admin/people/{person_id}": [_other_account],
    "PUT /api/admin/deleted_calendars/{deleted_calendar_id}": [_deleted_calendar],
    "DELETE /api/admin/deleted_calendars/{deleted_calendar_id}": [_erased_calendar],
    "PUT /api/admin/people/{person_id}/suspend": [_suspend],
    "PUT /api/calendars/{calendar_id}": [_renamed_calendar],
    "DELETE /api/calendars/{calendar_id}": [lambda bulk: Request(bulk.alice, f"/api/calendars/{bulk.calendar()['id']}")],
    "PUT /api/calendars/{calendar_id}/share": [_viewer],
    "PUT /api/calendars/{calendar_id}/unshare": [_unshare],
    "PUT /api/ownership_offers/{offer_id}": [_accepted_calendar],
    "POST /api/events": [_batch],
    "POST /api/events/import": [_import],
    "DELETE /api/events": [_deleted_by_uid],
    "PUT /api/events/{event_id}": [
        _in_series("", description=(TEXT * 50)[:MAX_DESCRIPTION], start_time="2026-06-01T21:00"),
        _moved_event,
        _cancelled_event,
        _opened_event,
        _to_other_calendar,
    ],
    "DELETE /api/events/{event_id}": [_in_series(""), _deleted_events, _deleted_event],
    "PUT /api/events/{event_id}/repeat": [_repeat],
    "PUT /api/events/{event_id}/announce": [_announce],
    "POST /api/events/{event_id}/image": [_picture],
    "DELETE /api/events/{event_id}/image": [_no_picture],
    "POST /api/events/{event_id}/questions": [_in_series("/questions", label="Which menu?", kind="text")],
    "PUT /api/events/{event_id}/questions/{question_id}": [_in_series("/questions", a_question, label="Which menu?")],
    "DELETE /api/events/{event_id}/questions/{question_id}": [_in_series("/questions", a_question)],
    "POST /api/events/{event_id}/cohosts": [_in_series("/cohosts", user_name="dana@example.org")],
    "DELETE /api/events/{event_id}/cohosts/{cohost_id}": [_no_cohost],
    "POST /api/events/{event_id}/reminders": [_in_series("/reminders", before=60)],
    "PUT /api/events/{event_id}/reminders/{reminder_id}": [_in_series("/reminders", a_reminder, before=60)],
    "DELETE /api/events/{event_id}/reminders/{reminder_id}": [_in_series("/reminders", a_reminder)],
    "POST /api/events/{event_id}/invitations": [_invitations],
    "POST /api/events/{event_id}/messages": [_message],
    "POST /api/responses": [_response_to_series],
    "DELETE /api/responses/{response_id}": [_forgotten_guest],
    "PUT /api/my_events/{event_id}": [_answer_to_series],
    "POST /api/contacts/import_file": [lambda bulk: Request(bulk.alice, "/api/contacts/import_file", bulk.contact_file())],
    "POST /api/contacts/import": [lambda bulk: Request(bulk.outlook(), "/api/contacts/import", OUTLOOK)],
    "POST /api/contacts/keep": [_kept],
    "POST /api/contacts/delete_all": [_all_contacts],
    "POST /api/changes/{seq}/undo": [_undo],
    "POST /api/webhooks/{webhook_id}/redeliver": [_redeliver],
    "DELETE /api/webhooks/{webhook_id}": [lambda bulk: Request(bulk.alice, _webhook(bulk))],
}
