"""`kalends backup`: every write that was committed before it began, in one file that appears once a trial restore has succeeded."""

import base64
import gzip
import json
import os
import pty
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.cast import PASSWORD
from tests.serve.conftest import Start, to_another_kind
from tests.serve.places import MANY, Place, content
from tests.serve.running import TIMEOUT, Running, ask, bearer, command, environment, eventually

WRITERS = 4


@pytest.fixture
def place(tmp_path: Path, database: str) -> Place:
    return Place(tmp_path, database)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The path of the backup, in a folder of its own, so that other files written there are noticed."""
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "monday.backup"


@to_another_kind
def test_a_backup_holds_every_write_that_was_acknowledged_before_it_began(
    start: Start, place: Place, another_database: str, file: Path, soak: bool
) -> None:
    service = start(database=place.database, rate_limits="off")
    acknowledged, backups = _backups_under_load(service, place, file, 3 if soak else 1)
    target = Place(place.folder / "elsewhere", another_database)
    for number, before in backups.items():
        target.done("restore", f"{file}{number}", "--force")
        held = {title for (title,) in target.rows("SELECT title FROM events")}
        assert before <= held <= acknowledged
        # Rows of one transaction are there together.
        assert target.rows("SELECT count(*) FROM events e WHERE NOT EXISTS (SELECT 1 FROM placements p WHERE p.event_id = e.id)") == [(0,)]


def _backups_under_load(service: Running, place: Place, file: Path, count: int) -> tuple[set[str], dict[int, set[str]]]:
    """The titles that were acknowledged, and those of them that were before each backup began."""
    headers, acknowledged, enough, backups = bearer(service.sign_up("ana")), set[str](), Event(), {}
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(_write, service, headers, str(writer), acknowledged, enough) for writer in range(WRITERS)]
        try:
            for number in range(count):
                eventually(partial(_are_more, acknowledged, 100 * (number + 1)))
                backups[number] = set(acknowledged)
                place.done("backup", f"{file}{number}")
                # No writer had to wait for it.
                assert len(acknowledged) > len(backups[number])
        finally:
            enough.set()
        for writer in writers:
            writer.result(TIMEOUT)
    return acknowledged, backups


def _are_more(titles: set[str], than: int) -> bool:
    return len(titles) > than


def _write(service: Running, headers: dict[str, str], name: str, acknowledged: set[str], enough: Event) -> None:
    connection = service.connection()
    for number in range(100_000):
        if enough.is_set():
            break
        fields = {"title": f"{name}.{number}", "start_time": "2027-06-01", "tags": "jazz"}
        assert ask(connection, "POST", "/api/events", fields, headers).status == 201
        acknowledged.add(fields["title"])
    connection.close()


@pytest.mark.on_one_database
def test_a_backup_says_what_it_did_and_is_readable_to_its_owner_alone(place: Place, file: Path) -> None:
    place.fill()
    output = place.done("backup", str(file)).splitlines()
    header, rows = content(file)
    what = f"{header.rows:,} rows of {len(header.tables)} tables"
    assert output == [
        f"Backed up {what} into {file} ({file.stat().st_size:,} bytes), and restored it on trial.",
        f"The server's secret is not in it: keep a copy of {place.data / 'secret'} apart.",
    ]
    assert len(rows["subscribers"]) == MANY
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]
    assert (place.data / "secret").read_bytes() not in gzip.decompress(file.read_bytes())


@pytest.mark.on_one_database
def test_no_secret_is_in_the_database_nor_in_a_backup(start: Start, place: Place, file: Path) -> None:
    """Credentials are not in the replies that are stored under an Idempotency-Key either."""
    service = start(database=place.database)
    token = service.sign_up("ana")
    requests = {
        "/api/session": {"user_name": "ana", "password": PASSWORD},
        "/api/keys": {"name": "a program"},
    }
    calendar = service.post("/api/calendars", {"name": "Mine", "public": False}, headers=bearer(token)).json
    session, key = (
        service.post(path, fields, headers=bearer(token) | {"Idempotency-Key": f"retry-of-{path}"}).json
        for path, fields in requests.items()
    )
    feed_key = calendar["feed_url"].partition("key=")[2]
    secrets = [PASSWORD, token, session["token"], key["wkey"], key["shared_secret"], feed_key, *(f"retry-of-{path}" for path in requests)]
    assert all(len(secret) > 10 for secret in secrets)
    place.done("backup", str(file))
    _, rows = content(file)
    assert len(rows["idempotent_responses"]) == 2
    held = [str(value) for lines in rows.values() for line in lines for value in json.loads(line)]
    held += [_bytes(value).decode("latin-1") for value in held]
    assert [(secret, value) for secret in secrets for value in held if secret in value] == []


def _bytes(value: str) -> bytes:
    """The bytes of a Base64 value in a backup, or none."""
    try:
        return base64.b64decode(value, validate=True)
    except ValueError:
        return b""


@pytest.mark.on_one_database
def test_a_backup_file_is_replaced_only_with_force(place: Place, file: Path) -> None:
    file.write_text("precious")
    assert "is there already" in place.refused("backup", str(file))
    assert file.read_text() == "precious"
    place.done("backup", str(file), "--force")
    assert content(file)[0].rows == 0


def test_a_failed_backup_is_reported_in_one_line(tmp_path: Path, empty_database: str, file: Path) -> None:
    place = Place(tmp_path, empty_database)
    nowhere = file.parent / "nowhere" / "file"
    if not place.database:
        assert f"There is no database in {place.data}." in place.refused("backup", str(file))
        assert not place.data.exists()
    else:
        assert "the database has no tables yet" in place.refused("backup", str(file))
    place.done("migrate")
    assert f"{nowhere} cannot be written: No such file or directory." in place.refused("backup", str(nowhere))
    assert "is a directory" in place.refused("backup", str(file.parent))
    assert list(file.parent.iterdir()) == []


@pytest.mark.on_one_database
@pytest.mark.parametrize("most", [50_000, pytest.param(500_000, marks=pytest.mark.soak)])
def test_a_full_disk_leaves_the_last_backup_as_it_was(place: Place, file: Path, most: int) -> None:
    """The disk may be full during the backup, or during its trial restore."""
    place.fill()
    file.write_text("the last one")
    ended = place.within(most, "backup", str(file), "--force")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1), ended
    assert "cannot be written: File too large." in ended.stderr or "could not be tested" in ended.stderr
    assert [other.read_text() for other in file.parent.iterdir()] == ["the last one"]
    place.done("backup", str(file), "--force")
    assert len(content(file)[1]["subscribers"]) == MANY


@pytest.mark.on_one_database
@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
def test_a_backup_that_is_stopped_leaves_the_last_one_as_it_was(place: Place, file: Path, number: signal.Signals) -> None:
    place.fill()
    file.write_text("the last one")
    stopped = place.begun("backup", str(file), "--force")
    eventually(lambda: list(file.parent.glob(f".{file.name}.*/{file.name}")))
    stopped.send_signal(number)
    _, complaints = stopped.communicate(timeout=TIMEOUT)
    assert file.read_text() == "the last one"
    if number == signal.SIGTERM:
        assert (stopped.returncode, complaints.strip()) == (1, b"kalends: Stopped.")
        assert list(file.parent.iterdir()) == [file]
    else:
        assert stopped.returncode == -signal.SIGKILL
    place.done("backup", str(file), "--force")
    assert len(content(file)[1]["subscribers"]) == MANY


@pytest.mark.soak
@pytest.mark.on_one_database
def test_a_backup_shows_progress_on_a_terminal(place: Place, file: Path) -> None:
    place.fill()
    output = _watched(place, "backup", str(file))
    for words in (b"Reading", b"Checking on trial", b"Restoring on trial", b"100%", b"Backed up"):
        assert words in output


def _watched(place: Place, *arguments: str) -> bytes:
    """The output of a command on a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        settings: dict[str, Any] = {"data": place.data, "database": place.database}
        words = command(*arguments)
        os.execve(words[0], words, environment(**settings) | {"TERM": "xterm", "COLUMNS": "120"})  # noqa: S606
    output = b""
    while piece := _read(terminal):
        output += piece
    os.waitpid(pid, 0)
    return output


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 10_000)
    except OSError:
        return b""
