"""POST /api/webhooks/{id}/ping and /redeliver."""

import pytest

from tests.cast import an_event
from tests.conftest import Clock
from tests.webhooks.conftest import Receiver, Service

pytestmark = pytest.mark.on_one_database


def test_a_ping_is_sent_at_once_before_all_that_waits(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    receiver.status = 500
    an_event(service.cast.alice)
    service.send()
    receiver.status = 204
    assert service.send() == 0
    assert service.cast.alice.post(f"/api/webhooks/{webhook['id']}/ping").json == {"queued": 1}
    # It got through, so the others need not wait any longer.
    assert service.send() == 2
    assert [each.body["type"] for each in receiver.deliveries] == ["ping", "event.put"]
    assert service.show(webhook)["failing_since"] is None


def test_a_ping_that_fails_is_not_repeated_and_does_not_count(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    receiver.status = 500
    service.cast.alice.post(f"/api/webhooks/{webhook['id']}/ping")
    assert service.send() == 1
    clock.ahead(3600)
    assert service.send() == 0
    [ping] = service.deliveries(webhook)
    assert (ping["state"], ping["status"], ping["error"]) == ("failed", 500, "The receiver replied with status 500.")
    assert service.show(webhook)["failing_since"] is None


def test_a_redelivery_keeps_its_id_and_has_the_record_as_it_is_now(service: Service, receiver: Receiver) -> None:
    webhook = service.hook(receiver)
    event = an_event(service.cast.alice)
    service.send()
    service.cast.alice.put(f"/api/events/{event['id']}", json={"title": "Another title"})
    service.send()
    [second, first] = service.deliveries(webhook)
    path = f"/api/webhooks/{webhook['id']}/redeliver"
    assert service.cast.alice.post(path, json={"delivery_id": first["id"]}).json == {"queued": 1}
    assert service.send() == 1
    assert receiver.deliveries[2].message_id == receiver.deliveries[0].message_id == first["message_id"]
    assert receiver.deliveries[2].body["data"]["event"]["title"] == "Another title"
    assert second["message_id"] == receiver.deliveries[1].message_id


def test_all_deliveries_since_a_time_are_sent_again_in_order(service: Service, receiver: Receiver, clock: Clock) -> None:
    webhook = service.hook(receiver)
    for _ in range(3):
        an_event(service.cast.alice)
        service.send()
        clock.ahead(60)
    path, since = f"/api/webhooks/{webhook['id']}/redeliver", str(clock() - 120)
    assert service.cast.alice.post(path, json={"since": since}).json == {"queued": 2}
    service.send()
    assert [each.message_id for each in receiver.deliveries[3:]] == [each.message_id for each in receiver.deliveries[1:3]]


def test_a_redelivery_names_one_delivery_of_the_webhook_or_a_time(service: Service, receiver: Receiver) -> None:
    webhook, other = service.hook(receiver), service.hook(receiver)
    path = f"/api/webhooks/{webhook['id']}/redeliver"
    service.cast.alice.post(f"/api/webhooks/{other['id']}/ping")
    [ping] = service.deliveries(other)
    for fields in ({}, {"delivery_id": 1, "since": "2026-05-11T15:00:00Z"}, {"since": "yesterday"}, {"delivery_id": ping["id"]}):
        assert service.cast.alice.post(path, json=fields).status == 422, fields
    service.cast.alice.put(f"/api/webhooks/{webhook['id']}", json={"enabled": False})
    assert service.cast.alice.post(path, json={"since": "2026-05-11T15:00:00Z"}).status == 409
    assert service.cast.alice.post(f"/api/webhooks/{webhook['id']}/ping").status == 409
