"""Whom workers have notified that were killed: notices, messages, invitations and reminders of events, each guest once."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import Struct

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from tests.deliveries.killed_worker import STEPS, CountedConnection, CountingServer, ForkedWorker
from tests.deliveries.servers import real_server
from tests.serve.running import Running, bearer, eventually

GUESTS = ("gus", "hal", "ida")
KINDS = ("change", "invitation", "message", "reminder")
# The settings of the service: changes are sent at once, and nothing is limited.
SERVICE = {"rate_limits": "off", "notice_delay": 0, "access_log": "off"}


class Tally(Struct, frozen=True):
    """What was sent. A message that was accepted when a worker died before the record is sent again."""

    kills: Counter[str]
    messages: Counter[str]
    forgotten: int
    unexpected: int
    repeated: int
    renamed: int

    @property
    def is_sound(self) -> bool:
        return not (self.forgotten or self.unexpected or self.renamed)


def notify_and_kill(folder: Path, service: Running, database: str, rounds: int = 1, after: Callable[[], object] = lambda: None) -> Tally:
    """In each round and at each step, an organiser notifies guests by each kind of message, and the worker is killed there; `after` is
    called after each kill."""
    settings = Settings(data=str(folder / "data"), database=database)
    token, chance, kills = service.sign_up("alice"), random.Random(7), Counter[str]()
    with closing(open_database(settings)) as db, real_server(server := CountingServer(), kind=CountedConnection) as port:
        _forget_account_mail(db)
        options: dict[str, Any] = {
            "data": settings.data,
            "database": database,
            "email": f"smtp://127.0.0.1:{port}",
            "log_format": "json",
        } | SERVICE
        organiser, repeats = _Organiser(service, token), Counter[int]()
        for number in range(rounds * len(STEPS)):
            step = STEPS[number % len(STEPS)]
            organiser.notify()
            worker = ForkedWorker(folder, server, step, chance.randint(1, 3) if "reminders" not in step else 1, **options)
            try:
                worker.wait_for_kill()
            finally:
                worker.kill()
            kills[step] += 1
            repeats |= _end_leases(db, server)
            after()
        return _finish(folder, db, server, options, kills, repeats)


class _Organiser:
    """Someone who notifies the guests of an event."""

    def __init__(self, service: Running, token: str):
        self._service, self._headers = service, bearer(token)

    def notify(self) -> None:
        """Queue a message of each kind to each of the guests of a new event."""
        start = timestamps.format_utc(timestamps.now() + 55 * 60)
        event_id = self._ask("POST", "/api/events", {"title": "Gig", "start_time": start, "public": True})["id"]
        path = f"/api/events/{event_id}"
        for name in GUESTS:
            response = {"event_id": event_id, "email_address": f"{name}@example.org", "response": "YES"}
            assert self._service.request("POST", "/api/responses", response).status == 201
        self._ask("POST", f"{path}/reminders", {"before": 60})
        self._ask("PUT", path, {"location": "The other hall"})
        self._ask("POST", f"{path}/messages", {"to": ["going"], "subject": "News", "text": "Bring a chair."})
        self._ask("POST", f"{path}/invitations", {"addresses": [f"{name}@example.com" for name in GUESTS]})

    def _ask(self, method: str, path: str, fields: dict[str, object]) -> Any:
        reply = self._service.request(method, path, fields, self._headers)
        assert reply.status < 300, reply
        return reply.json


def _forget_account_mail(db: Database) -> None:
    with db.write() as tx:
        tx.run("DELETE FROM deliveries WHERE kind = 'verify'")


def _end_leases(db: Database, server: CountingServer) -> Counter[int]:
    """Let the two minutes pass after which messages are claimed again; returns how often each was accepted and not recorded."""
    with db.write() as tx:
        rows = tx.rows("UPDATE deliveries SET due_at = 0 WHERE state = 'sending' RETURNING id")
    return Counter({delivery_id: server.received[delivery_id] for (delivery_id,) in rows})


def _finish(
    folder: Path, db: Database, server: CountingServer, options: dict[str, Any], kills: Counter[str], repeats: Counter[int]
) -> Tally:
    """Let a worker send the rest, and count."""
    worker = ForkedWorker(folder, server, **options)
    try:
        eventually(lambda: not _rows(db, "state IN ('queued', 'sending')"), within=300)
        worker.stop()
    finally:
        worker.kill()
    rows = _rows(db, "TRUE")
    sent = Counter(kind for _, kind, _, _ in rows)
    expected = sum(kills.values()) * len(GUESTS)
    missing = sum(abs(sent[kind] - expected) for kind in KINDS)
    unsent = sum(state != "sent" or not server.received[delivery_id] for delivery_id, _, _, state in rows)
    unexpected = sum(abs(server.received[delivery_id] - 1 - repeats[delivery_id]) for delivery_id, _, _, _ in rows)
    renamed = len(server.message_ids) - len(server.received)
    return Tally(kills, sent, missing + unsent, unexpected, server.received.total() - len(server.received), renamed)


def _rows(db: Database, condition: str) -> list[tuple[int, str, str, str]]:
    with db.read() as tx:
        return tx.rows(f"SELECT id, kind, address, state FROM deliveries WHERE {condition} ORDER BY id")
