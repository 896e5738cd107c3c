"""A database that is unavailable or full: 503 with Retry-After, no half-written record, and recovery without a restart."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from kalends.core.errors import Unavailable
from kalends.db import Database
from kalends.db.migrate import migrate
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests.cast import Cast, a_calendar
from tests.client import Client, Reply
from tests.db.conftest import Server
from tests.migrated import write_sqlite


@pytest.fixture
def restartable(server: Server) -> Iterator[Postgres]:
    server.start()
    db = Postgres(server.url)
    migrate(db)
    yield db
    db.close()


def _is_unavailable(reply: Reply) -> bool:
    return reply.status == 503 and int(reply.headers["Retry-After"]) > 0


def test_a_restart_of_the_server_fails_no_request(server: Server, restartable: Postgres, guest_on: Callable[[Database], Client]) -> None:
    alice = Cast(guest_on(restartable)).alice
    with restartable.read(), restartable.read(), restartable.read():
        """Three connections wait from now on."""
    server.stop()
    server.start()
    assert alice.get("/api/calendars").status == 200
    server.stop()
    server.start()
    assert alice.post("/api/calendars", json={"name": "Jazz"}).status == 201


def test_a_stopped_server_is_503_until_it_is_back(server: Server, restartable: Postgres, guest_on: Callable[[Database], Client]) -> None:
    alice = Cast(guest_on(restartable)).alice
    server.stop()
    assert _is_unavailable(alice.get("/api/calendars"))
    assert _is_unavailable(alice.post("/api/calendars", json={"name": "Jazz"}))
    assert _is_unavailable(alice.get("/readyz"))
    assert alice.get("/healthz").status == 200
    server.start()
    assert alice.get("/readyz").status == 200
    assert [calendar["name"] for calendar in alice.get("/api/calendars").json["calendars"]] == ["Alice"]


def test_a_restart_under_load_loses_no_acknowledged_write(
    server: Server, restartable: Postgres, guest_on: Callable[[Database], Client]
) -> None:
    alice = Cast(guest_on(restartable)).alice
    restarted = Event()

    def write(worker: int) -> list[tuple[str, int]]:
        """Write until the server is back and has accepted five more writes; fail after 20,000 attempts. An account may have as many
        contacts, and not as many calendars: a server that stops slowly accepts hundreds of writes before."""
        statuses: list[tuple[str, int]] = []
        while [status for _, status in statuses[-5:]] != [201] * 5 or not restarted.is_set():
            assert len(statuses) < 20_000
            name = f"{worker}-{len(statuses)}"
            statuses.append((name, alice.post("/api/contacts", json={"first_name": name}).status))
        return statuses

    with ThreadPoolExecutor(4) as threads:
        writers = [threads.submit(write, worker) for worker in range(4)]
        server.stop()
        server.start()
        restarted.set()
        statuses = [pair for writer in writers for pair in writer.result(60)]
    assert {status for _, status in statuses} <= {201, 503}
    with restartable.read() as tx:
        stored = {name for (name,) in tx.rows("SELECT first_name FROM contacts")}
    assert {name for name, status in statuses if status == 201} <= stored


def test_a_transaction_that_the_server_did_not_commit_is_lost(server: Server, restartable: Postgres) -> None:
    with restartable.write() as tx:
        tx.script("CREATE TABLE IF NOT EXISTS pebbles (id BIGINT PRIMARY KEY)")

    def write_while_it_stops() -> None:
        with restartable.write() as tx:
            tx.run("INSERT INTO pebbles VALUES (1)")
            server.stop()

    with pytest.raises(Unavailable):
        write_while_it_stops()
    server.start()
    with restartable.read() as tx:
        assert tx.value("SELECT count(*) FROM pebbles") == 0


def test_a_missing_folder_is_503_until_it_is_back(tmp_path: Path, guest_on: Callable[[Database], Client]) -> None:
    folder = tmp_path / "disk"
    guest = guest_on(Sqlite(folder / "kalends.sqlite3"))
    assert _is_unavailable(guest.get("/readyz"))
    assert _is_unavailable(guest.post("/api/session", json={"user_name": "alice", "password": "password"}))
    folder.mkdir()
    write_sqlite(folder / "kalends.sqlite3")
    assert guest.get("/readyz").status == 200
    assert Cast(guest).alice.get("/api/calendars").status == 200


def test_a_file_that_cannot_be_opened_is_503(tmp_path: Path, guest_on: Callable[[Database], Client]) -> None:
    path = tmp_path / "kalends.sqlite3"
    path.mkdir()
    guest = guest_on(Sqlite(path))
    assert _is_unavailable(guest.get("/readyz"))
    shutil.rmtree(path)
    write_sqlite(path)
    assert guest.get("/readyz").status == 200


def test_a_full_disk_can_be_read_and_accepts_writes_when_space_is_freed(
    sqlite_with_tables: Sqlite, guest_on: Callable[[Database], Client]
) -> None:
    sqlite = sqlite_with_tables
    alice = Cast(guest_on(sqlite)).alice
    jazz = a_calendar(alice, name="Jazz")
    with sqlite.write() as tx:
        tx.rows("PRAGMA max_page_count = 1")  # No more pages than there are.
    full = next(
        reply
        for number in range(100)
        if (reply := alice.post("/api/calendars", json={"name": f"{number}", "description": "x" * 20_000})).status != 201
    )
    assert _is_unavailable(full)
    listed = alice.get("/api/calendars").json["calendars"]
    assert [calendar["name"] for calendar in listed[:2]] == ["Alice", "Jazz"]
    assert alice.get(f"/api/calendars/{jazz['id']}").status == 200
    with sqlite.write() as tx:
        tx.rows("PRAGMA max_page_count = 1000000")
        assert tx.rows("PRAGMA integrity_check") == [("ok",)]
    assert alice.post("/api/calendars", json={"name": "Rock", "description": "x" * 20_000}).status == 201
    assert len(alice.get("/api/calendars").json["calendars"]) == len(listed) + 1
