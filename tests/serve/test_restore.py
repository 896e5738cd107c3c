"""`kalends restore`: a backup of either database into either database, all of it or nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.migrated import put_sqlite
from tests.serve.conftest import Start
from tests.serve.places import MANY, Place, content
from tests.serve.running import TIMEOUT, Running, bearer, environment, eventually

BASE = "http://kalends.test"
# Restores by force, and is killed after this many rows.
KILLED = """
import os, signal, sys
from pathlib import Path
from kalends.core import settings
from kalends.db.backup.restore import restore
from kalends.db import open_database

def step(words, rows):
    written = [0]
    def advance(more):
        written[0] += more
        if words == "Restoring" and written[0] >= int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
    return advance

restore(open_database(settings.load()), Path(sys.argv[1]), step, force=True)
"""
EVENT = {"title": "Trio in the harbour", "start_time": "2027-06-01", "public": True}


to_postgres = pytest.mark.parametrize(
    ("database", "another_database"),
    [("sqlite", "to_postgres"), pytest.param("postgres", "to_postgres", marks=pytest.mark.soak)],
    indirect=True,
)


@pytest.fixture
def place(tmp_path: Path, database: str) -> Place:
    return Place(tmp_path, database)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of another installation, with many rows in it."""
    source = Place(tmp_path_factory.mktemp("source"), "")
    put_sqlite(source.data)
    source.fill()
    source.done("backup", str(source.folder / "monday.backup"))
    return source.folder / "monday.backup"


@to_postgres
def test_a_restored_database_equals_the_backup(place: Place, another_database: str) -> None:
    """Into another database, and from there into a third one, of SQLite."""
    place.done("demo")
    place.done("backup", str(place.folder / "one"))
    other, third = Place(place.folder / "other", another_database), Place(place.folder / "third", "")
    output = other.done("restore", str(place.folder / "one"))
    other.done("backup", str(place.folder / "two"))
    third.done("restore", str(place.folder / "two"))
    third.done("backup", str(place.folder / "three"))
    one, *copies = (content(place.folder / name) for name in ("one", "two", "three"))
    for copy in copies:
        assert one[1] == copy[1]
        assert one[0].tables == copy[0].tables
    assert output.startswith(f"Restored {one[0].rows:,} rows of {len(one[0].tables)} tables, as they were at {one[0].taken_at}.\n")


@to_postgres
def test_a_restored_service_continues_where_the_other_stopped(start: Start, place: Place, another_database: str) -> None:
    service = start(database=place.database, base_url=BASE)
    headers = bearer(service.sign_up("ana"))
    remaining, deleted = (service.post("/api/events", EVENT, headers=headers).json["id"] for _ in range(2))
    assert service.request("DELETE", f"/api/events/{deleted}", headers=headers).status in (200, 204)
    was = _visible_state(service, headers, remaining)
    place.done("backup", str(place.folder / "file"))
    service.stop()

    other = Place(place.folder / "other", another_database)
    assert f"Put the secret of that server into {other.data / 'secret'} before you start" in other.done(
        "restore", str(place.folder / "file")
    )
    other.data.mkdir(parents=True, exist_ok=True)
    (other.data / "secret").write_bytes((place.data / "secret").read_bytes())
    assert "secret" not in other.done("restore", str(place.folder / "file"), "--force")
    restored = start(data=other.data, database=other.database, base_url=BASE)
    assert _visible_state(restored, headers, remaining) == was
    reply = restored.post("/api/events", EVENT, headers=headers)
    assert reply.json["id"] > deleted, "the id of a deleted event was reused"
    # The triggers that mark a feed as changed work again.
    assert _visible_state(restored, headers, remaining)[2] != was[2]


def _visible_state(service: Running, headers: dict[str, str], event_id: int) -> tuple[object, object, str]:
    """The event, what a search finds, and the state of the calendar's feed under its secret URL."""
    event = service.get(f"/api/events/{event_id}", headers=headers)
    matches = service.get("/api/events?text=harbour", headers=headers)
    (calendar,) = service.get("/api/calendars", headers=headers).json["calendars"]
    url = service.get(f"/api/calendars/{calendar['id']}", headers=headers).json["feed_url"]
    feed = service.get(url.removeprefix(BASE))
    assert (event.status, matches.status, feed.status) == (200, 200, 200), feed
    return event.json, matches.json, f"{url} {feed.headers['ETag']}"


@pytest.mark.on_one_database
def test_existing_data_is_replaced_only_with_force(place: Place, file: Path) -> None:
    place.done("users", "create", "bea", "bea@example.org", "--password", "correct-horse")
    assert "The database is not empty." in place.refused("restore", str(file))
    assert place.rows("SELECT user_name FROM users") == [("bea",)]
    place.done("restore", str(file), "--force")
    assert place.rows("SELECT user_name FROM users") == [("ana",)]
    assert place.rows("SELECT count(*) FROM subscribers") == [(MANY,)]


def test_nothing_is_restored_under_a_running_service(start: Start, place: Place, file: Path) -> None:
    service = start(database=place.database)
    service.sign_up("bea")
    for options in ([], ["--force"]):
        assert "Stop the service first." in place.refused("restore", str(file), *options)
    assert service.sign_in("bea").status == 201
    service.stop()
    place.done("restore", str(file), "--force")


def test_an_incomplete_backup_is_reported_in_one_line(place: Place, file: Path) -> None:
    place.done("users", "create", "bea", "bea@example.org", "--password", "correct-horse")
    whole = file.read_bytes()
    wrong = {
        whole[: len(whole) // 2]: "is cut off",
        whole[:-1]: "is cut off",
        whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]: "is damaged",
        b"": "is not a backup",
        b"SQLite format 3\0": "is not a backup",
    }
    for number, (held, words) in enumerate(wrong.items()):
        broken = file.with_name(f"broken{number}")
        broken.write_bytes(held)
        assert words in place.refused("restore", str(broken), "--force")
    assert "does not exist" in place.refused("restore", "nowhere")
    assert place.rows("SELECT user_name FROM users") == [("bea",)]


@pytest.mark.on_one_database
@pytest.mark.parametrize("rows", [MANY // 2, *(pytest.param(rows, marks=pytest.mark.soak) for rows in (1, MANY + 1))])
def test_a_restore_that_is_killed_changes_nothing(place: Place, file: Path, rows: int) -> None:
    place.done("users", "create", "bea", "bea@example.org", "--password", "correct-horse")
    settings = environment(data=place.data, database=place.database)
    killed = subprocess.run([sys.executable, "-P", "-c", KILLED, str(file), str(rows)], env=settings, timeout=TIMEOUT)
    assert killed.returncode == -signal.SIGKILL
    assert eventually(lambda: place.rows("SELECT user_name FROM users")) == [("bea",)]
    place.done("restore", str(file), "--force")
    assert place.rows("SELECT count(*) FROM subscribers") == [(MANY,)]


@pytest.mark.soak
def test_a_restore_onto_a_full_disk_changes_nothing(file: Path, tmp_path: Path) -> None:
    place = Place(tmp_path, "")
    place.done("users", "create", "bea", "bea@example.org", "--password", "correct-horse")
    full = place.within(500_000, "restore", str(file), "--force")
    assert (full.returncode, full.stdout, full.stderr.count("\n")) == (1, "", 1), full
    assert "the database cannot be used" in full.stderr
    assert place.rows("SELECT user_name FROM users") == [("bea",)]
    place.done("restore", str(file), "--force")
