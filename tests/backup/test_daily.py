"""The daily backup of the worker: one a day, by one worker, verified, and some of them kept."""

import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kalends.core.settings import Settings, WrongSetting, load
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.db.backup.daily import DAY, HOUR, DailyBackup, find_failure
from kalends.db.backup.file import Reader
from kalends.features.admin.steps import checks
from kalends.http.context import Context
from tests.cast import Cast, an_event

RUNNING = threading.Event()
# Midnight of a day, so that hours later are the same day.
TODAY = timestamps.now() // DAY * DAY


@pytest.fixture
def daily(db: Database, settings: Settings, tmp_path: Path) -> DailyBackup:
    with db.write() as tx:
        tx.run("DELETE FROM daily_backups")
    return DailyBackup(db, structs.replace(settings, data=str(tmp_path), backup="daily:2"))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "backups").iterdir())


def failure(db: Database) -> tuple[int, str] | None:
    with db.read() as tx:
        return find_failure(tx)


def advice(db: Database, settings: Settings, now: int) -> tuple[str, str]:
    """What `kalends doctor` and the health page say of backups."""
    ctx = Context(db, structs.replace(settings, backup="daily:2"), now)
    with ctx.read():
        backup: Any = checks.check_records(ctx)[0]
    return backup.state, str(backup.advice or "")


def test_one_worker_takes_a_verified_backup_each_day_and_the_newest_are_kept(
    cast: Cast, db: Database, settings: Settings, daily: DailyBackup, tmp_path: Path
) -> None:
    event = an_event(cast.alice, title="In the backup")
    other = DailyBackup(db, structs.replace(settings, data=str(tmp_path), backup="daily:2"))
    taken = [each.take_if_due(TODAY + HOUR, RUNNING) for each in (daily, other, daily)]
    assert [path is not None for path in taken] == [True, False, False]
    (tmp_path / "backups" / "by-hand.backup").touch()
    for day in (1, 2):
        assert other.take_if_due(TODAY + day * DAY, RUNNING)
    days = [path for path in names(tmp_path) if path != "by-hand.backup"]
    assert len(days) == 2
    assert "by-hand.backup" in names(tmp_path)
    with (tmp_path / "backups" / days[-1]).open("rb") as file:
        tables = {table.name: rows for table, rows in Reader(file, "the backup").batches()}
    assert event["id"] and "events" in tables  # noqa: PT018
    assert advice(db, settings, timestamps.now())[0] == "ok"
    assert advice(db, settings, timestamps.now() + 3 * DAY)[0] == "wrong"


@pytest.mark.on_one_database
def test_a_failure_is_shown_and_tried_again_after_an_hour(db: Database, settings: Settings, daily: DailyBackup, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    blocked = tmp_path / "backups" / f"kalends-{timestamps.format_utc(TODAY)[:10]}.backup"
    # A folder cannot be replaced by a file.
    (blocked / "inside").mkdir(parents=True)
    later = timestamps.now() + DAY
    assert daily.take_if_due(TODAY, RUNNING) is None
    failed = failure(db)
    assert failed and failed[0] == TODAY  # noqa: PT018
    with db.write() as tx:
        tx.run("UPDATE daily_backups SET failed_at = :later", later=later)
    state, text = advice(db, settings, later)
    assert (state, text.startswith("The daily backup failed: ")) == ("wrong", True)
    with db.write() as tx:
        tx.run("UPDATE daily_backups SET failed_at = :failed_at", failed_at=TODAY)
    (blocked / "inside").rmdir()
    blocked.rmdir()
    assert daily.take_if_due(TODAY + HOUR - 1, RUNNING) is None
    assert daily.take_if_due(TODAY + HOUR, RUNNING) == blocked
    assert failure(db) is None


@pytest.mark.on_one_database
def test_a_worker_that_stops_gives_the_backup_up_and_leaves_no_file(daily: DailyBackup, cast: Cast, tmp_path: Path) -> None:
    an_event(cast.alice)
    stopping = threading.Event()
    stopping.set()
    assert daily.take_if_due(TODAY, stopping) is None
    assert names(tmp_path) == []
    assert daily.take_if_due(TODAY + 1, RUNNING) is not None


@pytest.mark.on_one_database
def test_without_the_setting_there_is_no_backup(db: Database, settings: Settings, tmp_path: Path) -> None:
    DailyBackup(db, structs.replace(settings, data=str(tmp_path))).run(RUNNING)
    assert not (tmp_path / "backups").exists()


@pytest.mark.on_one_database
@pytest.mark.parametrize("value", ["daily", "daily:0", "weekly:7", "daily:1000", "7"])
def test_a_wrong_setting_is_refused(value: str, tmp_path: Path) -> None:
    with pytest.raises(WrongSetting, match="KALENDS_BACKUP"):
        load({"data": str(tmp_path), "backup": value})
