"""Someone who administers the site."""

from typing import Any

from kalends.core.records.people import AccountStatus
from kalends.features.users import invitation_store as invitations
from kalends.features.users import store as users
from kalends.http.context import Context
from tests.cast import PASSWORD, Person, a_calendar, an_event
from tests.client import Client


def an_inactive_person(guest: Client, status: AccountStatus) -> Person:
    """Someone who waits for the approval of an admin, or is suspended."""
    person = Person(guest, "walter")
    ctx = _context(guest)
    with ctx.write():
        users.update_status(ctx, person.id, status)
    return person


def an_account_invitation(guest: Client, address: str) -> tuple[int, str]:
    """The id and the token of an invitation to make an account."""
    ctx = _context(guest)
    with ctx.write():
        invitation = invitations.insert(ctx, address, None)
    return invitation.id, invitations.invitation_url(ctx.settings, invitation).rsplit("/", 1)[1]


def a_deleted_calendar(guest: Client, **fields: Any) -> int:
    """The id of a calendar with an event, whose owner has deleted the account."""
    owner = Person(guest, "lea")
    calendar = a_calendar(owner, **fields)
    an_event(owner, calendar_id=calendar["id"], title="Rehearsal")
    reply = owner.delete(f"/api/users/{owner.id}", json={"current_password": PASSWORD})
    assert reply.status == 200, reply
    calendar_id: int = calendar["id"]
    return calendar_id


def _context(guest: Client) -> Context:
    services = guest.app._services  # type: ignore[attr-defined]
    return Context(services.db, services.settings, services.clock())


class Admin(Person):
    """A user with the role admin."""

    def _enter(self, guest: Client, profile: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
        user, session_id, token = super()._enter(guest, profile)
        ctx = _context(guest)
        with ctx.write():
            users.update_role(ctx, user["id"], "admin")
        return user, session_id, token


def a_blocked_sender(admin: Client, sender: str = "spam.example") -> dict[str, Any]:
    reply = admin.post("/api/blocked_senders", json={"sender": sender})
    assert reply.status == 201, reply
    blocked: dict[str, Any] = reply.json
    return blocked


def a_style_sheet(admin: Client) -> str:
    """The digest of a draft."""
    page = admin.post("/admin/style/preview", data={"style": "body { color: red }"}).text
    return page.partition('href="/style/')[2][:32]


def a_hidden_event(admin: Client, event: dict[str, Any], reason: str = "It is spam.") -> dict[str, Any]:
    reply = admin.post("/api/hidden_events", json={"event_id": event["id"], "reason": reason})
    assert reply.status == 201, reply
    hidden: dict[str, Any] = reply.json
    return hidden
