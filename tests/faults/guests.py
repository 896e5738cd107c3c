"""Guests who post comments and responses without pause, each from a new address, and record the outcomes."""

import threading
import time
from http.client import HTTPConnection, HTTPException
from typing import Self

from msgspec import Struct

from kalends.core.settings import Settings
from kalends.db import open_database
from tests.serve.running import Running, ask, bearer

MAX_WRITES = 100_000
PAUSE_SECONDS = 0.02
# Longer than any HTTP response may take.
TIMEOUT_SECONDS = 60


class Outcome(Struct, frozen=True):
    """The outcome of one write: its status, or 0 if the connection broke."""

    address: str
    status: int
    at: float
    seconds: float
    is_unavailable: bool


class Guests:
    """Clients that write on their own connections while the block runs."""

    def __init__(self, service: Running, event_id: int, name: str, number: int = 4):
        self.outcomes: list[Outcome] = []
        self._service = service
        self._event_id = event_id
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(f"{name}.{i}",)) for i in range(number)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    @property
    def acknowledged(self) -> set[str]:
        return {outcome.address for outcome in list(self.outcomes) if outcome.status == 201}

    def stop(self) -> None:
        """Begin no more writes; those under way are still recorded."""
        self._over.set()

    def _write(self, name: str) -> None:
        connection = self._service.connection()
        connection.timeout = TIMEOUT_SECONDS
        for number in range(MAX_WRITES):
            if self._over.is_set():
                break
            outcome = self._post(connection, f"g{name}.{number}@example.org")
            self.outcomes.append(outcome)
            if outcome.status != 201:
                # Without a pause, it would keep a core busy.
                self._over.wait(PAUSE_SECONDS)
        connection.close()

    def _post(self, connection: HTTPConnection, address: str) -> Outcome:
        body = {"event_id": self._event_id, "email_address": address, "comment": address, "response": "YES"}
        began = time.monotonic()
        try:
            reply = ask(connection, "POST", "/api/comments", body)
        except (HTTPException, OSError):
            connection.close()
            return Outcome(address, 0, time.monotonic(), time.monotonic() - began, False)
        is_unavailable = reply.status == 503 and int(reply.headers["Retry-After"]) > 0
        return Outcome(address, reply.status, time.monotonic(), time.monotonic() - began, is_unavailable)


def an_event(service: Running, owner: str) -> int:
    """A public event of a new user."""
    reply = service.post(
        "/api/events", {"title": "Gig", "start_time": "2026-06-01", "public": True}, headers=bearer(service.sign_up(owner))
    )
    assert reply.status == 201, reply
    return int(reply.json["id"])


def stored_texts(folder: str, database: str) -> tuple[set[str], set[str]]:
    """The texts of the stored comments and responses: each guest posted both in one request."""
    db = open_database(Settings(data=folder, database=database))
    with db.read() as tx:
        texts = [{text for (text,) in tx.rows(f"SELECT comment FROM {table}")} for table in ("comments", "responses")]
    db.close()
    return texts[0], texts[1]
