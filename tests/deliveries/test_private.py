"""A private event notifies nobody who may not see it, by any way, whether it was made private before or after the mail was queued."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from kalends.app.worker import remind_guests
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, a_calendar, a_reminder, a_response, an_event, an_invitation, shared
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.responses.mail import read_mail
from tests.subscribers.confirmations import confirmed

pytestmark = pytest.mark.on_one_database


class Stage:
    """Alice's event. Of those who come, Ana is invited and Bob is a member of its calendar; Gus just found it. Sue is on Alice's list."""

    def __init__(self, cast: Cast, db: Database, settings: Settings, clock: Clock):
        self.cast, self.db, self.settings, self.clock = cast, db, settings, clock
        self.title = f"Hidden {uuid4().hex}"
        empty_queue(db)
        calendar = a_calendar(cast.alice, public=True)
        shared(cast.alice, calendar, cast.bob, "viewer")
        self.event = an_event(
            cast.alice, calendar_id=calendar["id"], title=self.title, public=True, start_time="2026-06-10T20:00", time_zone="Europe/Paris"
        )
        self.calendar, self.path = calendar, f"/api/events/{self.event['id']}"
        an_invitation(cast.alice, self.event, self.address("ana"))
        for name in ("ana", "gus"):
            a_response(cast.anonymous, self.event, email_address=self.address(name))
        a_response(cast.bob, self.event)
        assert cast.anonymous.put(f"{self.path}/send_to_me", json={"email": self.address("sue"), "opt_in": True}).status == 202
        confirmed(cast.alice, settings, self.address("sue"))
        self.send()

    def address(self, name: str) -> str:
        return f"{name}-{self.event['id']}@example.org"

    def hide(self, visibility: str = "members") -> None:
        assert self.cast.alice.put(self.path, json={"visibility": visibility}).status == 200

    def put(self, **fields: Any) -> int:
        return int(self.cast.alice.put(self.path, json=fields).status)

    def send(self) -> set[str]:
        """The names of those who get mail that names the event."""
        with self.db.write() as tx:
            tx.run("UPDATE deliveries SET due_at = 0 WHERE state = 'queued'")
        names = set()
        while due := sender._due(Context(self.db, self.settings, self.clock.now), "email", 50):
            for delivery in due:
                sender.attempt(self.db, self.settings, delivery)
                file = self.settings.folder / "outbox" / f"{delivery.id}.eml"
                if file.exists() and any(self.title in part for part in _texts(read_mail(file))):
                    names.add("bob" if delivery.address == self.cast.bob.email_address else delivery.address.partition("-")[0])
        return names

    def remind(self) -> int:
        # It was due two hours ago.
        a_reminder(self.cast.alice, self.path, before=13 * 24 * 60)
        remind_guests(Context(self.db, self.settings, self.clock.now))
        return 201


def _texts(mail: Any) -> Iterator[str]:
    yield mail["Subject"]
    for part in mail.walk():
        if not part.is_multipart():
            content = part.get_content()
            yield content if isinstance(content, str) else content.decode()


def _invite(stage: Stage) -> int:
    return int(stage.cast.alice.post(f"{stage.path}/invitations", json={"addresses": [stage.address("new")]}).status)


def _write(stage: Stage) -> int:
    body = {"to": ["going", "maybe", "no", "waiting", "not_answered"], "subject": "Chairs", "text": "Bring one."}
    return int(stage.cast.alice.post(f"{stage.path}/messages", json=body).status)


def _ask(stage: Stage, address: str, path: str, **fields: Any) -> int:
    guest: Client = stage.cast.anonymous
    return int(
        guest.request("POST" if path else "PUT", path or f"{stage.path}/send_to_me", json={address: stage.address("eve")} | fields).status
    )


# How people are notified; the status if the event is private already; and who gets mail if it is, or is made so before the mail is sent.
WAYS: dict[str, tuple[Callable[[Stage], int], int, set[str], set[str]]] = {
    "an announcement": (lambda stage: int(stage.cast.alice.put(f"{stage.path}/announce").status), 409, set(), set()),
    "a message": (_write, 202, {"ana", "bob"}, {"ana", "bob"}),
    "an invitation": (_invite, 202, {"new"}, {"new"}),
    "a reminder": (Stage.remind, 201, {"ana", "bob"}, {"ana", "bob"}),
    "a new time": (lambda stage: stage.put(start_time="2026-06-11T20:00"), 200, {"ana", "bob"}, {"ana", "bob"}),
    "any change": (lambda stage: stage.put(description="New", notify="all"), 200, {"ana", "bob"}, {"ana", "bob"}),
    "a cancellation": (lambda stage: stage.put(status="cancelled"), 200, {"ana", "bob"}, {"ana", "bob"}),
    "a copy by mail": (lambda stage: _ask(stage, "email", ""), 404, set(), set()),
    "a response": (
        lambda stage: _ask(stage, "email_address", "/api/responses", event_id=stage.event["id"], response="YES"),
        404,
        set(),
        set(),
    ),
    "the personal link": (lambda stage: _ask(stage, "email_address", "/api/responses/link", event_id=stage.event["id"]), 404, set(), set()),
}


@pytest.fixture
def stage(cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(timestamps, "now", clock)
    return Stage(cast, db, settings, clock)


@pytest.mark.parametrize("way", WAYS)
def test_a_private_event_notifies_those_alone_who_may_see_it(stage: Stage, way: str) -> None:
    notify, status, names, _ = WAYS[way]
    stage.hide()
    assert notify(stage) == status
    assert stage.send() == names


@pytest.mark.parametrize("way", WAYS)
def test_an_event_that_is_made_private_before_it_is_sent_notifies_only_those_who_may_see_it(stage: Stage, way: str) -> None:
    notify, _, _, names = WAYS[way]
    assert notify(stage) < 300
    stage.hide()
    assert stage.send() == names


def test_a_deleted_private_event_notifies_those_alone_who_could_see_it(stage: Stage) -> None:
    stage.hide()
    assert stage.cast.alice.delete(stage.path).status == 200
    assert stage.send() == {"ana", "bob"}


def test_an_event_for_those_with_its_link_is_announced_to_nobody(stage: Stage) -> None:
    assert stage.cast.alice.put(f"{stage.path}/announce").status < 300
    stage.hide("link")
    assert stage.cast.alice.put(f"{stage.path}/announce").status == 409
    assert stage.send() == set()


@pytest.mark.parametrize("visibility", ["members", "link"])
def test_no_feed_or_list_shows_a_private_event_to_strangers(stage: Stage, visibility: str) -> None:
    calendar, event = stage.calendar["id"], stage.event["id"]
    paths = [
        *(f"/api/calendars/{calendar}.ics", f"/api/events.ics?calendar_id={calendar}", "/api/events.ics", f"/api/events/{event}.ics"),
        *(
            f"/feed.xml?text={stage.title}",
            f"/calendars/{calendar}/feed.xml",
            "/sitemap.xml",
            f"/api/events?calendar_id={calendar}",
            f"/calendars/{calendar}",
        ),
        *(f"/embed/calendars/{calendar}", f"/embed/events/{event}", f"/events/{event}", f"/api/changes?calendar_id={calendar}"),
        f"/api/search?text={stage.title}",
    ]
    paths_with_title = {path for path in paths if stage.title in stage.cast.anonymous.get(path).text}
    assert {f"/api/events/{event}.ics", f"/feed.xml?text={stage.title}", f"/calendars/{calendar}"} <= paths_with_title
    stage.hide(visibility)
    for who in (stage.cast.anonymous, stage.cast.carol):
        assert [path for path in paths if stage.title in who.get(path).text] == []
