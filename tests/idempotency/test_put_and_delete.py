"""Idempotency-Key with PUT and DELETE: a repeated request is done once, and gets the reply of the first unless that held a secret."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from kalends.app import ENDPOINTS
from kalends.db import Database
from tests.cast import (
    PASSWORD,
    Cast,
    Person,
    a_calendar,
    a_contact,
    a_question,
    a_reminder,
    a_report,
    a_webhook,
    an_event,
    an_invitation,
    shared,
)
from tests.client import Client, Reply
from tests.site.administrator import Admin, an_account_invitation, an_inactive_person

AT_ONCE = 4

# The ids in the path, who sends it, and what.
Request = tuple[tuple[Any, ...], Client, dict[str, Any]]


def _event(**fields: Any) -> Callable[[Cast], Request]:
    return lambda cast: ((an_event(cast.alice)["id"],), cast.alice, fields)


def _removed(cast: Cast) -> Request:
    event, other = an_event(cast.alice)["id"], a_calendar(cast.alice)["id"]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": other}).status == 200
    return (event,), cast.alice, {"calendar_id": other}


def _send_to_me(cast: Cast) -> Request:
    return (an_event(cast.alice, public=True)["id"],), cast.alice, {"email": f"{uuid4().hex}@example.org"}


def _calendar(**fields: Any) -> Callable[[Cast], Request]:
    return lambda cast: ((a_calendar(cast.alice)["id"],), cast.alice, fields)


def _unshared(cast: Cast) -> Request:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "viewer")
    return (calendar["id"],), cast.alice, {"user_name": cast.bob.user_name}


def _share(cast: Cast) -> Request:
    return (a_calendar(cast.alice)["id"],), cast.alice, {"user_name": cast.bob.user_name, "role": "viewer"}


def _question(owner: str, create: Callable[..., dict[str, Any]], **fields: Any) -> Callable[[Cast], Request]:
    def request(cast: Cast) -> Request:
        owner_id = create(cast.alice)["id"]
        return (owner_id, a_question(cast.alice, f"/api/{owner}/{owner_id}")["id"]), cast.alice, fields

    return request


def _reminder(owner: str, create: Callable[..., dict[str, Any]], **fields: Any) -> Callable[[Cast], Request]:
    def request(cast: Cast) -> Request:
        owner_id = create(cast.alice)["id"]
        return (owner_id, a_reminder(cast.alice, f"/api/{owner}/{owner_id}")["id"]), cast.alice, fields

    return request


def _invitation(cast: Cast) -> Request:
    event = an_event(cast.alice)
    return (event["id"], an_invitation(cast.alice, event)["id"]), cast.alice, {}


def _contact(**fields: Any) -> Callable[[Cast], Request]:
    return lambda cast: ((a_contact(cast.alice)["id"],), cast.alice, fields)


def _comment(**fields: Any) -> Callable[[Cast], Request]:
    def request(cast: Cast) -> Request:
        reply = cast.alice.post("/api/comments", json={"event_id": an_event(cast.alice)["id"], "comment": "Yes!"})
        return (reply.json["id"],), cast.alice, fields

    return request


def _response(**fields: Any) -> Callable[[Cast], Request]:
    def request(cast: Cast) -> Request:
        reply = cast.alice.post("/api/responses", json={"event_id": an_event(cast.alice)["id"], "response": "YES"})
        return (reply.json["id"],), cast.alice, fields

    return request


def _report(cast: Cast) -> Request:
    report = a_report(cast.alice, event_id=an_event(cast.alice)["id"])
    return (report["id"],), Admin(cast.anonymous, "ada"), {"closed": True}


def _person(**fields: Any) -> Callable[[Cast], Request]:
    return lambda cast: ((cast.dave.id,), Admin(cast.anonymous, "ada"), fields)


def _waiting_person(cast: Cast) -> Request:
    return (an_inactive_person(cast.anonymous, "waiting").id,), Admin(cast.anonymous, "ada"), {}


def _account_invitation(cast: Cast) -> Request:
    invitation_id, _ = an_account_invitation(cast.anonymous, f"{uuid4().hex}@example.org")
    return (invitation_id,), Admin(cast.anonymous, "ada"), {}


def _session(cast: Cast) -> Request:
    other = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD})
    return (other.json["id"],), cast.alice, {}


def _key(cast: Cast) -> Request:
    return (cast.alice.post("/api/keys", json={"name": "a program"}).json["id"],), cast.alice, {}


def _oneself(person: str, **fields: Any) -> Callable[[Cast], Request]:
    def request(cast: Cast) -> Request:
        who: Person = getattr(cast, person)
        return (who.id,), who, fields

    return request


REQUESTS: dict[str, Callable[[Cast], Request]] = {
    "DELETE /api/events": lambda cast: ((), cast.alice, {"uid": an_event(cast.alice)["uid"]}),
    "PUT /api/events": lambda cast: ((), cast.alice, {"uid": uuid4().hex, "title": "Jazz", "start_time": "2026-06-01"}),
    "PUT /api/events/{event_id}": _event(tag="late"),
    "DELETE /api/events/{event_id}": _event(),
    "DELETE /api/events/{event_id}/image": _event(),
    "PUT /api/events/{event_id}/repeat": _event(frequency="DAILY", end_date="2026-12-31"),
    "PUT /api/events/{event_id}/add": lambda cast: (
        (an_event(cast.alice)["id"],),
        cast.alice,
        {"calendar_id": a_calendar(cast.alice)["id"]},
    ),
    "PUT /api/events/{event_id}/remove": _removed,
    "PUT /api/events/{event_id}/copy": _event(),
    "PUT /api/events/{event_id}/reset_link": lambda cast: ((an_event(cast.alice, visibility="link")["id"],), cast.alice, {}),
    "PUT /api/events/{event_id}/send_to_me": _send_to_me,
    "PUT /api/events/{event_id}/announce": lambda cast: ((an_event(cast.alice, public=True)["id"],), cast.alice, {}),
    "PUT /api/calendars/{calendar_id}": _calendar(name="Blues"),
    "DELETE /api/calendars/{calendar_id}": _calendar(),
    "PUT /api/calendars/{calendar_id}/share": _share,
    "PUT /api/calendars/{calendar_id}/unshare": _unshared,
    "PUT /api/calendars/{calendar_id}/reset_feed": _calendar(),
    "PUT /api/events/{event_id}/reminders/{reminder_id}": _reminder("events", an_event, before=30),
    "DELETE /api/events/{event_id}/reminders/{reminder_id}": _reminder("events", an_event),
    "PUT /api/calendars/{calendar_id}/reminders/{reminder_id}": _reminder("calendars", a_calendar, before=30),
    "DELETE /api/calendars/{calendar_id}/reminders/{reminder_id}": _reminder("calendars", a_calendar),
    "PUT /api/events/{event_id}/invitations/{invitation_id}/resend": _invitation,
    "DELETE /api/events/{event_id}/invitations/{invitation_id}": _invitation,
    "PUT /api/events/{event_id}/questions/{question_id}": _question("events", an_event, label="Which menu?"),
    "DELETE /api/events/{event_id}/questions/{question_id}": _question("events", an_event),
    "PUT /api/calendars/{calendar_id}/questions/{question_id}": _question("calendars", a_calendar, label="Which menu?"),
    "DELETE /api/calendars/{calendar_id}/questions/{question_id}": _question("calendars", a_calendar),
    "PUT /api/contacts/{contact_id}": _contact(tag="late"),
    "DELETE /api/contacts/{contact_id}": _contact(),
    "PUT /api/comments/{comment_id}": _comment(comment="No!"),
    "DELETE /api/comments/{comment_id}": _comment(),
    "PUT /api/responses/{response_id}": _response(response="NO"),
    "PUT /api/responses/{response_id}/accept": _response(force=True),
    "PUT /api/responses/{response_id}/reset_link": _response(),
    "PUT /api/responses/{response_id}/reminders": _response(wanted=False),
    "DELETE /api/responses/{response_id}": _response(),
    "PUT /api/reports/{report_id}": _report,
    "DELETE /api/session/{session_id}": _session,
    "DELETE /api/keys/{key_id}": _key,
    "PUT /api/webhooks/{webhook_id}": lambda cast: ((a_webhook(cast.alice)["id"],), cast.alice, {"kinds": ["event"]}),
    "DELETE /api/webhooks/{webhook_id}": lambda cast: ((a_webhook(cast.alice)["id"],), cast.alice, {}),
    "PUT /api/admin/people/{person_id}": _person(role="admin"),
    "PUT /api/admin/people/{person_id}/approve": _waiting_person,
    "PUT /api/admin/people/{person_id}/refuse": _waiting_person,
    "PUT /api/admin/people/{person_id}/suspend": _person(),
    "PUT /api/admin/people/{person_id}/activate": _person(),
    "DELETE /api/admin/people/{person_id}": _person(),
    "DELETE /api/admin/invitations/{account_invitation_id}": _account_invitation,
    "PUT /api/site": lambda cast: ((), Admin(cast.anonymous, "ada"), {"name": None}),
    "PUT /api/users/{user_id}": _oneself("alice", name="Alicia"),
}
# Not tried here: who deletes the account cannot sign in to ask again; the others delete one row, as those above do.
ELSEWHERE = {
    "DELETE /api/users/{user_id}",
    "DELETE /api/subscribers/{subscriber_id}",
    "DELETE /api/blocks/{blocked_id}",
    "DELETE /api/deliveries/suppressions/{suppression_id}",
    "DELETE /api/admin/suppressions/{suppression_id}",
    "DELETE /api/blocked_senders/{sender_id}",
    "DELETE /api/hidden_events/{hidden_id}",
}


def send(request: Request, name: str, key: str) -> Reply:
    ids, who, fields = request
    method, _, path = name.partition(" ")
    for number in ids:
        path = f"{path[: path.index('{')]}{number}{path[path.index('}') + 1 :]}"
    return who.request(method, path, json=fields, headers={"Idempotency-Key": key})


def test_every_put_and_delete_of_the_api_has_a_sample() -> None:
    unsafe = {f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS if endpoint.in_api and endpoint.method in ("PUT", "DELETE")}
    assert unsafe - set(REQUESTS) == ELSEWHERE


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_a_request_repeated_under_its_key_gets_the_same_reply(cast: Cast, name: str) -> None:
    request, key = REQUESTS[name](cast), uuid4().hex
    first, again = send(request, name, key), send(request, name, key)
    assert first.status in (200, 201, 202), first
    assert (again.status, again.content) == (first.status, first.content)
    assert ("Idempotency-Replayed" in first.headers, again.headers.get("Idempotency-Replayed")) == (False, "true")


@pytest.mark.parametrize("action", ["copy", "send_to_me"])
def test_concurrent_requests_under_one_key_run_once(cast: Cast, db: Database, action: str) -> None:
    name, table = f"PUT /api/events/{{event_id}}/{action}", {"copy": "events", "send_to_me": "deliveries"}[action]
    request, key = REQUESTS[name](cast), uuid4().hex
    before = _rows(db, table)
    with ThreadPoolExecutor(AT_ONCE) as clients:
        replies = list(clients.map(lambda _: send(request, name, key), range(AT_ONCE)))
    assert len({(reply.status, reply.content) for reply in replies}) == 1, replies
    assert _rows(db, table) == before + 1


def test_a_key_belongs_to_one_method(cast: Cast) -> None:
    request, key = _event()(cast), uuid4().hex
    assert send(request, "PUT /api/events/{event_id}", key).status == 200
    refused = send(request, "DELETE /api/events/{event_id}", key)
    assert (refused.status, refused.broken) == (422, ["Idempotency-Key"])
    assert cast.alice.get(f"/api/events/{request[0][0]}").status == 200


def _rows(db: Database, table: str) -> int:
    with db.read() as tx:
        return int(tx.value(f"SELECT count(*) FROM {table}"))
