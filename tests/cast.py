"""The cast: the users of the tests, and plain functions that create their records."""

from functools import cache, cached_property
from typing import Any
from uuid import uuid4

from msgspec import convert, to_builtins

from kalends.core.records.people import Role
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.sessions import store as sessions
from kalends.features.users import present
from kalends.features.users import store as users
from kalends.features.users.model import Profile
from kalends.features.users.rules import passwords
from kalends.http.context import Context
from kalends.http.server import Application
from tests.client import Client

PASSWORD = "correct horse battery"


class Person(Client):
    """A signed-in user, with the fields of their account."""

    def __init__(self, guest: Client, name: str, **fields: Any):
        user_name = f"{name}-{uuid4().hex[:10]}"
        profile = {"user_name": user_name, "email_address": f"{user_name}@example.org", "name": name.title()} | fields
        user, session_id, token = self._enter(guest, profile)
        self.user: dict[str, Any] = user
        self.id: int = user["id"]
        self.user_name: str = user["user_name"]
        self.email_address: str = user["email_address"]
        self.primary_calendar_id: int = user["primary_calendar_id"]
        self.session_id: str = session_id
        super().__init__(guest.app, token)

    def _enter(self, guest: Client, profile: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
        """The user, and the id and the token of a session. Thousands of tests begin with it, so it sends no requests if it need not."""
        if not isinstance(guest.app, Application):
            return _register(guest, profile)
        services = guest.app._services
        ctx = Context(services.db, services.settings, services.clock())
        with ctx.write():
            user = users.get(ctx, users.insert(ctx, convert(profile, Profile), _password_hash()))
            session, token = sessions.insert(ctx, user.id, None)
            return to_builtins(present.detail(ctx, user)), session.id, token


class Registered(Person):
    """A user who registered, and was mailed a link to verify the address."""

    def _enter(self, guest: Client, profile: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
        return _register(guest, profile)


def _register(guest: Client, profile: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
    reply = guest.post("/api/users", json=profile | {"password": PASSWORD})
    assert reply.status == 201, reply
    session = guest.post("/api/session", json={"user_name": profile["user_name"], "password": PASSWORD})
    assert session.status == 201, session
    return reply.json, session.json["id"], session.json["token"]


@cache
def _password_hash() -> str:
    return passwords.hash_password(PASSWORD)


def an_inhabitant(db: Database, settings: Settings, role: Role = "member") -> None:
    """Someone who has an account already, so that others can register: the first account needs the administrator's code.

    A database that is opened again, for tests that another process left over, has that account."""
    ctx = Context(db, settings, 0)
    with ctx.write():
        if users.find(ctx, "inhabitant") is None:
            users.insert(ctx, Profile(user_name="inhabitant", email_address="inhabitant@example.org"), _password_hash(), role=role)


class Cast:
    """Anonymous has no account. Alice owns things. They are shared with Bob, who may edit them, and with Vera,
    who may only look. Mona manages them, as Fred did once. Carol is a signed-in stranger. Dave is someone else whom things
    happen to."""

    def __init__(self, guest: Client, person: type[Person] = Person):
        self.anonymous = guest
        self._person = person

    @cached_property
    def alice(self) -> Person:
        return self._person(self.anonymous, "alice")

    @cached_property
    def bob(self) -> Person:
        return self._person(self.anonymous, "bob")

    @cached_property
    def carol(self) -> Person:
        return self._person(self.anonymous, "carol")

    @cached_property
    def vera(self) -> Person:
        return self._person(self.anonymous, "vera")

    @cached_property
    def mona(self) -> Person:
        return self._person(self.anonymous, "mona")

    @cached_property
    def fred(self) -> Person:
        return self._person(self.anonymous, "fred")

    @cached_property
    def dave(self) -> Person:
        return self._person(self.anonymous, "dave")


def a_calendar(owner: Client, **fields: Any) -> dict[str, Any]:
    reply = owner.post("/api/calendars", json={"name": "Jazz"} | fields)
    assert reply.status == 201, reply
    calendar: dict[str, Any] = reply.json
    return calendar


def an_event(owner: Client, **fields: Any) -> dict[str, Any]:
    reply = owner.post("/api/events", json={"title": "Concert", "start_time": "2026-06-01T20:00"} | fields)
    assert reply.status == 201, reply
    event: dict[str, Any] = reply.json
    return event


def many_events(owner: Client, count: int) -> list[int]:
    """The ids of new events, sent a hundred at a time."""
    ids: list[int] = []
    for first in range(0, count, 100):
        events = [{"title": "Concert", "start_time": "2026-06-01T20:00"}] * min(100, count - first)
        reply = owner.post("/api/events", json=events)
        assert reply.status == 201, reply
        ids += [event["id"] for event in reply.json]
    return ids


def a_webhook(owner: Client, **fields: Any) -> dict[str, Any]:
    """A webhook to a public address, without its secret. Nothing is sent, since no worker runs."""
    reply = owner.post("/api/webhooks", json={"url": "https://[2606:4700::1111]/hook"} | fields)
    assert reply.status == 201, reply
    webhook: dict[str, Any] = reply.json
    return {name: value for name, value in webhook.items() if name != "secret"}


def a_comment(author: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reply = author.post("/api/comments", json={"event_id": event["id"], "comment": "See you there"} | fields)
    assert reply.status == 201, reply
    comment: dict[str, Any] = reply.json
    return comment


def a_response(author: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reply = author.post("/api/responses", json={"event_id": event["id"], "response": "YES"} | fields)
    assert reply.status in (200, 201), reply
    response: dict[str, Any] = reply.json
    return response


def an_invitation(owner: Client, event: dict[str, Any], address: str = "ines@example.org") -> dict[str, Any]:
    """An invitation, whose mail is queued."""
    path = f"/api/events/{event['id']}/invitations"
    reply = owner.post(path, json={"addresses": [address]})
    assert reply.status == 202, reply
    rows: list[dict[str, Any]] = owner.get(path).json["invitations"]
    return next(row for row in rows if row["address"] == address)


def a_cohost(owner: Client, event: dict[str, Any], name: str, **fields: Any) -> dict[str, Any]:
    """A co-host of the event, by user name or address."""
    reply = owner.post(f"/api/events/{event['id']}/cohosts", json={"user_name": name} | fields)
    assert reply.status == 201, reply
    cohost: dict[str, Any] = reply.json
    return cohost


def an_ownership_offer(owner: Client, calendar: dict[str, Any], recipient: "Person") -> dict[str, Any]:
    """An offer to hand over the calendar to somebody."""
    reply = owner.post(f"/api/calendars/{calendar['id']}/ownership_offers", json={"user_name": recipient.user_name})
    assert reply.status == 201, reply
    offer: dict[str, Any] = reply.json
    return offer


def handed_over(owner: Client, calendar: dict[str, Any], recipient: "Person") -> None:
    """The calendar is the recipient's from now on."""
    offer = an_ownership_offer(owner, calendar, recipient)
    reply = recipient.put(f"/api/ownership_offers/{offer['id']}", json={"accepted": True})
    assert reply.status == 200, reply


def a_question(owner: Client, path: str, **fields: Any) -> dict[str, Any]:
    """A question of the event or calendar with this path."""
    reply = owner.post(f"{path}/questions", json={"label": "Vegan?", "kind": "yes_no"} | fields)
    assert reply.status == 201, reply
    question: dict[str, Any] = reply.json
    return question


def a_reminder(owner: Client, path: str, **fields: Any) -> dict[str, Any]:
    """A reminder of the event or calendar with this path, a day before its start."""
    time = {} if "days_before" in fields else {"before": 1440}
    reply = owner.post(f"{path}/reminders", json=time | fields)
    assert reply.status == 201, reply
    reminder: dict[str, Any] = reply.json
    return reminder


def verified(db: Database, person: Person) -> Person:
    """The person, who has proved that their e-mail address is theirs."""
    with db.write() as tx:
        tx.run("UPDATE users SET verified_at = 1 WHERE id = :id", id=person.id)
    return person


def a_contact(owner: Client, **fields: Any) -> dict[str, Any]:
    reply = owner.post("/api/contacts", json={"first_name": "Ana"} | fields)
    assert reply.status == 201, reply
    contact: dict[str, Any] = reply.json
    return contact


def last_change(owner: Client, event: dict[str, Any]) -> int:
    """The number of a change of the event's title."""
    assert owner.put(f"/api/events/{event['id']}", json={"title": f"Changed {uuid4().hex[:6]}"}).status == 200
    seq: int = owner.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    return seq


def a_report(author: Client, **fields: Any) -> dict[str, Any]:
    reply = author.post("/api/reports", json={"reason": "spam"} | fields)
    assert reply.status == 201, reply
    report: dict[str, Any] = reply.json
    return report


def shared(owner: Client, calendar: dict[str, Any], friend: Person, role: str) -> None:
    """Share the calendar with the friend."""
    reply = owner.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": friend.user_name, "role": role})
    assert reply.status == 200, reply


def a_block(blocker: Person, owner: Person) -> int:
    """The blocker leaves a calendar that the owner shares with them, and blocks the owner; the owner's id."""
    calendar = a_calendar(owner)
    shared(owner, calendar, blocker, "viewer")
    reply = blocker.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": blocker.user_name, "block": True})
    assert reply.status == 200, reply
    return owner.id


def a_key(owner: Client, name: str = "a program", **fields: Any) -> dict[str, Any]:
    reply = owner.post("/api/keys", json={"name": name} | fields)
    assert reply.status == 201, reply
    key: dict[str, Any] = reply.json
    return key
