"""The number of people that a write announces is the number of mails in the outbox: for each write that announces one."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec import Struct
from msgspec.structs import fields as fields_of

import kalends
from kalends.app.application import ENDPOINTS
from kalends.app.worker import remind_guests
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.model import Notified
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, Person
from tests.client import Reply
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.events.announcing import WRITES, Event, address, an_event_with_guests
from tests.subscribers.confirmations import confirmed

MINUTE = 60
# A field with such a name says how many people hear of a write.
NUMBER = re.compile("notif|queued|invited|recipients|remind|inform|told|mails|mailed|emailed")
# Whose fields with such a name say something else.
OTHERS = {
    "POST /api/webhooks/{webhook_id}/ping": "deliveries to a program",
    "POST /api/webhooks/{webhook_id}/redeliver": "deliveries to a program",
    "POST /webhooks/{webhook_id}/redeliver": "deliveries to a program",
    "POST /api/calendars/{calendar_id}/reminders": "null: the reminder is of no event",
    "PUT /api/calendars/{calendar_id}/reminders/{reminder_id}": "null: the reminder is of no event",
}
Send = Callable[[Event, int], list[str]]


@pytest.fixture
def send(db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Send:
    """Let the seconds pass, and send what is due; returns who got a mail, by their names."""
    monkeypatch.setattr(timestamps, "now", clock)
    empty_queue(db)

    def sent(event: Event, seconds: int = MINUTE) -> list[str]:
        clock.ahead(seconds)
        remind_guests(Context(db, settings, clock()))
        names = []
        while due := sender._due(Context(db, settings, clock()), "email", 50):
            for delivery in due:
                sender.attempt(db, settings, delivery)
                file = settings.folder / "outbox" / f"{delivery.id}.eml"
                if file.exists() and f"-{event['id']}@" in delivery.address:
                    names.append(delivery.address.partition("-")[0])
        return sorted(names)

    return sent


# A page calls the action of the API, which runs on both databases.
IN_SHORT = [name if "/api/" in row.endpoint else pytest.param(name, marks=pytest.mark.on_one_database) for name, row in WRITES.items()]


@pytest.mark.parametrize("name", IN_SHORT)
def test_as_many_mails_are_sent_as_a_write_announces(
    cast: Cast, db: Database, settings: Settings, send: Send, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    row = WRITES[name]
    event = an_event_with_guests(cast, row.start)
    _subscribe(cast, settings, event)
    send(event, MINUTE)
    with (ctx := Context(db, settings, 0)).write():
        suppressions.insert(ctx, "notice", "unsubscribed", "email", address("kim", event), event_id=event["id"])
    if row.before:
        row.before(cast, event)
        send(event, MINUTE)
    requests = _record_requests(cast.alice, monkeypatch)
    announced = row.write(cast, event)
    assert any(_pattern(row.endpoint).fullmatch(each) for each in requests), requests
    sent = send(event, row.wait)
    assert (announced, len(sent), len(set(sent))) == (row.number, row.number, row.number), sent


def test_every_write_that_announces_a_number_is_in_the_table() -> None:
    """An endpoint that is missing in WRITES announces a number that nobody compares with the mails."""
    in_api = {f"{each.method} {each.url}" for each in ENDPOINTS if each.in_api and each.writes and _announces(each.result)}
    pages = set(_pages_with_a_number())
    assert len(in_api) > 15
    assert len(pages) > 8
    assert (in_api | pages) - OTHERS.keys() == {row.endpoint for row in WRITES.values()}
    assert OTHERS.keys() <= in_api | pages


def _record_requests(person: Person, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    requests, request = list[str](), person.request

    def recorded(method: str, path: str, **more: Any) -> Reply:
        requests.append(f"{method} {path}")
        return request(method, path, **more)

    monkeypatch.setattr(person, "request", recorded)
    return requests


def _subscribe(cast: Cast, settings: Settings, event: Event) -> None:
    for name in ("gus", "sub"):
        reply = cast.anonymous.put(f"/api/events/{event['id']}/send_to_me", json={"email": address(name, event), "opt_in": True})
        assert reply.status == 202, reply
        confirmed(cast.alice, settings, address(name, event))


def _pattern(endpoint: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"{\w+}", "[0-9]+", endpoint) + r"(\?.*)?")


def _announces(result: Any) -> bool:
    """Whether the reply has a field that says how many people are notified."""
    return any(
        each.type is not None and (NUMBER.search(each.name) or Notified in get_args(each.type))
        for struct in _structs(result, set())
        if struct is not Notified
        for each in fields_of(struct)
        if _is_number(each.type)
    )


def _is_number(annotation: Any) -> bool:
    return annotation in (int, Notified) or any(map(_is_number, get_args(annotation)))


def _structs(annotation: Any, seen: set[Any]) -> Iterator[type[Struct]]:
    """The Structs of a reply, and those in their fields."""
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        if annotation in seen:
            return
        seen.add(annotation)
        yield annotation
        for each in fields_of(annotation):
            yield from _structs(each.type, seen)
    for each in get_args(annotation):
        yield from _structs(each, seen)


def _pages_with_a_number() -> Iterator[str]:
    """The pages that are sent and lead to a notice with a number."""
    for file in Path(kalends.__file__).parent.glob("features/**/*pages.py"):
        functions = {each.name: each for each in ast.parse(file.read_text()).body if isinstance(each, ast.FunctionDef)}
        for name, function in functions.items():
            if _redirects_with_a_number(functions, name):
                yield from _declared(function)


def _redirects_with_a_number(functions: dict[str, ast.FunctionDef], name: str) -> bool:
    """Whether the page of this name, or a function of the same file that it calls, redirects with a number."""
    called, left = set[str](), [name]
    while left:
        if (name := left.pop()) in functions and name not in called:
            called.add(name)
            left += [each.id for each in ast.walk(functions[name]) if isinstance(each, ast.Name)]
    calls = (each for name in called for each in ast.walk(functions[name]) if isinstance(each, ast.Call))
    return any(getattr(call.func, "id", "") == "redirect" and any(each.arg == "count" for each in call.keywords) for call in calls)


def _declared(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "page":
            method, path = (ast.literal_eval(each) for each in decorator.args[:2])
            if method == "POST":
                yield f"{method} {path}"
