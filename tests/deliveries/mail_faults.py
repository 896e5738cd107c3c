"""A worker that sends through a mail server with many faults: each message arrives once, or is recorded as failed with its reason."""

import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import Struct

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.features.deliveries.steps import dispatcher
from kalends.features.deliveries.steps.dispatcher import Backoff
from kalends.mail import mail, sender
from tests.deliveries.faulty_server import FaultyServer, faulty_server
from tests.serve.prepared import Forked
from tests.serve.running import TIMEOUT, Running, bearer, environment, eventually

_QUEUE = """
INSERT INTO deliveries (owner_id, event_id, kind, channel, address, address_key, public, state, attempts, due_at, created_at, updated_at)
SELECT owner_id, id, 'send_to_me', 'email', :address, :address, TRUE, 'queued', 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT),
       CAST(:now AS BIGINT) FROM events
"""


class Tally(Struct, frozen=True):
    """What became of the messages."""

    faults: Counter[str]
    sent: int
    failed: int
    lost: int
    without_reason: int
    repeated: int
    unexpected: int

    @property
    def is_sound(self) -> bool:
        return not (self.lost or self.without_reason or self.unexpected)


def send_through_faults(folder: Path, service: Running, database: str, faults: int) -> Tally:
    """Queue as many messages as there are faults, and send them until each is sent or failed and no fault is left."""
    settings = Settings(data=str(folder / "data"), database=database)
    fields = {"title": "Jazz", "start_time": "2027-05-11T20:00", "public": True}
    assert service.post("/api/events", fields, headers=bearer(service.sign_up("alice"))).status == 201
    with closing(open_database(settings)) as db, faulty_server(faults) as (server, port):
        _queue(db, faults)
        worker = _start_worker(folder, {"data": settings.data, "database": database, "email": f"smtp://127.0.0.1:{port}"})
        try:
            eventually(lambda: not _count_waiting(db), within=900)
            worker.send_signal(15)
            worker.wait(TIMEOUT)
        finally:
            worker.kill()
        with db.read() as tx:
            rows = tx.rows("SELECT address, state, error FROM deliveries")
        return _count(server, rows)


def _queue(db: Database, messages: int) -> None:
    with db.write() as tx:
        tx.run("DELETE FROM deliveries")
        tx.many(_QUEUE, [{"address": f"guest{number}@example.org", "now": timestamps.now()} for number in range(messages)])


def _count_waiting(db: Database) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(*) FROM deliveries WHERE state IN ('queued', 'sending')"))


def _start_worker(folder: Path, settings: dict[str, Any]) -> Forked:
    worker = Forked(_shorten_pauses, ["work"], folder, environment(**settings, log_format="json"))
    threading.Thread(target=worker.stderr.read, daemon=True).start()
    return worker


def _shorten_pauses() -> None:
    dispatcher.PAUSE, sender.BACKOFF = 0.05, Backoff(1, 1)
    mail.send.__kwdefaults__ = {**(mail.send.__kwdefaults__ or {}), "seconds": 10.0, "step": 1.0}


def _count(server: FaultyServer, rows: list[tuple[str, str, str | None]]) -> Tally:
    received = Counter(address for address, _ in server.received)
    sent = {address for address, state, _ in rows if state == "sent"}
    failed = {address: error or "" for address, state, error in rows if state == "failed"}
    reasons = [text for error in failed.values() if (text := error.rpartition(": ")[2]) in server.refusals]
    return Tally(
        faults=server.faults,
        sent=len(sent),
        failed=len(failed),
        lost=len(sent - set(received)) + len(rows) - len(sent) - len(failed),
        without_reason=len(failed) - len(set(reasons)),
        repeated=received.total() - len(received),
        unexpected=sum(abs(received[address] - (address in sent) - server.unconfirmed[address]) for address, _, _ in rows)
        + len(set(server.received))
        - len(received),
    )
