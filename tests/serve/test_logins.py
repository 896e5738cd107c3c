"""Logins on several server processes, and how many passwords are hashed at once."""

import hmac
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal

import pytest
from argon2 import PasswordHasher

from kalends.features.users.rules import passwords
from tests.serve.conftest import Start
from tests.serve.running import bearer


def test_a_digest_works_once_across_processes(start: Start, database: str) -> None:
    service = start("--workers", "2", database=database, rate_limits="off")
    key = service.post("/api/keys", {"name": "a program"}, headers=bearer(service.sign_up("alice"))).json
    timestamp = str(int(time.time()))
    signature = hmac.new(key["shared_secret"].encode(), timestamp.encode(), "sha256").hexdigest()
    login = {"digest": f"{key['id']}.{signature}", "timestamp": timestamp}
    # Each comes over a connection of its own, and the kernel spreads connections over the processes.
    with ThreadPoolExecutor(6) as clients:
        at_once = list(clients.map(lambda _: service.post("/api/session", login).status, range(6)))
    assert sorted(at_once) == [201] + [401] * 5
    assert [service.post("/api/session", login).status for _ in range(12)] == [401] * 12


class Counting(PasswordHasher):
    """Hashes as Argon2 does, and knows how many did so at once."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8192, parallelism=1)
        self.most = self._now = 0
        self._lock = threading.Lock()

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        with self._counted():
            return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        with self._counted():
            return super().verify(hash, password)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        yield
        with self._lock:
            self._now -= 1


def test_two_passwords_at_most_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    monkeypatch.setattr(passwords, "_hasher", counting)
    # Nobody is refused, however busy the machine is.
    monkeypatch.setattr(passwords, "SLOT_TIMEOUT", 600)
    known = passwords.hash_password("correct horse battery")
    with ThreadPoolExecutor(64) as clients:
        hashes = clients.map(passwords.hash_password, ["another password"] * 32)
        matches = clients.map(lambda _: passwords.matches("correct horse battery", known), range(32))
        assert len(set(hashes)) == 32
        assert all(matches)
    assert counting.most == passwords.MAX_CONCURRENT == 2
