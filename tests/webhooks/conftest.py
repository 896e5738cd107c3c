"""A service that may send webhooks to this machine, and a receiver that verifies them."""

import json
from collections.abc import Iterator
from datetime import datetime
from ssl import SSLContext
from typing import Any

import pytest
import standardwebhooks.webhooks
from msgspec import Struct, structs
from standardwebhooks import Webhook

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.features.changes import journal_store as journal
from kalends.features.changes.rules.cursor import Position
from kalends.features.webhooks.steps import sender
from kalends.http.context import Context
from tests import contract
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.contacts.providers.stand import Request, Stand


class Delivery(Struct):
    """A verified delivery."""

    message_id: str
    body: dict[str, Any]

    @property
    def record(self) -> tuple[str, int]:
        return self.body["type"], self.body["data"]["id"]


class Receiver(Stand):
    """It accepts with `status` what `secret` verifies."""

    def __init__(self, tls: SSLContext | None = None) -> None:
        super().__init__(self._receive, tls)
        self.status = 204
        self.secret = ""
        self.deliveries: list[Delivery] = []

    def _receive(self, request: Request) -> None:
        if self.status < 300:
            headers = dict(line.split(": ", 1) for line in request.head.split("\r\n")[1:])
            assert Webhook(self.secret).verify(request.body, headers) == json.loads(request.body)
            contract.check_webhook(request.body)
            self.deliveries.append(Delivery(headers["webhook-id"], json.loads(request.body)))
        request.reply(self.status, Location=f"{self.url}/other")


class Service(Struct):
    """The service, and its worker, which runs when the test says so."""

    db: Database
    settings: Settings
    cast: Cast

    def send(self) -> int:
        """Send all that is due now; returns the number of attempts."""
        attempts = 0
        empty_rounds = 0
        # Transactions in other databases of PostgreSQL may hold the end of the journal back for a moment.
        while empty_rounds < 3:
            self._journal_end()
            _, due = sender.find_due(Context(self.db, self.settings, timestamps.now()))
            sent = sum(sender.send_next(self.db, self.settings, webhook_id) for webhook_id, _ in due)
            empty_rounds = 0 if sent else empty_rounds + 1
            attempts += sent
        return attempts

    def hook(self, receiver: Receiver, **fields: Any) -> dict[str, Any]:
        """A webhook of alice's to the receiver."""
        reply = self.cast.alice.post("/api/webhooks", json={"url": f"{receiver.url}/hook", **fields})
        assert reply.status == 201, reply
        receiver.secret = reply.json["secret"]
        webhook: dict[str, Any] = reply.json
        end = self._journal_end()
        with self.db.write() as tx:
            tx.run("UPDATE webhooks SET tx = :tx, entry_id = :entry_id WHERE id = :id", id=webhook["id"], tx=end[0], entry_id=end[1])
        return webhook

    def _journal_end(self) -> Position:
        """The end of the journal, once all entries are final."""
        for _ in range(10_000):
            ctx = Context(self.db, self.settings, timestamps.now())
            with ctx.read() as tx:
                last = tx.rows("SELECT tx, id FROM sync_entries ORDER BY id DESC LIMIT 1")
                end = journal.find_journal(ctx).end
            if not last or tuple(last[0]) <= end:
                return end
        raise TimeoutError

    def show(self, webhook: dict[str, Any]) -> dict[str, Any]:
        detail: dict[str, Any] = self.cast.alice.get(f"/api/webhooks/{webhook['id']}").json
        return detail

    def deliveries(self, webhook: dict[str, Any]) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.cast.alice.get(f"/api/webhooks/{webhook['id']}/deliveries").json["deliveries"]
        return listed


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


@pytest.fixture
def service(db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Service:
    """Worker and receiver look at the clock that the test moves."""

    class Now(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.fromtimestamp(clock(), tz)

    monkeypatch.setattr(timestamps, "now", clock)
    monkeypatch.setattr(standardwebhooks.webhooks, "datetime", Now)
    with db.write() as tx:
        tx.run("DELETE FROM webhooks")
    local = structs.replace(settings, webhooks="any", sources="any")
    return Service(db, local, Cast(Client(application(db, local, clock))))
