"""Webhooks on pages: created with a secret that is shown once, changed, tested, sent again and deleted."""

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.account.test_key_pages import value_on_page
from tests.cast import Cast, a_calendar, a_webhook, an_event, shared
from tests.client import Client
from tests.conftest import Clock
from tests.webhooks.conftest import Receiver, Service

PUBLIC = "https://[2606:4700::1111]/hook"


def test_the_secret_is_shown_once_and_verifies_a_ping(service: Service, receiver: Receiver) -> None:
    alice = service.cast.alice
    page = alice.post("/webhooks", data={"url": f"{receiver.url}/hook", "calendar_id": "", "kinds[]": "event"})
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    receiver.secret = value_on_page(page.text, "secret")
    [webhook] = alice.get("/api/webhooks").json["webhooks"]
    assert (webhook["kinds"], webhook["calendar_id"]) == (["event"], None)
    path = f"/webhooks/{webhook['id']}"
    assert alice.post(f"{path}/ping").redirect == (f"{path}#deliveries", "pinged")
    service.send()
    assert [each.body["type"] for each in receiver.deliveries] == ["ping"]
    text = alice.get(path).text
    assert "Ping" in text
    assert "status 204" in text
    assert receiver.secret not in text + alice.get("/webhooks").text
    rotated = value_on_page(alice.post(f"{path}/rotate_secret").text, "secret")
    assert rotated != receiver.secret


def test_deliveries_are_sent_again_one_by_one_or_those_of_the_last_hours(service: Service, receiver: Receiver, clock: Clock) -> None:
    alice = service.cast.alice
    webhook = service.hook(receiver)
    for _ in range(3):
        an_event(alice)
        service.send()
        clock.ahead(3000)
    path = f"/webhooks/{webhook['id']}/redeliver"
    first = service.deliveries(webhook)[-1]
    assert alice.post(path, data={"delivery_id": str(first["id"])}).redirect == (f"/webhooks/{webhook['id']}#deliveries", "redelivered.1")
    service.send()
    assert alice.post(path, data={"hours": "2"}).redirect == (f"/webhooks/{webhook['id']}#deliveries", "redelivered.2")
    service.send()
    ids = [each.message_id for each in receiver.deliveries]
    assert ids[3:] == [ids[0], *ids[1:3]]


def test_a_webhook_that_fails_says_so_and_what_to_do(service: Service, receiver: Receiver, clock: Clock) -> None:
    alice = service.cast.alice
    webhook = service.hook(receiver)
    path = f"/webhooks/{webhook['id']}"
    receiver.status = 500
    an_event(alice)
    service.send()
    assert "Failing</strong> since" in alice.get(path).text
    receiver.status = 410
    clock.ahead(60)
    service.send()
    assert "replied with 410" in alice.get(path).text
    refused = alice.post(f"{path}/ping")
    assert refused.status == 409
    assert "The webhook is turned off. Turn it on first" in refused.text
    assert alice.post(f"{path}/edit", data={"url": webhook["url"], "enabled": "true"}).redirect == (path, "saved")
    assert service.show(webhook)["enabled"]


def test_a_form_with_a_hostile_address_comes_back_with_what_was_typed(cast: Cast) -> None:
    reply = cast.alice.post("/webhooks", data={"url": "https://127.0.0.1/hook", "kinds[]": "contact"})
    assert reply.status == 422
    assert 'href="#url"' in reply.text
    assert 'value="https://127.0.0.1/hook"' in reply.text
    assert 'value="contact" checked' in reply.text
    assert cast.alice.get("/api/webhooks").json["webhooks"] == []


def test_boxes_that_are_no_longer_ticked_and_a_hidden_calendar_are_saved_as_shown(cast: Cast) -> None:
    calendar = a_calendar(cast.bob)
    shared(cast.bob, calendar, cast.alice, "viewer")
    webhook = a_webhook(cast.alice, kinds=["event"], calendar_id=calendar["id"])
    cast.bob.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.alice.user_name})
    path = f"/webhooks/{webhook['id']}"
    assert f'<option value="{calendar["id"]}" selected>A calendar that you cannot see any more' in cast.alice.get(path).text
    fields = {"url": PUBLIC, "calendar_id": str(calendar["id"]), "enabled": "false"}
    assert cast.alice.post(f"{path}/edit", data=fields).redirect == (path, "saved")
    changed = cast.alice.get(f"/api/webhooks/{webhook['id']}").json
    assert (changed["kinds"], changed["calendar_id"], changed["enabled"]) == (None, calendar["id"], False)


def test_a_webhook_is_deleted_after_asking(cast: Cast) -> None:
    webhook = a_webhook(cast.alice)
    assert PUBLIC in cast.alice.get(f"/webhooks/{webhook['id']}/delete").text
    assert cast.alice.post(f"/webhooks/{webhook['id']}/delete").redirect == ("/webhooks", "deleted")
    assert cast.alice.get("/api/webhooks").json["webhooks"] == []


@pytest.mark.on_one_database
def test_the_page_says_that_the_operator_switched_webhooks_off(db: Database, settings: Settings, clock: Clock) -> None:
    cast = Cast(Client(application(db, structs.replace(settings, webhooks="off"), clock)))
    page = cast.alice.get("/webhooks").text
    assert "turned off on this server" in page
    assert "Create webhook" not in page
    assert cast.alice.post("/webhooks", data={"url": PUBLIC}).status == 403
