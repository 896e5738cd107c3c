"""Plain functions that ask and answer."""

from typing import Any

from tests.cast import Person
from tests.client import Client

MENU = {"label": "Which menu?", "kind": "one", "options": [{"label": "Soup", "limit": 2}, {"label": "Salad"}]}


def a_menu(owner: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reply = owner.post(f"/api/events/{event['id']}/questions", json=MENU | fields)
    assert reply.status == 201, reply
    question: dict[str, Any] = reply.json
    return question


def questions_of(reader: Client, event: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions that `show` lists."""
    questions: list[dict[str, Any]] = reader.get(f"/api/events/{event['id']}").json["questions"]
    return questions


def undo(owner: Person, event: dict[str, Any]) -> None:
    """Undo the newest change of the event."""
    seq = owner.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"]
    reply = owner.post(f"/api/changes/{seq}/undo")
    assert reply.status == 200, reply
