"""The start: quick, safe beside another one, and careful with a database that is not its own."""

import resource
import sqlite3
from pathlib import Path

import psycopg
import pytest

from kalends.db.migrate import KALENDS
from tests.serve.conftest import Start
from tests.serve.running import Running, run

# Of processor time, with the background worker and the stop.
MAX_START_SECONDS = 5


def test_a_start_and_its_first_reply_take_little_work(start: Start) -> None:
    """A second or less on a machine with nothing else to do. Where there is, the time says nothing, and the processor time little."""
    service = start(work=True, ready=False, real=True, empty=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert service.get("/healthz").status == 200
    assert service.stop() == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MAX_START_SECONDS


def test_two_servers_that_start_at_once_on_an_empty_database_migrate_once_and_agree_on_the_secret(
    start: Start, empty_database: str
) -> None:
    """A key's shared secret follows from it, and either must know the other's keys."""
    both = [start(ready=False, empty=True, database=empty_database) for _ in range(2)]
    for service in both:
        service.ready()
    assert _migrations(both[0].folder, empty_database) == [KALENDS.schema_number, *(number for number, _, _ in KALENDS.later())]
    assert len(list((both[0].folder / "data").glob("secret*"))) == 1
    assert [service.stop() for service in both] == [0, 0]


def test_the_server_does_not_change_a_newer_database(tmp_path: Path, database: str) -> None:
    settings = {"folder": tmp_path, "data": tmp_path / "data", "database": database}
    _execute(tmp_path / "data", database, "INSERT INTO migrations (number, name, applied_at) VALUES (9999, 'from the future', 0)")
    refused = run("serve", **settings, port=0)  # type: ignore[arg-type]
    assert refused.returncode == 1
    assert refused.stderr == "kalends: The database was made by a newer Kalends. Install that version, or restore an older backup.\n"
    assert "newer Kalends" in run("doctor", **settings).stdout  # type: ignore[arg-type]


def test_a_server_that_may_not_migrate_refuses_an_older_database_in_one_line(tmp_path: Path, empty_database: str) -> None:
    for command in (["serve", "--port", "0"], ["work"]):
        refused = run(*command, "--no-migrate", folder=tmp_path, data=tmp_path / "data", database=empty_database)
        assert (refused.returncode, refused.stderr) == (1, "kalends: The database is not migrated. Run 'kalends migrate'.\n")


@pytest.mark.on_one_database
def test_a_server_that_does_not_migrate_serves_a_migrated_database(start: Start, database: str) -> None:
    assert start("--no-migrate", work=True, database=database).worker


def test_a_free_port_is_selected_and_logged(plain: Running) -> None:
    (announced,) = [line for line in plain.log if line["event"] == "serving"]
    assert announced["url"] == f"http://127.0.0.1:{plain.port}"
    assert plain.port != 0


def test_the_start_logs_which_messages_are_not_sent(plain: Running, start: Start) -> None:
    sms = "twilio://sid:canary@127.0.0.1:1?from=+1"
    assert plain.log[0]["note"].endswith("outbox and not sent: e-mail, SMS. To send, set KALENDS_EMAIL and KALENDS_SMS.")
    assert start(sms=sms).log[0]["note"].endswith("outbox and not sent: e-mail. To send, set KALENDS_EMAIL.")
    assert start(sms=sms, email="smtp://127.0.0.1:1").log[0]["note"] == ""


def test_links_lead_to_an_ipv6_address_too(start: Start) -> None:
    service = start(host="::1", ready=False)
    assert f"http://[::1]:{service.port}" in service.lines[0]


def _migrations(folder: Path, database: str) -> list[int]:
    return sorted(number for (number,) in _execute(folder / "data", database, "SELECT number FROM migrations"))


def _execute(folder: Path, database: str, sql: str) -> list[tuple[int]]:
    if not database:
        with sqlite3.connect(folder / "kalends.sqlite3") as connection:
            return connection.execute(sql).fetchall()
    with psycopg.connect(database, autocommit=True) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def test_nobody_else_can_read_the_files_whatever_the_folder_allows(start: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "kalends.sqlite3").touch(mode=0o644)
    service = start(metrics_token="figures-please")
    service.sign_up("alice")
    modes = {path.name: path.stat().st_mode & 0o777 for path in data.iterdir()}
    assert {name: mode for name, mode in modes.items() if name.startswith("kalends.sqlite3")} == {
        "kalends.sqlite3": 0o600,
        "kalends.sqlite3-shm": 0o600,
        "kalends.sqlite3-wal": 0o600,
    }
    assert modes["metrics"] == 0o700
