"""Guests who comment and answer without pause, each time from another address, and remember what they were told."""

import threading
import time
from http.client import HTTPConnection, HTTPException
from typing import Self

from msgspec import Struct

from kalends.db import open_database
from kalends.settings import Settings
from tests.serve.running import Running, ask, bearer

MOST = 100_000
PAUSE = 0.02
# Longer than any answer may take.
LONGEST = 60


class Told(Struct, frozen=True):
    """What became of one write: its status, or 0 where the connection broke."""

    address: str
    status: int
    at: float
    seconds: float
    asks_for_patience: bool


class Guests:
    """Clients on connections of their own, for as long as the block runs."""

    def __init__(self, service: Running, event_id: int, name: str, number: int = 4):
        self.told: list[Told] = []
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
        return {told.address for told in list(self.told) if told.status == 201}

    def stop(self) -> None:
        """Write no more; what is on its way is still told."""
        self._over.set()

    def _write(self, name: str) -> None:
        connection = self._service.connection()
        connection.timeout = LONGEST
        for number in range(MOST):
            if self._over.is_set():
                break
            told = self._told(connection, f"g{name}.{number}@example.org")
            self.told.append(told)
            if told.status != 201:
                # It would hold a core for nothing.
                self._over.wait(PAUSE)
        connection.close()

    def _told(self, connection: HTTPConnection, address: str) -> Told:
        given = {"event_id": self._event_id, "email_address": address, "comment": address, "response": "YES"}
        began = time.monotonic()
        try:
            answer = ask(connection, "POST", "/api/comments", given)
        except (HTTPException, OSError):
            connection.close()
            return Told(address, 0, time.monotonic(), time.monotonic() - began, False)
        patience = answer.status == 503 and int(answer.headers["Retry-After"]) > 0
        return Told(address, answer.status, time.monotonic(), time.monotonic() - began, patience)


def an_event(service: Running, owner: str) -> int:
    """A public event of a new user."""
    made = service.post("/api/events", {"title": "Gig", "start_time": "2026-06-01", "public": True}, headers=bearer(service.sign_up(owner)))
    assert made.status == 201, made
    return int(made.json["id"])


def kept(folder: str, database: str) -> tuple[set[str], set[str]]:
    """The texts of the comments and of the responses that the database holds: each guest left one of both, or neither."""
    db = open_database(Settings(data=folder, database=database))
    with db.read() as tx:
        found = [{text for (text,) in tx.rows(f"SELECT comment FROM {table}")} for table in ("comments", "responses")]
    db.close()
    return found[0], found[1]
