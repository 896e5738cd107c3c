"""An Idempotency-Key shows the stored reply only to someone who still sees what it shows."""

from typing import Any
from uuid import uuid4

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast, a_calendar, a_response, an_event, shared, verified
from tests.client import Client, Reply
from tests.dav.clients import calendar_path
from tests.dav.test_scheduling import invited
from tests.dav.test_write import put
from tests.responses.mail import token_of
from tests.site.administrator import Admin


def send(who: Client, key: str, method: str, path: str, **fields: Any) -> Reply:
    return who.request(method, path, json=fields, headers={"Idempotency-Key": key})


def _refused(reply: Reply) -> bool:
    return reply.status == 409 and "SECRET" not in reply.text and "may see has changed" in reply.json["detail"]


@pytest.mark.parametrize("action", ["create", "update", "batch", "by uid"])
@pytest.mark.parametrize("end", ["unshare", "viewer"])
def test_an_ex_editor_reads_no_stored_reply(cast: Cast, action: str, end: str) -> None:
    calendar, key = a_calendar(cast.alice), uuid4().hex
    shared(cast.alice, calendar, cast.bob, "editor")
    event = an_event(cast.alice, calendar_id=calendar["id"], title="SECRET", uid=uuid4().hex)
    new = {"title": "SECRET", "start_time": "2026-06-01", "calendar_id": calendar["id"]}
    method, path, content = {
        "create": ("POST", "/api/events", new),
        "update": ("PUT", f"/api/events/{event['id']}", {"tag": "late"}),
        "batch": ("POST", "/api/events", [new]),
        "by uid": ("PUT", "/api/events", {"uid": event["uid"], "title": "SECRET", "start_time": "2026-06-01"}),
    }[action]

    def send_again() -> Reply:
        return cast.bob.request(method, path, json=content, headers={"Idempotency-Key": key})

    first = send_again()
    assert first.status in (200, 201), first
    assert send_again().headers["Idempotency-Replayed"] == "true"
    if end == "unshare":
        ended = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    else:
        ended = cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": cast.bob.user_name, "role": "viewer"})
    assert ended.status == 200
    assert _refused(send_again())


def test_a_guest_whose_invitation_was_withdrawn_reads_no_stored_reply(cast: Cast, db: Database) -> None:
    for person in (cast.alice, cast.carol):
        verified(db, person)
    shared(cast.carol, a_calendar(cast.carol), cast.alice, "viewer")
    assert (
        put(cast.alice, f"{calendar_path(cast.alice, cast.alice.primary_calendar_id)}a.ics", invited(cast.alice, cast.carol)).status == 201
    )
    [event] = cast.alice.get("/api/events", query={"calendar_id": str(cast.alice.primary_calendar_id)}).json["events"]
    comment = {"event_id": event["id"], "comment": "SECRET"}
    assert send(cast.carol, "a", "POST", "/api/comments", **comment).status == 201
    copied = send(cast.carol, "b", "PUT", f"/api/events/{event['id']}/copy")
    assert copied.status == 201
    [invitation] = cast.alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    assert cast.alice.delete(f"/api/events/{event['id']}/invitations/{invitation['id']}").status == 200
    assert _refused(send(cast.carol, "a", "POST", "/api/comments", **comment))
    assert _refused(send(cast.carol, "b", "PUT", f"/api/events/{event['id']}/copy"))


def test_an_ended_session_reads_no_stored_reply(cast: Cast) -> None:
    assert send(cast.alice, "a", "POST", "/api/events", title="SECRET", start_time="2026-06-01").status == 201
    assert cast.alice.delete(f"/api/session/{cast.alice.session_id}").status == 200
    assert send(cast.alice, "a", "POST", "/api/events", title="SECRET", start_time="2026-06-01").status == 401


def test_a_personal_link_that_was_replaced_reads_no_stored_reply(cast: Cast, db: Database, settings: Settings) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="g@example.org", comment="SECRET")
    [response] = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    token = token_of(db, settings, response["id"])
    path = f"/api/responses/{response['id']}"
    assert send(cast.anonymous, "a", "PUT", path, token=token, response="NO").status == 200
    assert send(cast.anonymous, "a", "PUT", path, token=token, response="NO").status == 200
    assert cast.alice.put(f"{path}/reset_link", json={}).status == 200
    assert _refused(send(cast.anonymous, "a", "PUT", path, token=token, response="NO"))


def test_a_former_admin_reads_no_stored_reply(cast: Cast) -> None:
    ada, other = Admin(cast.anonymous, "ada"), Admin(cast.anonymous, "otto")
    path = f"/api/admin/people/{cast.dave.id}/suspend"
    assert send(ada, "a", "PUT", path).status == 200
    assert send(ada, "a", "PUT", path).status == 200
    assert other.put(f"/api/admin/people/{ada.id}", json={"role": "member"}).status == 200
    assert _refused(send(ada, "a", "PUT", path))


def test_leaving_a_calendar_can_be_tried_again(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    path = f"/api/calendars/{calendar['id']}/unshare"
    first, again = (send(cast.bob, "a", "PUT", path, user_name=cast.bob.user_name) for _ in range(2))
    assert (first.status, again.status, again.content) == (200, 200, first.content)
