"""The check of every reply that tests receive (tests/contract.py) finds what the OpenAPI document does not declare."""

import json
from typing import Any

import pytest

from kalends.http.reply import Reply
from kalends.http.request import Request, read_scope
from tests import contract
from tests.cast import Cast, an_event
from tests.client import Client, Scope, ScopeHeaders

pytestmark = pytest.mark.on_one_database


@pytest.fixture
def exchange(client: Client, cast: Cast) -> tuple[Request, Reply]:
    """A request for an event, and its reply, which the document declares."""
    event = an_event(cast.alice)
    fields = ScopeHeaders([("host", "testserver"), ("authorization", f"Bearer {cast.alice.token}")])
    scope: Any = Scope("GET", f"/api/events/{event['id']}", "", fields, "127.0.0.1:4711")
    request = read_scope(scope)
    client.app.route(request)
    reply = client.app(request)
    contract.check(request, reply)
    return request, reply


def test_an_undeclared_status_fails(exchange: tuple[Request, Reply]) -> None:
    request, reply = exchange
    reply.status = 418
    with pytest.raises(AssertionError, match=r"GET /api/events/{event_id} → 418 .*\n.*status is not declared"):
        contract.check(request, reply)


def test_an_undeclared_header_field_fails(exchange: tuple[Request, Reply]) -> None:
    request, reply = exchange
    reply.headers["Deprecation"] = "@1767225600"
    with pytest.raises(AssertionError, match="Deprecation is not declared"):
        contract.check(request, reply)


def test_a_missing_header_field_fails(exchange: tuple[Request, Reply]) -> None:
    request, reply = exchange
    del reply.headers["X-Request-Id"]
    with pytest.raises(AssertionError, match="X-Request-Id is required"):
        contract.check(request, reply)


@pytest.mark.parametrize("change", [{"mood": "good"}, {"title": 7}, {"status": "unknown"}, {"owner": {"id": 1, "name": "Ana", "age": 3}}])
def test_a_field_that_is_not_as_declared_fails(exchange: tuple[Request, Reply], change: dict[str, Any]) -> None:
    request, reply = exchange
    reply.body = json.dumps(json.loads(reply.body) | change).encode()
    with pytest.raises(AssertionError, match=next(iter(change))):
        contract.check(request, reply)


def test_another_media_type_fails(exchange: tuple[Request, Reply]) -> None:
    request, reply = exchange
    reply.content_type = "text/plain"
    with pytest.raises(AssertionError, match="media type text/plain"):
        contract.check(request, reply)


def test_a_message_of_a_webhook_that_is_not_as_declared_fails() -> None:
    message = {"type": "ping", "timestamp": "2026-06-01T20:00:00Z", "cursor": "1", "data": {"webhook_id": 1}}
    contract.check_webhook(json.dumps(message).encode())
    with pytest.raises(AssertionError, match="webhook is not as"):
        contract.check_webhook(json.dumps(message | {"data": {"webhook_id": 1, "mood": "good"}}).encode())
    with pytest.raises(AssertionError, match="webhook is not as"):
        contract.check_webhook(json.dumps(message | {"type": "event.put", "data": {"kind": "event", "op": "put", "id": 1}}).encode())
