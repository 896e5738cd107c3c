"""Concurrent writers: a deadlock retries the action, a lock timeout becomes 503, and no update is lost."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import psycopg
import pytest
from msgspec import Struct

from kalends.core.errors import Unavailable
from kalends.core.settings import Settings
from kalends.db import Database, Retry
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from kalends.features.idempotency import store as retries
from kalends.http.context import Context
from kalends.http.endpoint import Endpoint, declaration
from kalends.http.server import Application
from tests.cast import Cast
from tests.client import Client
from tests.migrated import write_sqlite

TIMEOUT = 20


class Crossed(Struct):
    attempts: int


class Crossing:
    """An action that changes two records; the first two runs of it hold one each before they reach for the other."""

    def __init__(self) -> None:
        self.attempts = 0
        self._both = threading.Barrier(2)
        self._lock = threading.Lock()

    def cross(self, ctx: Context, first: int, second: int) -> Crossed:
        """Change both records."""
        with self._lock:
            self.attempts += 1
            meets = self.attempts <= 2
        ctx.tx.run("UPDATE pebbles SET n = n + 1 WHERE id = :id", id=first)
        if meets:
            self._both.wait(TIMEOUT)
        ctx.tx.run("UPDATE pebbles SET n = n + 1 WHERE id = :id", id=second)
        return Crossed(self.attempts)

    def declared(self) -> Endpoint:
        return declaration(self.cross, "PUT", "/api/pebbles/{first}/{second}", guests=True)


@pytest.fixture
def beach(postgres: Postgres) -> Postgres:
    with postgres.write() as tx:
        tx.script("CREATE TABLE pebbles (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
        tx.script("INSERT INTO pebbles VALUES (1, 0), (2, 0)")
    return postgres


def test_a_deadlock_asks_for_a_retry(beach: Postgres) -> None:
    both = threading.Barrier(2)

    def change(first: int, second: int) -> bool:
        try:
            with beach.write() as tx:
                tx.run("UPDATE pebbles SET n = n + 1 WHERE id = :id", id=first)
                both.wait(TIMEOUT)
                tx.run("UPDATE pebbles SET n = n + 1 WHERE id = :id", id=second)
        except Retry:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        outcomes = [done.result(TIMEOUT) for done in (threads.submit(change, 1, 2), threads.submit(change, 2, 1))]
    assert sorted(outcomes) == [False, True]
    with beach.read() as tx:
        assert tx.rows("SELECT n FROM pebbles") == [(1,), (1,)]


def test_requests_that_deadlock_both_succeed(beach: Postgres, tmp_path: Path) -> None:
    crossing = Crossing()
    client = Client(
        Application(
            [crossing.declared()],
            beach,
            Settings(data=str(tmp_path), access_log="off"),
            lambda ctx, token: None,
            lambda ctx, endpoint: None,
            retries,
        )
    )
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(client.put, path) for path in ("/api/pebbles/1/2", "/api/pebbles/2/1")]
        replies = [done.result(TIMEOUT) for done in waiting]
    assert [reply.status for reply in replies] == [200, 200]
    assert crossing.attempts > 2
    with beach.read() as tx:
        assert tx.rows("SELECT n FROM pebbles") == [(2,), (2,)]


def test_a_lock_that_is_not_released_becomes_503(postgres_url: str, guest_on: Callable[[Database], Client]) -> None:
    db = Postgres(postgres_url, lock_ms=200)
    alice = Cast(guest_on(db)).alice
    calendar = f"/api/calendars/{alice.primary_calendar_id}"
    with psycopg.connect(postgres_url) as other:
        other.execute("UPDATE calendars SET name = 'Held' WHERE id = %s", (alice.primary_calendar_id,))
        busy = alice.put(calendar, json={"name": "Jazz"})
        assert (busy.status, int(busy.headers["Retry-After"]) > 0) == (503, True)
        assert alice.get(calendar).json["name"] == "Alice"
        other.rollback()
    assert alice.put(calendar, json={"name": "Jazz"}).json["name"] == "Jazz"
    db.close()


def test_a_statement_that_exceeds_its_timeout_is_cancelled(fresh_url: str) -> None:
    db = Postgres(fresh_url, statement_ms=100)
    with pytest.raises(Unavailable), db.read() as tx:
        tx.rows("SELECT pg_sleep(20)")
    with db.read() as tx:
        assert tx.value("SELECT 1") == 1
    db.close()


def test_a_busy_file_becomes_503_and_may_still_be_read(tmp_path: Path, guest_on: Callable[[Database], Client]) -> None:
    """Another process, such as a backup tool, holds the file for longer than a request waits."""
    write_sqlite(tmp_path / "busy.sqlite3")
    db = Sqlite(tmp_path / "busy.sqlite3", busy_ms=100)
    alice = Cast(guest_on(db)).alice
    calendar = f"/api/calendars/{alice.primary_calendar_id}"
    other = apsw.Connection(str(db.path))
    other.execute("BEGIN IMMEDIATE")
    busy = alice.put(calendar, json={"name": "Jazz"})
    assert (busy.status, int(busy.headers["Retry-After"]) > 0) == (503, True)
    assert alice.get(calendar).json["name"] == "Alice"
    other.execute("ROLLBACK")
    assert alice.put(calendar, json={"name": "Jazz"}).json["name"] == "Jazz"
    other.close()
    db.close()


def test_a_writer_waits_for_the_previous_writer(tmp_path: Path) -> None:
    db = Sqlite(tmp_path / "busy.sqlite3", busy_ms=50)
    with db.write() as tx, ThreadPoolExecutor(1) as thread:
        tx.script("CREATE TABLE pebbles (id INTEGER PRIMARY KEY)")

        def write() -> None:
            with db.write():
                pass

        with pytest.raises(Unavailable):
            thread.submit(write).result(TIMEOUT)
    with db.write() as tx:
        assert tx.has_table("pebbles")
    db.close()
