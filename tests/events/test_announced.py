"""The number of people that a write announces is the number of mails in the outbox: a row for each write that notifies guests."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import suppression_store as suppressions
from kalends.http.context import Context
from kalends.mail import sender
from kalends.web.notices import COOKIE
from tests.cast import Cast, Person, a_response, an_event
from tests.client import Reply
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.responses.mail import read_mail

MINUTE = 60
NEW_TIME = "2037-06-02T20:00"
Event = dict[str, Any]
Write = Callable[[Cast, Event], int]


def an_event_with_guests(cast: Cast, **fields: Any) -> Event:
    """Gus is going, Wim waits, Hal said maybe, Ida no; Jon and Kim are invited, and Kim wants no mail about the event."""
    event = an_event(cast.alice, **{"public": True, "start_time": "2037-06-01T20:00", "capacity": 1, "waiting_list": "auto"} | fields)
    for name, response in {"gus": "YES", "wim": "YES", "hal": "MAYBE", "ida": "NO"}.items():
        a_response(cast.anonymous, event, email_address=address(name, event), response=response)
    invited = {"addresses": [address(name, event) for name in ("jon", "kim")]}
    assert cast.alice.post(f"/api/events/{event['id']}/invitations", json=invited).status == 202
    return dict(event)


def address(name: str, event: Event) -> str:
    return f"{name}-{event['id']}@example.org"


def put(owner: Person, event: Event, path: str = "", **fields: Any) -> int:
    reply = owner.put(f"/api/events/{event['id']}{path}", json=fields)
    assert reply.status in (200, 202), reply
    return int(reply.json["notified"]["email"])


def delete(owner: Person, path: str) -> int:
    return int(owner.delete(path).json["notified"]["email"])


def seq_of(cast: Cast, event: Event) -> int:
    """The number of the last change of the event."""
    return int(cast.alice.get(f"/api/events/{event['id']}/changes").json["changes"][0]["seq"])


def undo(cast: Cast, event: Event) -> int:
    """Undo the last change of the event, and notify those who know of it."""
    return int(cast.alice.post(f"/api/changes/{seq_of(cast, event)}/undo", json={"notify": "auto"}).json["notified"]["email"])


def restore(cast: Cast, event: Event) -> int:
    seq = next(each["seq"] for each in cast.alice.get("/api/trash").json["trash"] if each["id"] == event["id"])
    return int(cast.alice.post(f"/api/changes/{seq}/undo", json={"notify": "auto"}).json["notified"]["email"])


def upsert(cast: Cast, event: Event) -> int:
    return int(
        cast.alice.put(f"/api/events?uid={event['uid']}", json={"title": "Concert", "start_time": NEW_TIME}).json["notified"]["email"]
    )


def invite(cast: Cast, event: Event) -> int:
    fields = {"addresses": [address(name, event) for name in ("lea", "max", "jon")]}
    return int(cast.alice.post(f"/api/events/{event['id']}/invitations", json=fields).json["invited"])


def message(cast: Cast, event: Event) -> int:
    fields = {"to": ["going", "maybe", "waiting", "no", "not_answered"], "subject": "Chairs", "text": "Bring one."}
    return int(cast.alice.post(f"/api/events/{event['id']}/messages", json=fields).json["notified"]["email"])


def respond_to_another(cast: Cast, event: Event) -> int:
    other = an_event(cast.alice, public=True, start_time="2037-06-05T20:00")
    a_response(cast.anonymous, other, email_address=address("gus", event))
    a_response(cast.anonymous, other, email_address=address("new", event))
    event["other"] = other["id"]
    return 0


def several(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, ids=[event["other"]], location="Elsewhere")


def repeat(cast: Cast, event: Event) -> int:
    return put(cast.alice, event, "/repeat", frequency="WEEKLY", count=3, notify="concerned")


def submit(cast: Cast, path: str, **fields: str) -> int:
    """Send the form of a page: a question comes first, whose number the notice repeats. It saves nothing before it is answered."""
    asked = cast.alice.post(path, data=fields)
    assert (asked.status, asked.redirect if asked.status == 303 else "") == (200, ""), asked
    number = re.search("<p>([0-9]+) people will be emailed: ", asked.text)
    assert number, asked.text
    assert notice(cast, cast.alice.post(path, data=fields | {"notify": "auto"})) == int(number[1])
    return int(number[1])


def notice(cast: Cast, done: Reply) -> int:
    """The number of people in the notice on the page after a redirect."""
    assert done.status == 303, done
    page = cast.alice.get("/trash", headers={"Cookie": f"{COOKIE}={done.cookies[COOKIE]}"}).text
    number = re.search("([0-9]+) people will get an email in a minute.", page)
    assert number, page
    return int(number[1])


def edit_page(cast: Cast, event: Event) -> int:
    version = cast.alice.get(f"/api/events/{event['id']}/edit").headers["ETag"].strip('"')
    return submit(cast, f"/events/{event['id']}", version=version, start_time="2037-06-02", start_clock="20:00")


def undo_page(cast: Cast, event: Event) -> int:
    return submit(cast, f"/changes/{seq_of(cast, event)}/undo")


def ending_page(action: str) -> Write:
    def end(cast: Cast, event: Event) -> int:
        path = f"/events/{event['id']}/{action}"
        asked = cast.alice.get(path).text
        number = re.search("([0-9]+) people will be emailed: 1 going, 1 maybe, 1 waiting, 1 invited.", asked)
        assert number, asked
        assert notice(cast, cast.alice.post(path, data={"notify": "auto"})) == int(number[1])
        return int(number[1])

    return end


# What is done before: its mails are sent. What is done then, and how many people hear of it.
WRITES: dict[str, tuple[Write | None, Write, int]] = {
    "a new time": (None, lambda cast, event: put(cast.alice, event, start_time=NEW_TIME), 4),
    "a new place": (None, lambda cast, event: put(cast.alice, event, location="Elsewhere"), 4),
    "another title": (None, lambda cast, event: put(cast.alice, event, title="Jam"), 0),
    "a change for everyone": (None, lambda cast, event: put(cast.alice, event, title="Jam", notify="all"), 5),
    "a change for those who are going": (None, lambda cast, event: put(cast.alice, event, title="Jam", notify="going"), 1),
    "a change for nobody": (None, lambda cast, event: put(cast.alice, event, start_time=NEW_TIME, notify="none"), 0),
    "several events": (respond_to_another, several, 5),
    "an upsert": (None, upsert, 4),
    "a cancellation": (None, lambda cast, event: put(cast.alice, event, status="cancelled"), 4),
    "a postponement": (None, lambda cast, event: put(cast.alice, event, status="postponed"), 4),
    "a deletion": (None, lambda cast, event: delete(cast.alice, f"/api/events/{event['id']}"), 4),
    "a deletion by uid": (None, lambda cast, event: delete(cast.alice, f"/api/events?uid={event['uid']}"), 4),
    "a rule": (None, repeat, 4),
    "an invitation": (None, invite, 2),
    "a message": (None, message, 5),
    "the page to edit": (None, edit_page, 4),
    "the page to cancel": (None, ending_page("cancel"), 4),
    "the page to delete": (None, ending_page("delete"), 4),
    "the page to undo a change": (lambda cast, event: put(cast.alice, event, start_time=NEW_TIME), undo_page, 4),
    "the page to undo a cancellation": (lambda cast, event: put(cast.alice, event, status="cancelled"), undo_page, 4),
    "an undone change": (lambda cast, event: put(cast.alice, event, start_time=NEW_TIME), undo, 4),
    "an undone cancellation": (lambda cast, event: put(cast.alice, event, status="cancelled"), undo, 4),
    "an undone deletion": (lambda cast, event: delete(cast.alice, f"/api/events/{event['id']}"), restore, 4),
}


@pytest.fixture
def send(db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Callable[[Event], list[str]]:
    """Let a minute pass, and send what is due; returns who got a mail, by their names."""
    monkeypatch.setattr(timestamps, "now", clock)
    empty_queue(db)

    def sent(event: Event) -> list[str]:
        clock.ahead(MINUTE)
        names = []
        while due := sender._due(Context(db, settings, clock()), "email", 50):
            for delivery in due:
                sender.attempt(db, settings, delivery)
                file = settings.folder / "outbox" / f"{delivery.id}.eml"
                if file.exists() and f"-{event['id']}@" in delivery.address:
                    names.append(str(read_mail(file)["To"]).partition("-")[0])
        return sorted(names)

    return sent


@pytest.mark.parametrize("name", WRITES)
def test_as_many_mails_are_sent_as_a_write_announces(
    cast: Cast, db: Database, settings: Settings, send: Callable[[Event], list[str]], name: str
) -> None:
    first, write, number = WRITES[name]
    event = an_event_with_guests(cast)
    send(event)
    with (ctx := Context(db, settings, 0)).write():
        suppressions.insert(ctx, "notice", "unsubscribed", "email", address("kim", event), event_id=event["id"])
    if first:
        first(cast, event)
        send(event)
    announced = write(cast, event)
    sent = send(event)
    assert (announced, len(sent), len(set(sent))) == (number, number, number), sent
