"""Messages to many guests: the request stores them in batches, which a worker queues."""

from collections.abc import Iterator
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import batch_store as batches
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import PASSWORD, Cast, a_response, an_event, verified
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.samples import empty_queue
from tests.responses.mail import read_mail
from tests.site.administrator import Admin

NAMES = ["ana", "ben", "cyd", "dan", "eve"]
MINUTE = 60


@pytest.fixture(autouse=True)
def small_batches(db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(batches, "BATCH", 2)
    monkeypatch.setattr(timestamps, "now", clock)
    yield
    empty_queue(db)


class Killed(BaseException):
    """The end of the process."""


def a_large_event(cast: Cast, db: Database) -> dict[str, Any]:
    event = an_event(verified(db, cast.alice), public=True)
    for name in NAMES:
        a_response(cast.anonymous, event, email_address=f"{name}-{event['id']}@example.org")
    empty_queue(db)
    return event


def work(db: Database, settings: Settings, clock: Clock) -> list[tuple[str, str]]:
    """Send what is due; return the first name of each recipient with the subject, in order."""
    mails = []
    while due := sender._due(Context(db, settings, clock()), "email", 50):
        for delivery in due:
            sender.attempt(db, settings, delivery)
            file = settings.folder / "outbox" / f"{delivery.id}.eml"
            if file.exists():
                mail = read_mail(file)
                mails.append((mail["To"].partition("-")[0], mail["Subject"].partition(":")[0]))
    return sorted(mails)


def count_queued(db: Database, event: dict[str, Any]) -> int:
    with db.read() as tx:
        sql = "SELECT count(*) FROM deliveries WHERE address LIKE :address AND cause LIKE 'change:%'"
        return int(tx.value(sql, address=f"%-{event['id']}@example.org"))


def deleted(owner: Client, event: dict[str, Any]) -> int:
    """Delete the event; returns the position of its deletion in the changes."""
    reply = owner.delete(f"/api/events/{event['id']}")
    assert (reply.status, reply.json["notified"]) == (200, {"email": 5, "sms": 0, "skipped": 0}), reply
    return int(owner.get("/api/trash").json["trash"][0]["seq"])


def test_a_deletion_stores_the_cancellations_in_batches_that_a_worker_queues(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = a_large_event(cast, db)
    deleted(cast.alice, event)
    assert count_queued(db, event) == 0
    assert work(db, settings, clock) == []
    assert count_queued(db, event) == 5
    clock.ahead(MINUTE)
    assert [name for name, _ in work(db, settings, clock)] == NAMES
    assert work(db, settings, clock) == []


def test_a_worker_that_is_killed_between_two_batches_loses_none_and_sends_none_twice(
    cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = a_large_event(cast, db)
    deleted(cast.alice, event)

    def die(self: Database) -> None:
        raise Killed

    monkeypatch.setattr(type(db), "yield_to_other_writers", die)
    with pytest.raises(Killed):
        sender._due(Context(db, settings, clock()), "email", 50)
    assert count_queued(db, event) == 2
    monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: None)
    clock.ahead(MINUTE)
    assert [name for name, _ in work(db, settings, clock)] == NAMES


@pytest.mark.parametrize("works_first", [False, True])
def test_an_undo_in_time_stops_the_cancellations(cast: Cast, db: Database, settings: Settings, clock: Clock, works_first: bool) -> None:
    event = a_large_event(cast, db)
    seq = deleted(cast.alice, event)
    if works_first:
        work(db, settings, clock)
    assert cast.alice.post(f"/api/changes/{seq}/undo", json={}).status == 200
    clock.ahead(MINUTE)
    assert work(db, settings, clock) == []


def test_a_second_change_before_the_worker_comes_is_the_same_mail_and_counted_once(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = a_large_event(cast, db)
    for hour in (21, 22):
        reply = cast.alice.put(f"/api/events/{event['id']}", json={"start_time": f"2027-06-01T{hour}:00"})
        assert reply.json["notified"]["email"] == 5, reply
    assert cast.alice.put(f"/api/events/{event['id']}", json={"status": "cancelled"}).json["notified"]["email"] == 5
    clock.ahead(MINUTE)
    assert [name for name, _ in work(db, settings, clock)] == NAMES
    clock.ahead(MINUTE)
    assert work(db, settings, clock) == []


def test_a_change_with_a_message_for_one_guest_takes_over_that_of_the_others_batch(
    cast: Cast, db: Database, settings: Settings, clock: Clock
) -> None:
    event = a_large_event(cast, db)
    assert cast.alice.put(f"/api/events/{event['id']}", json={"start_time": "2027-06-01T21:00"}).json["notified"]["email"] == 5
    responses = cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]
    fields = {"title": "Jazz", "notify": str(responses[0]["id"]), "message": "Hello"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=fields).json["notified"]["email"] == 1
    clock.ahead(MINUTE)
    assert [name for name, _ in work(db, settings, clock)] == NAMES


def test_a_message_to_many_guests_is_counted_before_it_is_queued(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = a_large_event(cast, db)
    path = f"/api/events/{event['id']}/messages"
    assert cast.alice.post(path, json={"to": ["going"], "subject": "Jazz", "text": "Hello"}).json["notified"]["email"] == 5
    assert [each["mails"] for each in cast.alice.get(path).json["messages"]] == [5]
    assert work(db, settings, clock) == [(name, "Jazz") for name in NAMES]
    assert [(each["mails"], each["failed"]) for each in cast.alice.get(path).json["messages"]] == [(5, 5)]


def test_the_messages_of_a_suspended_organiser_are_not_sent(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event, ada = a_large_event(cast, db), Admin(cast.anonymous, "ada")
    path = f"/api/events/{event['id']}/messages"
    assert cast.alice.post(path, json={"to": ["going"], "subject": "Jazz", "text": "Hello"}).status == 202
    assert ada.put(f"/api/admin/people/{cast.alice.id}/suspend", json={}).status == 200
    assert [mail for mail in work(db, settings, clock) if mail[0] in NAMES] == []


def test_deleting_an_account_deletes_its_batches(cast: Cast, db: Database, settings: Settings, clock: Clock) -> None:
    event = a_large_event(cast, db)
    path = f"/api/events/{event['id']}/messages"
    assert cast.alice.post(path, json={"to": ["going"], "subject": "Jazz", "text": "Hello"}).status == 202
    assert cast.alice.request("DELETE", f"/api/users/{cast.alice.id}", json={"current_password": PASSWORD}).status == 200
    assert [mail for mail in work(db, settings, clock) if mail[0] in NAMES] == []
