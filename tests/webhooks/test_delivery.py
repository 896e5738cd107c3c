"""The worker sends changes to webhooks: signed, in order, at least once, and no receiver delays another."""

import json
import threading
from typing import Any

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from kalends.app.worker import clean_up, prune_history
from kalends.features.deliveries.steps import dispatcher
from kalends.features.webhooks.steps import sender
from kalends.features.webhooks.steps.sender import WebhookSender
from kalends.http.context import Context
from tests.cast import a_calendar, a_contact, an_event, handed_over, shared
from tests.changes.follower import find_cursor, read_changes
from tests.conftest import Clock
from tests.users.account_mail import mails
from tests.webhooks.conftest import Receiver, Service

pytestmark = pytest.mark.on_one_database

DAY = 86_400


def test_a_change_is_sent_as_followers_read_it(service: Service, receiver: Receiver) -> None:
    webhook = service.hook(receiver)
    cursor = find_cursor(service.cast.alice)
    event = an_event(service.cast.alice)
    assert service.send() == 1
    [delivery] = receiver.deliveries
    following = read_changes(service.cast.alice, f"cursor={cursor}")
    assert delivery.body["type"] == "event.put"
    assert delivery.body["data"] == following["changes"][0]
    # A receiver reads on by the cursor of what it has.
    an_event(service.cast.alice)
    assert len(read_changes(service.cast.alice, f"cursor={delivery.body['cursor']}")["changes"]) == 1
    [sent] = service.deliveries(webhook)
    assert (sent["message_id"], sent["state"], sent["status"], sent["attempts"]) == (delivery.message_id, "sent", 204, 1)
    assert (sent["kind"], sent["record_id"]) == ("event", event["id"])
    assert receiver.requests[0].head.startswith("POST /hook ")


def test_a_webhook_sends_only_its_kinds_and_its_calendar(service: Service, receiver: Receiver) -> None:
    calendar = a_calendar(service.cast.alice)
    service.hook(receiver, calendar_id=calendar["id"], kinds=["event"])
    a_contact(service.cast.alice)
    an_event(service.cast.alice)
    event = an_event(service.cast.alice, calendar_id=calendar["id"])
    service.cast.alice.post("/api/comments", json={"event_id": event["id"], "comment": "Hello"})
    service.send()
    assert [each.record for each in receiver.deliveries] == [("event.put", event["id"])]


def test_a_webhook_goes_on_when_its_calendar_has_a_new_owner(service: Service, receiver: Receiver) -> None:
    calendar = a_calendar(service.cast.alice)
    service.hook(receiver, calendar_id=calendar["id"], kinds=["event"])
    handed_over(service.cast.alice, calendar, service.cast.bob)
    event = an_event(service.cast.bob, calendar_id=calendar["id"])
    service.send()
    assert [each.record for each in receiver.deliveries] == [("event.put", event["id"])]


def test_a_stranger_learns_that_what_they_saw_by_another_calendar_is_gone(service: Service, receiver: Receiver) -> None:
    alice, bob = service.cast.alice, service.cast.bob
    public, other = a_calendar(bob, public=True), a_calendar(bob)
    shared(bob, other, alice, "viewer")
    event = an_event(bob, calendar_id=other["id"])
    bob.put(f"/api/events/{event['id']}/add", json={"calendar_id": public["id"]})
    service.hook(receiver, calendar_id=public["id"])
    bob.put(f"/api/events/{event['id']}", json={"title": "Seen"})
    service.send()
    bob.put(f"/api/calendars/{other['id']}/unshare", json={"user_name": alice.user_name})
    service.send()
    assert [each.record for each in receiver.deliveries] == [("event.put", event["id"]), ("event.gone", event["id"])]


def test_a_series_is_one_delivery_with_its_dates(service: Service, receiver: Receiver) -> None:
    service.hook(receiver)
    event = an_event(service.cast.alice)
    service.cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": 5})
    service.send()
    [delivery] = receiver.deliveries
    assert delivery.body["type"] == "series.put"
    assert len(delivery.body["data"]["series"]["events"]) == 5


