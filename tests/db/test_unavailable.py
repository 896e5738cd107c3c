"""A database that is away or full: 503 with Retry-After, nothing half-written, and well again by itself."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from kalends.db import Database
from kalends.db.migrate import migrate
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from kalends.errors import Unavailable
from tests.cast import Cast, a_calendar
from tests.client import Answer, Client
from tests.db.conftest import Server


@pytest.fixture
def restartable(server: Server) -> Iterator[Postgres]:
    server.start()
    db = Postgres(server.url)
    migrate(db)
    yield db
    db.close()


def _asks_for_patience(answer: Answer) -> bool:
    return answer.status == 503 and int(answer.headers["Retry-After"]) > 0


def test_a_restarted_server_fails_no_request(server: Server, restartable: Postgres, guest_on: Callable[[Database], Client]) -> None:
    alice = Cast(guest_on(restartable)).alice
    with restartable.read(), restartable.read(), restartable.read():
        """Three connections wait from now on."""
    server.stop()
    server.start()
    assert alice.get("/api/calendars").status == 200
    server.stop()
    server.start()
    assert alice.post("/api/calendars", json={"name": "Jazz"}).status == 201


def test_a_server_that_is_away_is_503_until_it_is_back(
    server: Server, restartable: Postgres, guest_on: Callable[[Database], Client]
) -> None:
    alice = Cast(guest_on(restartable)).alice
    server.stop()
    assert _asks_for_patience(alice.get("/api/calendars"))
    assert _asks_for_patience(alice.post("/api/calendars", json={"name": "Jazz"}))
    assert _asks_for_patience(alice.get("/readyz"))
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
        """Write until the server is back and has taken five more, or until it is hopeless."""
        answers: list[tuple[str, int]] = []
        while [status for _, status in answers[-5:]] != [201] * 5 or not restarted.is_set():
            assert len(answers) < 20_000
            name = f"{worker}-{len(answers)}"
            answers.append((name, alice.post("/api/calendars", json={"name": name}).status))
        return answers

    with ThreadPoolExecutor(4) as threads:
        writers = [threads.submit(write, worker) for worker in range(4)]
        server.stop()
        server.start()
        restarted.set()
        answers = [answer for writer in writers for answer in writer.result(60)]
    assert {status for _, status in answers} <= {201, 503}
    with restartable.read() as tx:
        kept = {name for (name,) in tx.rows("SELECT name FROM calendars")}
    assert {name for name, status in answers if status == 201} <= kept


def test_what_a_server_had_not_committed_is_gone(server: Server, restartable: Postgres) -> None:
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


def test_a_folder_that_is_away_is_503_until_it_is_back(tmp_path: Path, guest_on: Callable[[Database], Client]) -> None:
    folder = tmp_path / "disk"
    guest = guest_on(Sqlite(folder / "kalends.sqlite3"))
    assert _asks_for_patience(guest.get("/readyz"))
    assert _asks_for_patience(guest.post("/api/session", json={"user_name": "alice", "password": "password"}))
    folder.mkdir()
    migrate(Sqlite(folder / "kalends.sqlite3"))
    assert guest.get("/readyz").status == 200
    assert Cast(guest).alice.get("/api/calendars").status == 200


def test_a_file_that_cannot_be_opened_is_503(tmp_path: Path, guest_on: Callable[[Database], Client]) -> None:
    path = tmp_path / "kalends.sqlite3"
    path.mkdir()
    guest = guest_on(Sqlite(path))
    assert _asks_for_patience(guest.get("/readyz"))
    shutil.rmtree(path)
    migrate(Sqlite(path))
    assert guest.get("/readyz").status == 200


def test_a_full_disk_may_be_read_and_takes_writes_again_when_there_is_room(sqlite: Sqlite, guest_on: Callable[[Database], Client]) -> None:
    migrate(sqlite)
    alice = Cast(guest_on(sqlite)).alice
    jazz = a_calendar(alice, name="Jazz")
    with sqlite.write() as tx:
        tx.rows("PRAGMA max_page_count = 1")  # No more pages than there are.
    full = next(
        answer
        for number in range(100)
        if (answer := alice.post("/api/calendars", json={"name": f"{number}", "description": "x" * 20_000})).status != 201
    )
    assert _asks_for_patience(full)
    listed = alice.get("/api/calendars").json["calendars"]
    assert [calendar["name"] for calendar in listed[:2]] == ["Alice", "Jazz"]
    assert alice.get(f"/api/calendars/{jazz['id']}").status == 200
    with sqlite.write() as tx:
        tx.rows("PRAGMA max_page_count = 1000000")
        assert tx.rows("PRAGMA integrity_check") == [("ok",)]
    assert alice.post("/api/calendars", json={"name": "Rock", "description": "x" * 20_000}).status == 201
    assert len(alice.get("/api/calendars").json["calendars"]) == len(listed) + 1
