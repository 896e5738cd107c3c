"""The clock-driven table of reminders: what is sent when events are moved or cancelled, guests change, or the worker does not run."""

import email
import email.policy
from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs

from kalends.app.worker import remind_guests
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import claim_store as claims
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, a_calendar, a_contact, a_reminder, a_response, an_event
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.responses.mail import token_of

pytestmark = pytest.mark.on_one_database

PARIS = ZoneInfo("Europe/Paris")
ANA, BEN = "ana@example.org", "ben@example.org"


class Stage:
    """Alice's event with a reminder and two guests, and a worker that runs when it is told to."""

    def __init__(self, cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch):
        self.cast, self.db, self.settings, self.clock = cast, db, settings, clock
        monkeypatch.setattr(timestamps, "now", lambda: self.clock.now)
        empty_queue(db)

    def prepare(self, start: str, **reminder: Any) -> None:
        self.event = an_event(self.cast.alice, public=True, start_time=start, time_zone="Europe/Paris", title="Jazz")
        self.path = f"/api/events/{self.event['id']}"
        self.reminder = a_reminder(self.cast.alice, self.path, **reminder)
        self.guests = [self.respond("YES", ANA), self.respond("MAYBE", BEN)]

    def respond(self, response: str, address: str) -> dict[str, Any]:
        return a_response(self.cast.alice, self.event, email_address=address, response=response)

    def put(self, **fields: Any) -> None:
        reply = self.cast.alice.put(self.path, json=fields)
        assert reply.status == 200, reply

    def set_clock(self, local: str) -> None:
        self.clock.now = int(datetime.fromisoformat(local).replace(tzinfo=PARIS).timestamp())

    def queue(self, local: str) -> None:
        """Let the worker look for what is due."""
        self.set_clock(local)
        remind_guests(Context(self.db, self.settings, self.clock.now))

    def work(self, local: str) -> list[str]:
        """Let the worker run at this time; returns whom it reminded."""
        self.queue(local)
        return self.send()

    def send(self) -> list[str]:
        """Send what is queued, or was claimed by a worker that died; returns the addresses."""
        ctx = Context(self.db, self.settings, self.clock.now)
        with ctx.write() as tx:
            tx.run("UPDATE deliveries SET due_at = :now + 1 WHERE state = 'queued' AND kind <> 'reminder'", now=ctx.now)
            claimed = [*claims.claim(ctx, "email", 120, 100), *claims.claim(ctx, "sms", 120, 100)]
        for delivery in claimed:
            sender.attempt(self.db, self.settings, delivery)
        with self.db.read() as tx:
            states = {delivery.id: tx.value("SELECT state FROM deliveries WHERE id = :id", id=delivery.id) for delivery in claimed}
        return sorted(each.address for each in claimed if states[each.id] == "sent" and each.event_id == self.event["id"])

    def states(self) -> list[str]:
        return [each["state"] for each in self.cast.alice.get(f"{self.path}/reminders").json["reminders"]]


