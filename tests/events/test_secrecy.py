"""Replies about a private event are those about a missing one, byte for byte, for a stranger and for a guest."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply

pytestmark = pytest.mark.on_one_database

REQUEST_ID = {"X-Request-Id": "the-same-for-all"}

Question = Callable[[Client, int, int], Reply]


def _question(method: str, path: str, **params: Any) -> Question:
    """A question about the event; `seen` in its place stands for an event that everyone sees, `mine` for one's own calendar."""

    def ask(actor: Client, event: int, seen: int) -> Reply:
        values = {name: value.format(event=event, seen=seen) if isinstance(value, str) else value for name, value in params.items()}
        carried: dict[str, Any] = {"query": values} if method == "GET" else {"json": values}
        return actor.request(method, path.format(event=event, seen=seen), headers=REQUEST_ID, **carried)

    return ask


QUESTIONS: dict[str, Question] = {
    "show": _question("GET", "/api/events/{event}"),
    "show when known": lambda actor, event, seen: actor.get(f"/api/events/{event}", headers=REQUEST_ID | {"If-None-Match": "*"}),
    "edit": _question("GET", "/api/events/{event}/edit"),
    "update": _question("PUT", "/api/events/{event}", title="Mine"),
    "update with a wrong value": _question("PUT", "/api/events/{event}", start_time="never"),
    "update to an end before the start": _question("PUT", "/api/events/{event}", end_time="1900-01-01"),
    "update a version": lambda actor, event, seen: actor.put(
        f"/api/events/{event}", headers=REQUEST_ID | {"If-Match": '"0"'}, json={"title": "Mine"}
    ),
    "update with others": _question("PUT", "/api/events/{event}", ids="{seen}", title="Mine"),
    "update among others": _question("PUT", "/api/events/{seen}", ids="{event}", title="Mine"),
    "destroy": _question("DELETE", "/api/events/{event}"),
    "destroy a version": lambda actor, event, seen: actor.delete(f"/api/events/{event}", headers=REQUEST_ID | {"If-Match": '"0"'}),
    "destroy with others": _question("DELETE", "/api/events/{event}", ids="{seen}"),
    "destroy among others": _question("DELETE", "/api/events/{seen}", ids="{event}"),
    "add": _question("PUT", "/api/events/{event}/add"),
    "add to a calendar that is not there": _question("PUT", "/api/events/{event}/add", calendar_id=2**62),
    "remove": _question("PUT", "/api/events/{event}/remove"),
    "copy": _question("PUT", "/api/events/{event}/copy"),
    "index": _question("GET", "/api/events", ids="{event}", count="true"),
    "index among others": _question("GET", "/api/events", ids="{event},{seen}", count="true"),
}


@pytest.mark.parametrize("actor", ["carol", "anonymous"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_private_event_is_as_good_as_missing(cast: Cast, question: str, actor: str) -> None:
    """The same event is requested while it is hidden, and after it is deleted."""
    reader: Client = getattr(cast, actor)
    hidden = an_event(cast.alice)["id"]
    seen = an_event(cast.carol if actor == "carol" and "others" in question else cast.alice, public=True)["id"]
    before = QUESTIONS[question](reader, hidden, seen)
    assert cast.alice.delete(f"/api/events/{hidden}").status == 200
    after = QUESTIONS[question](reader, hidden, seen)
    assert (before.status, before.content) == (after.status, after.content)
    assert dict(before.headers) == dict(after.headers)
    if "index" not in question and "wrong value" not in question:
        assert before.status == (401 if actor == "anonymous" and question in ("update among others", "destroy among others") else 404)


def test_each_request_distinguishes_a_visible_event_from_a_missing_one(cast: Cast) -> None:
    """Without this test, the requests above might distinguish nothing at all."""
    for name, ask in QUESTIONS.items():
        if "wrong value" in name or "not there" in name:
            continue
        event, other = an_event(cast.carol)["id"], an_event(cast.carol, public=True)["id"]
        before = ask(cast.carol, event, other)
        cast.carol.delete(f"/api/events/{event}")
        after = ask(cast.carol, event, other)
        assert (before.status, before.content) != (after.status, after.content), name


def test_a_hidden_calendar_is_as_good_as_missing(cast: Cast) -> None:
    hidden, event = a_calendar(cast.alice)["id"], an_event(cast.carol)["id"]

    def send_all() -> list[tuple[int, bytes]]:
        replies = [
            cast.carol.get("/api/events", query={"calendar_id": hidden}, headers=REQUEST_ID),
            cast.carol.get("/api/events", query={"calendar_ids": f"{cast.carol.primary_calendar_id},{hidden}"}, headers=REQUEST_ID),
            cast.anonymous.get("/api/events", query={"calendar_id": hidden}, headers=REQUEST_ID),
            *(
                cast.carol.put(f"/api/events/{event}/{action}", json={"calendar_id": hidden}, headers=REQUEST_ID)
                for action in ("add", "remove", "copy")
            ),
            cast.carol.post("/api/events", json={"title": "x", "start_time": "2026-06-01", "calendar_id": hidden}, headers=REQUEST_ID),
        ]
        return [(reply.status, reply.content) for reply in replies]

    before = send_all()
    assert {status for status, _ in before} == {404}
    assert cast.alice.delete(f"/api/calendars/{hidden}").status == 200
    assert send_all() == before


def test_an_event_does_not_disclose_calendars_that_the_reader_does_not_see(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)["id"]
    before = [reader.get(f"/api/events/{event}") for reader in (cast.carol, cast.anonymous)]
    assert cast.alice.put(f"/api/events/{event}/add", json={"calendar_id": a_calendar(cast.alice)["id"]}).status == 200
    after = [reader.get(f"/api/events/{event}") for reader in (cast.carol, cast.anonymous)]
    assert [(reply.content, reply.headers["ETag"]) for reply in before] == [(a.content, a.headers["ETag"]) for a in after]
