"""Every channel by which a response arrives goes through `respond`, so all refuse the same responses."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kalends
from tests.cast import Cast, a_response, an_event
from tests.client import Reply

Event = dict[str, Any]


def _by_api(cast: Cast, event: Event, response_id: int, fields: dict[str, Any]) -> Reply:
    return cast.carol.post("/api/responses", json=fields | {"event_id": event["id"]})


def _by_update(cast: Cast, event: Event, response_id: int, fields: dict[str, Any]) -> Reply:
    return cast.carol.put(f"/api/responses/{response_id}", json=fields)


def _by_page(cast: Cast, event: Event, response_id: int, fields: dict[str, Any]) -> Reply:
    return cast.carol.post(f"/events/{event['id']}/respond", data={name: str(value) for name, value in fields.items()})


def _by_comment(cast: Cast, event: Event, response_id: int, fields: dict[str, Any]) -> Reply:
    return cast.carol.post("/api/comments", json={"event_id": event["id"], "response": fields["response"], "comment": "Hello"})


# Each function that calls `respond`, with the requests that lead to it.
CHANNELS: dict[str, list[Callable[[Cast, Event, int, dict[str, Any]], Reply]]] = {
    "responses.submit.submit": [_by_api, _by_page],
    "responses.api.update": [_by_update],
    "comments.api.create": [_by_comment],
}
WAYS = [way for ways in CHANNELS.values() for way in ways]

# What the organiser does to the event, what the guest then sends, and the outcome.
FORBIDDEN: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "hidden": ({"public": False}, {}, 404),
    "cancelled": ({"status": "cancelled"}, {}, 409),
    "postponed": ({"status": "postponed"}, {}, 409),
    "too large a party": ({"party_max": 2}, {"number": 2, "plus_n": 1}, 422),
}
# A comment says nothing of the party.
NOT_SAID = {("too large a party", _by_comment)}


def test_this_table_has_every_caller() -> None:
    root = Path(kalends.__file__).parent
    callers = set()
    for path in root.rglob("*.py"):
        if "from kalends.responses.respond import" not in path.read_text():
            continue
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "respond" for node in ast.walk(function)
            ):
                callers.add(f"{module}.{function.name}")
    assert callers == set(CHANNELS)


@pytest.mark.parametrize("case", FORBIDDEN)
def test_each_channel_refuses_the_same_responses(cast: Cast, case: str) -> None:
    change, fields, status = FORBIDDEN[case]
    event = an_event(cast.alice, public=True)
    response_id = a_response(cast.carol, event, response="NO", name="Carol", comment="Sorry")["id"]
    assert cast.alice.put(f"/api/events/{event['id']}", json=change).status == 200
    before = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    ways = [way for way in WAYS if (case, way) not in NOT_SAID]
    outcomes = {way.__name__: way(cast, event, response_id, {"response": "YES"} | fields).status for way in ways}
    assert outcomes == {way.__name__: status for way in ways}
    assert cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"] == before
