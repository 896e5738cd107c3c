"""Messages to guests: one for each cause and address, and none for suppressed addresses."""

from email.message import EmailMessage

import pytest
from msgspec import structs

from kalends.core.records.delivery import Delivery
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.deliveries import store
from kalends.features.deliveries import suppression_store as suppressions
from kalends.features.deliveries.messages import content_message as content
from kalends.features.deliveries.messages.message import envelope
from kalends.features.deliveries.model import Notified, Recipient
from kalends.features.deliveries.steps import guest_notice
from kalends.features.events import store as events
from kalends.http.context import Context
from kalends.mail import sender
from tests.cast import Cast, an_event
from tests.deliveries.samples import a_suppression
from tests.deliveries.servers import Mailbox, real_server

pytestmark = pytest.mark.on_one_database

GUS, HAL, IDA = (Recipient(f"{name}@example.org") for name in ("gus", "hal", "ida"))


def test_an_address_gets_one_message_for_a_cause_and_none_if_it_is_suppressed(cast: Cast, db: Database, settings: Settings) -> None:
    event_id, other_id = (an_event(cast.alice)["id"] for _ in range(2))
    ctx = Context(db, settings, timestamps.now())
    with ctx.write():
        event, other = events.find_by_ids(ctx, [event_id, other_id])
        suppressions.insert(ctx, "reminder", "unsubscribed", "email", "ida+jazz@example.org", event_id=event_id)
        suppressions.insert(ctx, "notice", "unsubscribed", "email", "gus@example.org", owner_id=event.owner_id)
        assert guest_notice.insert(ctx, event, "reminder", f"reminder:{event_id}", [GUS, IDA]) == Notified(1, 0, 1)
        assert guest_notice.insert(ctx, event, "reminder", f"reminder:{event_id}", [GUS, HAL]) == Notified(2, 0, 0)
        assert guest_notice.insert(ctx, event, "change", f"change:{event_id}", [GUS, HAL]) == Notified(1, 0, 1)
        assert guest_notice.insert(ctx, other, "reminder", f"reminder:{other_id}", [IDA]) == Notified(1, 0, 0)
        rows = ctx.tx.rows(
            "SELECT cause, address FROM deliveries WHERE owner_id = :id AND cause IS NOT NULL ORDER BY id", id=event.owner_id
        )
    assert [(cause.partition(":")[0], address) for cause, address in rows] == [
        ("reminder", GUS.address),
        ("reminder", HAL.address),
        ("change", HAL.address),
        ("reminder", IDA.address),
    ]


def test_an_address_that_the_mail_server_refuses_for_good_is_suppressed(
    cast: Cast, db: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compose(ctx: Context, delivery: Delivery) -> EmailMessage:
        return envelope(ctx.settings, delivery.address, "Soon", str(delivery.id), delivery.created_at)

    monkeypatch.setitem(content.GUEST_MESSAGES, "reminder", compose)
    event_id = an_event(cast.alice)["id"]
    ctx = Context(db, settings, timestamps.now())
    with real_server(Mailbox(RCPT="550 5.1.1 No such user")) as port:
        real = structs.replace(settings, email=f"smtp://127.0.0.1:{port}")
        for cause in (f"reminder:{event_id}:1", f"reminder:{event_id}:2"):
            with ctx.write():
                guest_notice.insert(ctx, events.get(ctx, event_id), "reminder", cause, [GUS])
                delivery_id = ctx.tx.value("SELECT max(id) FROM deliveries WHERE event_id = :id", id=event_id)
                ctx.tx.run("UPDATE deliveries SET state = 'sending', attempts = 1 WHERE id = :id", id=delivery_id)
                delivery = store.get(ctx, delivery_id)
            assert delivery
            sender.attempt(db, real, delivery)
    with ctx.read():
        assert ctx.tx.value("SELECT count(*) FROM deliveries WHERE event_id = :id", id=event_id) == 1
        rows = ctx.tx.rows("SELECT reason, purpose FROM suppressed_addresses WHERE owner_id = :id", id=cast.alice.id)
    assert rows == [("refused", "reminder")]


def test_an_organiser_sees_who_gets_no_more_and_lifts_what_the_recipient_did_not_ask_for(
    cast: Cast, db: Database, settings: Settings
) -> None:
    refused = a_suppression(settings, cast.alice)
    ctx = Context(db, settings, timestamps.now())
    with ctx.write():
        suppressions.insert(ctx, "notice", "unsubscribed", "email", "hal@example.org", owner_id=cast.alice.id)
    path = "/api/deliveries/suppressions"
    listed = cast.alice.get(f"{path}?count=1").json
    assert [(each["reason"], each["detail"]) for each in listed["suppressions"]] == [("unsubscribed", None), ("refused", "No such user")]
    assert listed["total"] == 2
    assert cast.bob.get(path).json["suppressions"] == []
    assert cast.alice.delete(f"{path}/{listed['suppressions'][0]['id']}").status == 409
    assert "The mail server rejected the address." in cast.alice.get("/deliveries/suppressions").text
    assert cast.alice.post(f"/deliveries/suppressions/{refused}/lift").redirect[1] == "saved"
    assert [each["reason"] for each in cast.alice.get(path).json["suppressions"]] == ["unsubscribed"]
