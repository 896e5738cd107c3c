"""Location: the path of the record that a request has created, where its creator can read it."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_calendar, a_key, a_question, a_reminder, an_event, verified
from tests.client import Client, Reply
from tests.test_policy import Scene, content_of, name_of

FIELDS = {"title": "Concert", "start_time": "2026-06-01T20:00"}


def _registered(cast: Cast) -> tuple[Reply, Client]:
    name = f"zoe-{uuid4().hex[:10]}"
    reply = cast.anonymous.post("/api/users", json={"user_name": name, "email_address": f"{name}@example.org", "password": PASSWORD})
    session = cast.anonymous.post("/api/session", json={"user_name": name, "password": PASSWORD})
    return reply, cast.anonymous.signed_in(session.json["token"])


def _signed_in(cast: Cast) -> tuple[Reply, Client]:
    reply = cast.anonymous.post("/api/session", json={"user_name": cast.alice.user_name, "password": PASSWORD})
    return reply, cast.anonymous.signed_in(reply.json["token"])


# What a request replies, and who then reads the record, where that is not one of Alice's own with the usual fields.
CREATE: dict[str, Callable[[Cast], tuple[Reply, Client]]] = {
    "POST /api/users": _registered,
    "POST /api/session": _signed_in,
    "PUT /api/events": lambda cast: (cast.alice.put(f"/api/events?uid={uuid4()}", json=FIELDS), cast.alice),
    "PUT /api/events/{event_id}/copy": lambda cast: (
        cast.carol.put(f"/api/events/{an_event(cast.alice, public=True)['id']}/copy"),
        cast.carol,
    ),
    "POST /api/responses": lambda cast: (
        cast.carol.post("/api/responses", json={"event_id": an_event(cast.alice, public=True)["id"], "response": "YES"}),
        cast.carol,
    ),
    "POST /api/comments": lambda cast: (
        cast.carol.post("/api/comments", json={"event_id": an_event(cast.alice, public=True)["id"], "comment": "Hi"}),
        cast.carol,
    ),
}


def _created(name: str, cast: Cast, settings: Settings) -> tuple[Reply, Client]:
    scene = Scene(cast, settings, "public")
    method, url = name.split(" ")
    return cast.alice.request(method, scene.path(url), **content_of(name, scene)), cast.alice


def test_an_endpoint_that_creates_in_a_list_has_a_location_exactly_if_its_records_can_be_shown() -> None:
    shown = {endpoint.path.rpartition("/")[0] for endpoint in ENDPOINTS if endpoint.method == "GET" and endpoint.path.endswith("_id}")}
    creating = [endpoint for endpoint in ENDPOINTS if endpoint.in_api and endpoint.method == "POST" and endpoint.status == 201]
    wrong = [endpoint.url for endpoint in creating if bool(endpoint.location) != (endpoint.path in shown)]
    assert wrong == []


def test_who_responded_to_an_event_by_its_link_reads_the_response_at_its_location(cast: Cast) -> None:
    event = an_event(cast.alice, visibility="link")
    link = event["link_url"].rpartition("/")[2]
    reply = cast.carol.post("/api/responses", json={"event_id": event["id"], "response": "YES", "link": link})
    assert (reply.status, cast.carol.get(reply.headers["Location"]).status) == (201, 200)


@pytest.mark.parametrize("name", [name_of(endpoint) for endpoint in ENDPOINTS if endpoint.location])
def test_who_created_a_record_reads_it_at_its_location(cast: Cast, db: Database, settings: Settings, name: str) -> None:
    verified(db, cast.carol)
    reply, author = CREATE[name](cast) if name in CREATE else _created(name, cast, settings)
    assert reply.status == 201, reply
    shown = author.get(reply.headers["Location"])
    assert (shown.status, shown.json["id"]) == (200, reply.json["id"])


def test_records_that_cannot_be_shown_have_no_location(cast: Cast) -> None:
    """An id in another path would be that of another record."""
    event, calendar = an_event(cast.alice), a_calendar(cast.alice)
    created: list[Any] = [a_key(cast.alice)]
    created += [a_question(cast.alice, f"/api/events/{event['id']}"), a_reminder(cast.alice, f"/api/calendars/{calendar['id']}")]
    assert all(each["id"] for each in created)
    for path, fields in {
        f"/api/events/{event['id']}/questions": {"label": "Which menu?", "kind": "text"},
        f"/api/calendars/{calendar['id']}/questions": {"label": "Which menu?", "kind": "text"},
        f"/api/events/{event['id']}/reminders": {"before": 60},
        f"/api/calendars/{calendar['id']}/reminders": {"before": 30},
        "/api/keys": {"name": "a program"},
    }.items():
        reply = cast.alice.post(path, json=fields)
        assert (reply.status, "Location" in reply.headers) == (201, False), (path, reply)


def test_a_comment_that_its_author_cannot_read_has_no_location(cast: Cast) -> None:
    fields = {"event_id": an_event(cast.alice, public=True)["id"], "comment": "Hi", "email_address": "gus@example.org"}
    waiting = cast.anonymous.post("/api/comments", json=fields)
    assert (waiting.status, waiting.json["is_approved"], "Location" in waiting.headers) == (201, False, False)
    event = an_event(cast.alice, visibility="link")
    by_link = {"event_id": event["id"], "comment": "Hi", "link": event["link_url"].rpartition("/")[2]}
    reply = cast.carol.post("/api/comments", json=by_link)
    assert (reply.status, "Location" in reply.headers) == (201, False)


def test_a_list_and_a_file_of_records_have_no_location(cast: Cast) -> None:
    for reply in (cast.alice.post("/api/events", json=[FIELDS, FIELDS]), cast.alice.post("/api/events", json=FIELDS | {"dry_run": True})):
        assert (reply.status, "Location" in reply.headers) == (201, False)