def test_a_receiver_that_was_away_for_four_days_misses_nothing(service: Service, receiver: Receiver, clock: Clock) -> None:
    alice = service.cast.alice
    webhook = service.hook(receiver)
    receiver.status = 503
    events = [an_event(alice) for _ in range(3)]
    pauses: list[int] = []
    end = clock() + 4 * DAY
    while clock() < end:
        service.send()
        at = clock()
        alice.put(f"/api/events/{events[len(pauses) % 3]['id']}", json={"title": f"Title {len(pauses)}"})
        with service.db.read() as tx:
            clock.now = max(clock() + 1, int(tx.value("SELECT next_at FROM webhooks WHERE id = :id", id=webhook["id"])))
        pauses.append(clock() - at)
    assert (pauses[0] <= 5, max(pauses) <= 6 * 3600, max(pauses) > 4 * 3600) == (True, True, True)
    alice.delete(f"/api/events/{events[0]['id']}")
    assert service.show(webhook)["failing_since"] is not None
    receiver.status = 200
    attempts = service.send()
    # One request at a time fails, and all others wait for it.
    assert len({request.head.split("webhook-id: ")[1].split("\r\n")[0] for request in receiver.requests[: len(pauses)]}) == 1
    assert attempts == len(receiver.deliveries)
    last = {each.body["data"]["id"]: each.body for each in receiver.deliveries}
    assert {number: body["type"] for number, body in last.items()} == {
        events[0]["id"]: "event.gone",
        events[1]["id"]: "event.put",
        events[2]["id"]: "event.put",
    }
    for event in events[1:]:
        assert last[event["id"]]["data"]["event"]["title"] == alice.get(f"/api/events/{event['id']}").json["title"]
    assert service.show(webhook)["failing_since"] is None


def test_a_rotated_secret_is_valid_beside_the_new_one_for_a_day(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    old = receiver.secret
    new = service.cast.alice.post(f"/api/webhooks/{webhook['id']}/rotate_secret").json["secret"]
    an_event(service.cast.alice)
    service.send()
    request = receiver.requests[-1]
    headers = dict(line.split(": ", 1) for line in request.head.split("\r\n")[1:])
    assert Webhook(old).verify(request.body, headers) == Webhook(new).verify(request.body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(request.body + b" ", headers)
    clock.ahead(DAY)
    receiver.secret = new
    an_event(service.cast.alice)
    service.send()
    headers = dict(line.split(": ", 1) for line in receiver.requests[-1].head.split("\r\n")[1:])
    with pytest.raises(WebhookVerificationError):
        Webhook(old).verify(receiver.requests[-1].body, headers)
    assert len(receiver.deliveries) == 2


def test_a_receiver_that_is_gone_ends_its_webhook(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    receiver.status = 410
    an_event(service.cast.alice)
    service.send()
    assert (service.show(webhook)["enabled"], service.show(webhook)["disabled_reason"]) == (False, "gone")
    clock.ahead(DAY)
    assert service.send() == 0
    receiver.status = 204
    service.cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"enabled": True})
    assert service.send() == 1
    assert service.show(webhook)["disabled_reason"] is None


@pytest.mark.parametrize("status", [302, 307, 404, 500])
def test_what_is_not_accepted_is_tried_again_under_the_same_id(service: Service, receiver: Receiver, clock: Clock, status: int) -> None:
    webhook = service.hook(receiver)
    receiver.status = status
    an_event(service.cast.alice)
    assert service.send() == 1
    clock.ahead(1)
    assert service.send() == 0
    clock.ahead(5)
    receiver.status = 204
    assert service.send() == 1
    assert [request.target for request in receiver.requests] == ["/hook", "/hook"]
    assert service.deliveries(webhook)[0]["attempts"] == 2
    assert receiver.requests[0].head.split("webhook-id: ")[1][:19] == receiver.deliveries[0].message_id


def test_after_five_days_of_failures_it_is_switched_off_and_the_owner_is_notified(
    service: Service, receiver: Receiver, clock: Clock
) -> None:
    webhook = service.hook(receiver)
    receiver.status = 500
    an_event(service.cast.alice)
    service.send()
    clock.ahead(5 * DAY - 60)
    service.send()
    assert service.show(webhook)["enabled"]
    clock.ahead(DAY)
    service.send()
    assert service.show(webhook)["disabled_reason"] == "failing"
    notice = mails(service.db, service.settings, service.cast.alice.id, "notice")[-1]
    assert "A webhook was turned off" in notice
    assert "accepted anything for five days" in notice.replace("=\n", "")


def test_a_calendar_that_is_not_visible_any_more_is_the_last_delivery(service: Service, receiver: Receiver) -> None:
    calendar = a_calendar(service.cast.bob)
    shared(service.cast.bob, calendar, service.cast.alice, "viewer")
    webhook = service.hook(receiver, calendar_id=calendar["id"])
    event = an_event(service.cast.bob, calendar_id=calendar["id"], title="Before")
    service.cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": service.cast.alice.user_name})
    service.cast.bob.put(f"/api/events/{event['id']}", json={"title": "After"})
    service.send()
    assert [each.record for each in receiver.deliveries] == [("calendar.gone", calendar["id"])]
    assert service.show(webhook)["disabled_reason"] == "calendar"


def test_what_is_queued_is_sent_as_the_owner_may_see_it_when_it_is_sent(service: Service, receiver: Receiver, clock: Clock) -> None:
    calendar = a_calendar(service.cast.bob)
    shared(service.cast.bob, calendar, service.cast.alice, "viewer")
    service.hook(receiver)
    receiver.status = 500
    event = an_event(service.cast.bob, calendar_id=calendar["id"], title="Secret plan")
    service.send()
    service.cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": service.cast.alice.user_name})
    receiver.status = 204
    receiver.requests.clear()
    clock.ahead(60)
    service.send()
    assert ("event.gone", event["id"]) in [each.record for each in receiver.deliveries]
    assert "Secret plan" not in "".join(request.body.decode() for request in receiver.requests)


@pytest.mark.parametrize("cause", ["pruned", "restored"])
def test_a_receiver_is_notified_when_changes_were_lost(service: Service, receiver: Receiver, clock: Clock, cause: str) -> None:
    webhook = service.hook(receiver)
    service.cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"enabled": False})
    an_event(service.cast.alice)
    if cause == "pruned":
        with service.db.write() as tx:
            tx.run("UPDATE sync_entries SET at = :at", at=clock() - 91 * DAY)
        prune_history(Context(service.db, service.settings, clock()))
    else:
        with service.db.write() as tx:
            tx.run("UPDATE journal SET epoch = epoch + 1")
    service.cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"enabled": True})
    service.send()
    assert [each.body["type"] for each in receiver.deliveries] == ["changes.missed"]
    an_event(service.cast.alice)
    service.send()
    assert [each.body["type"] for each in receiver.deliveries] == ["changes.missed", "event.put"]


