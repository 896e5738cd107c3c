"""Idempotency-Key with PUT and DELETE: a repeated request is done once, and gets the reply of the first unless that held a secret."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_calendar, shared
from tests.client import Client, Reply
from tests.test_policy import TABLE, Scene, content_of, name_of, one_who_may

AT_ONCE = 4

# The path, who sends it, and what.
Request = tuple[str, Client, dict[str, Any]]


def _removed(scene: Scene) -> dict[str, Any]:
    other = {"calendar_id": a_calendar(scene.cast.alice)["id"]}
    assert scene.cast.alice.put(f"/api/events/{scene.event['id']}/add", json=other).status == 200
    return other


def _unshared(scene: Scene) -> dict[str, Any]:
    shared(scene.cast.alice, scene.calendar, scene.cast.dave, "viewer")
    return {"user_name": scene.cast.dave.user_name}


# What makes a write that the permission table has without fields one that changes something.
CHANGES: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "PUT /api/events/{event_id}": lambda scene: {"tag": "late"},
    "PUT /api/events": lambda scene: {"uid": uuid4().hex, "title": "Jazz", "start_time": "2026-06-01"},
    "PUT /api/events/{event_id}/add": lambda scene: {"calendar_id": a_calendar(scene.cast.alice)["id"]},
    "PUT /api/events/{event_id}/remove": _removed,
    "PUT /api/events/{event_id}/send_to_me": lambda scene: {"email": f"{uuid4().hex}@example.org"},
    "PUT /api/calendars/{calendar_id}": lambda scene: {"name": "Blues"},
    "PUT /api/calendars/{calendar_id}/unshare": _unshared,
    "PUT /api/events/{event_id}/reminders/{reminder_id}": lambda scene: {"before": 30},
    "PUT /api/calendars/{calendar_id}/reminders/{reminder_id}": lambda scene: {"before": 30},
    "PUT /api/events/{event_id}/questions/{question_id}": lambda scene: {"label": "Which menu?"},
    "PUT /api/calendars/{calendar_id}/questions/{question_id}": lambda scene: {"label": "Which menu?"},
    "PUT /api/contacts/{contact_id}": lambda scene: {"tag": "late"},
    "PUT /api/responses/{response_id}/accept": lambda scene: {"force": True},
    "PUT /api/webhooks/{webhook_id}": lambda scene: {"kinds": ["event"]},
    "PUT /api/users/{user_id}": lambda scene: {"name": "Alicia"},
}
# Who deletes the account or ends the session cannot ask again.
SIGNED_OUT = {"DELETE /api/users/{user_id}", "DELETE /api/session/{session_id}"}
WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.in_api and endpoint.method in ("PUT", "DELETE")]


def a_request(cast: Cast, settings: Settings, name: str) -> Request:
    """The request of the permission table, by one who may."""
    visibility = next((visibility for visibility, row in TABLE[name].items() if row[1] < 400), "private")
    scene = Scene(cast, settings, visibility)
    who = one_who_may(name, scene)
    path = scene.path(name.partition(" ")[2])
    fields = content_of(name, scene)["json"] | (CHANGES[name](scene) if name in CHANGES else {})
    return path, who, fields


def send(request: Request, method: str, key: str) -> Reply:
    path, who, fields = request
    return who.request(method, path, json=fields, headers={"Idempotency-Key": key})


def test_every_change_is_of_an_endpoint() -> None:
    assert CHANGES.keys() | SIGNED_OUT <= {name_of(endpoint) for endpoint in WRITES}


@pytest.mark.parametrize("name", [name for name in map(name_of, WRITES) if name not in SIGNED_OUT])
def test_a_request_repeated_under_its_key_gets_the_same_reply(cast: Cast, settings: Settings, name: str) -> None:
    request, key, method = a_request(cast, settings, name), uuid4().hex, name.partition(" ")[0]
    first, again = send(request, method, key), send(request, method, key)
    assert first.status in (200, 201, 202), first
    assert (again.status, again.content) == (first.status, first.content)
    assert ("Idempotency-Replayed" in first.headers, again.headers.get("Idempotency-Replayed")) == (False, "true")


def test_the_end_of_another_session_is_repeated_under_its_key(cast: Cast) -> None:
    other = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD}).json
    request: Request = (f"/api/session/{other['id']}", cast.alice, {})
    key = uuid4().hex
    first, again = send(request, "DELETE", key), send(request, "DELETE", key)
    assert (first.status, again.status, again.content) == (200, 200, first.content)
    assert again.headers.get("Idempotency-Replayed") == "true"


@pytest.mark.parametrize("action", ["copy", "send_to_me"])
def test_concurrent_requests_under_one_key_run_once(cast: Cast, settings: Settings, db: Database, action: str) -> None:
    name, table = f"PUT /api/events/{{event_id}}/{action}", {"copy": "events", "send_to_me": "deliveries"}[action]
    request, key = a_request(cast, settings, name), uuid4().hex
    before = _rows(db, table)
    with ThreadPoolExecutor(AT_ONCE) as clients:
        replies = list(clients.map(lambda _: send(request, "PUT", key), range(AT_ONCE)))
    assert len({(reply.status, reply.content) for reply in replies}) == 1, replies
    assert _rows(db, table) == before + 1


def test_a_key_belongs_to_one_method(cast: Cast, settings: Settings) -> None:
    request, key = a_request(cast, settings, "PUT /api/events/{event_id}"), uuid4().hex
    assert send(request, "PUT", key).status == 200
    refused = send(request, "DELETE", key)
    assert (refused.status, refused.broken) == (422, ["Idempotency-Key"])
    assert cast.alice.get(request[0]).status == 200


def _rows(db: Database, table: str) -> int:
    with db.read() as tx:
        return int(tx.value(f"SELECT count(*) FROM {table}"))
