"""Responding while the event is cancelled: no response lands after the cancellation."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import apsw
import psycopg
import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.sqlite.database import Sqlite
from kalends.features.comments import api as comments
from kalends.features.responses import api
from kalends.features.responses.steps import admission, respond
from tests.cast import Cast, a_response, an_event
from tests.client import Reply

pytestmark = pytest.mark.on_one_database

TIMEOUT = 20
WAYS = ["create", "change", "comment"]
# What each of them calls after it has read the event.
AFTER_READING = {"create": (api, "author"), "change": (admission, "lock"), "comment": (comments, "author")}


def _is_locked(db: Database, settings: Settings, event_id: int) -> bool:
    """Whether nobody else can change the event now."""
    try:
        if isinstance(db, Sqlite):
            with closing(apsw.Connection(str(db.path))) as other:
                other.execute("BEGIN IMMEDIATE; ROLLBACK")
        else:
            with psycopg.connect(settings.database) as connection:
                connection.execute("SELECT 1 FROM events WHERE id = %s FOR NO KEY UPDATE NOWAIT", [event_id])
    except (apsw.BusyError, psycopg.errors.LockNotAvailable):
        return True
    return False


def _hook(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, act: Callable[[], Any]) -> None:
    """Act once, before the function of this name runs in the transaction of the response."""
    original, acts = getattr(module, name), [act]

    def run(*arguments: Any, **options: Any) -> Any:
        if acts:
            acts.pop()()
        return original(*arguments, **options)

    monkeypatch.setattr(module, name, run)


def _respond(cast: Cast, event: dict[str, Any], way: str, response_id: int) -> Reply:
    fields = {"event_id": event["id"], "email_address": cast.carol.email_address, "response": "YES"}
    if way == "create":
        return cast.carol.post("/api/responses", json=fields)
    if way == "change":
        return cast.bob.put(f"/api/responses/{response_id}", json={"response": "YES", "number": 2})
    return cast.carol.post("/api/comments", json=fields | {"comment": "See you"})


def _an_event_with_a_no(cast: Cast) -> tuple[dict[str, Any], int]:
    event = an_event(cast.alice, public=True)
    return event, a_response(cast.bob, event, email_address=cast.bob.email_address, response="NO")["id"]


@pytest.mark.parametrize("way", WAYS)
def test_a_response_that_began_before_a_cancellation_does_not_land_after_it(
    cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    event, response_id = _an_event_with_a_no(cast)
    path = f"/api/events/{event['id']}"
    cancelled: list[int] = []

    def cancel() -> None:
        with ThreadPoolExecutor(1) as other:
            cancelled.append(other.submit(cast.alice.put, path, json={"status": "cancelled"}).result(TIMEOUT).status)

    if isinstance(db, Sqlite):
        # A write transaction waits for the one before it: there is no moment between reading the event and responding.
        cancel()
    else:
        module, name = AFTER_READING[way]
        _hook(monkeypatch, module, name, cancel)
    reply = _respond(cast, event, way, response_id)
    assert cancelled == [200]
    assert (reply.status, "This event has been cancelled, so RSVPs are closed" in reply.text) == (409, True)
    assert cast.alice.get(path).json["responses"] == {"yes": 0, "maybe": 0, "no": 1, "people": 0}


@pytest.mark.parametrize("way", WAYS)
def test_an_event_cannot_be_cancelled_while_a_response_is_written(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    event, response_id = _an_event_with_a_no(cast)
    locked: list[bool] = []
    _hook(monkeypatch, respond, "_require_seats", lambda: locked.append(_is_locked(db, settings, event["id"])))
    assert _respond(cast, event, way, response_id).status in (200, 201)
    assert locked == [True]
    assert not _is_locked(db, settings, event["id"])