def test_the_content_is_not_stored_and_old_deliveries_are_deleted(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    an_event(service.cast.alice, title="Canary title")
    service.send()
    with service.db.read() as tx:
        assert "Canary" not in str(tx.rows("SELECT * FROM webhook_deliveries WHERE webhook_id = :id", id=webhook["id"]))
    assert len(service.deliveries(webhook)) == 1
    clean_up(Context(service.db, service.settings, clock() + 30 * DAY + 1))
    with service.db.read() as tx:
        assert tx.value("SELECT count(*) FROM webhook_deliveries WHERE webhook_id = :id", id=webhook["id"]) == 0


def test_a_worker_that_died_is_replaced_after_its_lease(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    an_event(service.cast.alice)
    claims = (sender._claim(Context(service.db, service.settings, clock()), webhook["id"]) for _ in range(100))
    assert any(claims)
    assert service.send() == 0
    clock.ahead(dispatcher.LEASE)
    assert service.send() == 1


def test_a_receiver_that_hangs_delays_no_other(service: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hanging requests end only when the other receiver has got all of its deliveries."""
    monkeypatch.setattr(dispatcher, "PAUSE", 0.02)
    arrived, hanging = threading.Event(), Receiver()
    accept = receiver.behaviour

    def receive(request: Any) -> None:
        accept(request)
        if len(receiver.deliveries) == 5:
            arrived.set()

    receiver.behaviour = receive
    with hanging:

        def hang(request: Any) -> None:
            arrived.wait(30)
            request.reply(500)

        hanging.behaviour = hang
        stuck = [service.hook(hanging) for _ in range(4)]
        service.hook(receiver)
        stopping = threading.Event()
        worker = threading.Thread(target=WebhookSender(service.db, service.settings).run, args=(stopping,))
        worker.start()
        for _ in range(5):
            an_event(service.cast.alice)
        assert arrived.wait(30)
        stopping.set()
        worker.join(30)
    assert len({json.dumps(each.body["data"]["id"]) for each in receiver.deliveries}) == 5
    assert all(each["state"] == "queued" for webhook in stuck for each in service.deliveries(webhook))
    assert 1 <= len(hanging.requests) <= 8