@pytest.fixture
def stage(cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(cast, db, settings, clock, monkeypatch)


Act = Callable[[Stage], object]
Step = tuple[str, Act | None, list[str]]


def _put(**fields: Any) -> Act:
    return lambda stage: stage.put(**fields)


def _respond(response: str, address: str) -> Act:
    return lambda stage: stage.respond(response, address)


# Of an event on 2 June 2026 at 20:00, with a reminder a day before: what happens at each time before the worker runs, and who is notified.
TABLE: dict[str, list[Step]] = {
    "each once": [("06-01T19:59", None, []), ("06-01T20:00", None, [ANA, BEN]), ("06-01T20:01", None, []), ("06-02T19:00", None, [])],
    "renamed": [("06-01T20:00", None, [ANA, BEN]), ("06-01T21:00", _put(title="Swing"), [])],
    "moved earlier": [
        ("06-01T15:00", _put(start_time="2026-06-02T15:00"), [ANA, BEN]),
        ("06-01T20:00", None, []),
    ],
    "moved later": [
        ("06-01T20:00", None, [ANA, BEN]),
        ("06-02T10:00", _put(start_time="2026-06-04T20:00"), []),
        ("06-03T19:59", None, []),
        ("06-03T20:00", None, [ANA, BEN]),
    ],
    "moved there and back": [
        ("06-01T20:00", None, [ANA, BEN]),
        ("06-01T20:10", _put(start_time="2026-06-02T20:05"), [ANA, BEN]),
        ("06-01T20:20", _put(start_time="2026-06-02T20:00"), []),
    ],
    "moved into the past": [("06-01T20:00", _put(start_time="2026-05-31T20:00"), []), ("06-01T20:30", None, [])],
    "moved so near that it is too late": [("06-01T18:00", _put(start_time="2026-06-02T08:00"), []), ("06-01T20:00", None, [])],
    "cancelled": [("06-01T20:00", _put(status="cancelled"), []), ("06-02T01:00", None, [])],
    "postponed": [("06-01T20:00", _put(status="postponed"), [])],
    "cancelled and planned again in time": [
        ("06-01T20:00", _put(status="cancelled"), []),
        ("06-02T01:30", _put(status="planned"), [ANA, BEN]),
    ],
    "cancelled and planned again too late": [
        ("06-01T20:00", _put(status="cancelled"), []),
        ("06-02T02:00", _put(status="planned"), []),
    ],
    "answered late": [
        ("06-01T20:00", None, [ANA, BEN]),
        ("06-02T01:59", _respond("YES", "cara@example.org"), ["cara@example.org"]),
        ("06-02T02:00", _respond("YES", "dan@example.org"), []),
    ],
    "a guest who does not come": [("06-01T20:00", _respond("NO", ANA), [BEN]), ("06-01T21:00", _respond("YES", ANA), [ANA])],
    "worker down until it is too late": [("06-02T02:00", None, []), ("06-02T19:00", None, [])],
    "worker down for some hours": [("06-02T01:59", None, [ANA, BEN])],
    "worker down for a day": [("06-02T20:01", None, [])],
}


@pytest.mark.parametrize("name", TABLE)
def test_reminders_follow_the_event_and_its_guests(stage: Stage, name: str) -> None:
    stage.prepare("2026-06-02T20:00")
    for moment, act, expected in TABLE[name]:
        stage.set_clock(f"2026-{moment}")
        if act:
            act(stage)
        assert stage.work(f"2026-{moment}") == expected, moment


def test_what_was_too_late_is_recorded(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    assert stage.states() == ["planned"]
    assert stage.work("2026-06-02T10:00") == []
    assert stage.states() == ["late"]
    with stage.db.read() as tx:
        assert tx.rows("SELECT is_late FROM reminder_runs WHERE reminder_id = :id", id=stage.reminder["id"]) == [(1,)]
    stage.cast.alice.put(f"{stage.path}/reminders/{stage.reminder['id']}", json={"before": 60})
    assert stage.work("2026-06-02T19:00") == [ANA, BEN]
    reminder = stage.cast.alice.get(f"{stage.path}/reminders").json["reminders"][0]
    assert (reminder["state"], reminder["recipients"]) == ("sent", 2)


@pytest.mark.parametrize(("start", "due"), [("2026-10-25T20:00", "2026-10-24T18:00"), ("2027-03-28T20:00", "2027-03-27T18:00")])
def test_a_reminder_by_the_clock_stays_there_over_a_clock_change(stage: Stage, start: str, due: str) -> None:
    stage.prepare(start, days_before=1, at="18:00")
    assert stage.work(due.replace("18:00", "17:59")) == []
    assert stage.work(due) == [ANA, BEN]


def test_sms_wait_for_the_morning(stage: Stage) -> None:
    a_contact(stage.cast.alice, email_address=ANA, phone_number="+33612345678")
    stage.prepare("2026-06-02T18:00", before=720, channel="sms", text="Bring a chair.")
    assert (stage.reminder["due_time"], stage.reminder["recipients"]) == ("2026-06-02T08:00:00+02:00", 0)
    assert stage.work("2026-06-02T06:00") == stage.work("2026-06-02T07:59") == []
    assert stage.work("2026-06-02T08:00") == ["+33612345678"]
    assert stage.work("2026-06-02T08:01") == []


def test_each_date_of_a_series_is_reminded_of(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    stage.cast.alice.put(f"{stage.path}/repeat", json={"frequency": "DAILY", "count": 2})
    series_id = stage.cast.alice.get(stage.path).json["series_id"]
    other = stage.cast.alice.get(f"/api/events?series_id={series_id}").json["events"][1]
    a_response(stage.cast.alice, other, email_address=ANA)
    assert stage.work("2026-06-01T20:00") == [ANA, BEN]
    stage.event = other
    assert stage.work("2026-06-02T20:00") == [ANA]


def test_an_events_own_reminder_overrides_that_of_its_calendar(stage: Stage) -> None:
    calendar = a_calendar(stage.cast.alice, public=True)
    a_reminder(stage.cast.alice, f"/api/calendars/{calendar['id']}", before=120)
    events = [an_event(stage.cast.alice, calendar_id=calendar["id"], start_time="2026-06-02T20:00+02:00") for _ in range(3)]
    for event in events:
        a_response(stage.cast.alice, event, email_address=ANA)
    a_reminder(stage.cast.alice, f"/api/events/{events[1]['id']}", before=60)
    a_reminder(stage.cast.alice, f"/api/events/{events[2]['id']}", audience=[])
    stage.event = events[0]
    assert (stage.work("2026-06-02T18:00"), stage.work("2026-06-02T19:00")) == ([ANA], [])
    ids = [event["id"] for event in events]
    with stage.db.read() as tx:
        reminders = "SELECT event_id, due_at FROM deliveries WHERE owner_id = :id AND kind = 'reminder' AND state = 'sent' ORDER BY id"
        rows = tx.rows(reminders, id=stage.cast.alice.id)
    assert [(ids.index(event_id), stage.clock.now - at) for event_id, at in rows] == [(0, 3600), (1, 0)]


def test_a_copy_starts_clean(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    assert stage.work("2026-06-01T20:00") == [ANA, BEN]
    stage.event = stage.cast.alice.put(f"{stage.path}/copy", json={}).json
    stage.cast.alice.put(f"/api/events/{stage.event['id']}", json={"public": True})
    assert stage.work("2026-06-01T20:01") == []
    stage.respond("YES", ANA)
    assert stage.work("2026-06-01T20:02") == [ANA]


def test_nobody_who_cannot_see_the_event_is_reminded(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    a_response(stage.cast.anonymous, stage.event, email_address="gus@example.org")
    stage.put(public=False)
    assert stage.cast.alice.get(f"{stage.path}/reminders").json["reminders"][0]["recipients"] == 2
    # Alice has added the others, who see a private event by their links.
    assert stage.work("2026-06-01T20:00") == [ANA, BEN]


def test_what_changes_between_the_claim_and_the_send_is_dropped(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    stage.queue("2026-06-01T20:00")
    stage.put(status="cancelled")
    assert stage.send() == []
    stage.put(status="planned")
    assert stage.work("2026-06-01T20:10") == [ANA, BEN]


def test_a_worker_that_dies_reminds_nobody_twice_and_forgets_nobody(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.prepare("2026-06-02T20:00")

    def die(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr("kalends.features.events.reminders.queue_store.record_run", die)
        with pytest.raises(KeyboardInterrupt):
            stage.queue("2026-06-01T20:00")
    stage.queue("2026-06-01T20:01")
    with monkeypatch.context() as dying:
        dying.setattr("kalends.mail.mail.send", die)
        with pytest.raises(KeyboardInterrupt):
            stage.send()
    assert stage.work("2026-06-01T20:02") == []
    assert stage.work("2026-06-01T20:04") == [ANA, BEN]
    assert stage.work("2026-06-01T20:10") == []
    assert len(list((stage.settings.folder / "outbox").glob("*.eml"))) >= 2


def test_a_guest_switches_reminders_off_and_on(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    ana, ben = (f"/r/{token_of(stage.db, stage.settings, guest['id'])}/reminders" for guest in stage.guests)
    page = stage.cast.anonymous.get(ana).text
    assert f'action="{ana}"' in page
    assert f'href="{ana.removesuffix("/reminders")}"' in page
    assert "get the organiser’s reminders" in stage.cast.anonymous.get(ana).text
    assert stage.cast.anonymous.post(ana, data={"List-Unsubscribe": "One-Click"}).status == 200
    assert "You won’t get reminders" in stage.cast.anonymous.get(ana).text
    switch = f"/api/responses/{stage.guests[1]['id']}/reminders"
    token = ben.split("/")[2]
    assert stage.cast.anonymous.put(switch, json={"wanted": False, "token": token}).json == {"wanted": False}
    assert stage.cast.alice.get(f"{stage.path}/reminders").json["reminders"][0]["recipients"] == 0
    assert stage.work("2026-06-01T20:00") == []
    assert stage.cast.alice.put(switch, json={"wanted": True}).status == 403
    assert stage.cast.anonymous.put(switch, json={"wanted": True, "token": token}).json == {"wanted": True}
    assert stage.work("2026-06-01T20:01") == [BEN]


def test_who_is_forgotten_leaves_no_reminder_and_no_choice_behind(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    path = f"/r/{token_of(stage.db, stage.settings, stage.guests[0]['id'])}"
    assert stage.work("2026-06-01T20:00") == [ANA, BEN]
    assert stage.cast.anonymous.post(f"{path}/reminders").status == 303
    assert stage.cast.anonymous.post(f"{path}/forget").status == 200
    with stage.db.read() as tx:
        left = "SELECT address FROM {} WHERE event_id = :id AND address = :ana"
        for table in ("deliveries", "suppressed_addresses"):
            assert tx.rows(left.format(table), id=stage.event["id"], ana=ANA) == []


def test_reminders_beyond_the_daily_limit_wait_and_are_dropped(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00")
    stage.settings = structs.replace(stage.settings, rate_limits="on", account_announcements_per_day=1)
    assert stage.work("2026-06-01T20:00") == stage.work("2026-06-02T01:59") == []
    assert stage.states() == ["planned"]
    stage.settings = structs.replace(stage.settings, account_announcements_per_day=2)
    assert stage.work("2026-06-02T01:59") == [ANA, BEN]


def test_the_mail_has_the_time_the_place_and_the_personal_link(stage: Stage) -> None:
    stage.prepare("2026-06-02T20:00", text="Bring a chair.\nAnd a cup.")
    stage.put(location="The Vault")
    assert stage.work("2026-06-01T20:00") == [ANA, BEN]
    with stage.db.read() as tx:
        number = tx.value("SELECT min(id) FROM deliveries WHERE event_id = :id AND kind = 'reminder'", id=stage.event["id"])
    file = stage.settings.folder / "outbox" / f"{number}.eml"
    mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    token = token_of(stage.db, stage.settings, stage.guests[0]["id"])
    assert mail["Subject"] == "Reminder: Jazz"
    assert mail["List-Unsubscribe"] == f"<{stage.settings.url}/r/{token}/reminders>"
    parts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
    assert len(parts) == 2
    for part in parts:
        for words in ("Bring a chair.", "Tuesday, 2 June 2026, 20:00", "Europe/Paris", "The Vault", f"/r/{token}", "Change my RSVP"):
            assert words in part
