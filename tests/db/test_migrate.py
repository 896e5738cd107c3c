"""Migrations run once each, under a lock, and each as a whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from kalends.db import Database, Transaction
from kalends.db.migrate import FOLDER, TooNew, is_current, latest, migrate
from kalends.db.postgres.database import Postgres

PEBBLES = "CREATE TABLE pebbles (id $id, wet $flag NOT NULL, weight $int, picture $bytes $end;"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one migration."""
    migrations = tmp_path / "migrations"
    migrations.mkdir()
    (migrations / "0001_pebbles.sql").write_text(PEBBLES)
    (migrations / "README.md").write_text("What is no .sql is passed over.")
    return migrations


def _ledger(tx: Transaction) -> list[str]:
    return [name for (name,) in tx.rows("SELECT name FROM migrations ORDER BY number")]


def test_all_migrations_run_on_an_empty_database(fresh: Database) -> None:
    with fresh.read() as tx:
        assert not is_current(tx)
    assert migrate(fresh) == sorted(file.name.removesuffix(".sql") for file in FOLDER.iterdir() if file.name.endswith(".sql"))
    with fresh.read() as tx:
        assert is_current(tx)
        assert tx.has_table("users")


def test_migrating_again_runs_nothing(fresh: Database, folder: Path) -> None:
    assert migrate(fresh, folder) == ["0001_pebbles"]
    assert migrate(fresh, folder) == []
    (folder / "0002_shells.sql").write_text("CREATE TABLE shells (id $id, name TEXT $end;\nINSERT INTO shells (name) VALUES ('round');")
    assert migrate(fresh, folder) == ["0002_shells"]
    with fresh.read() as tx:
        assert tx.rows("SELECT id, name FROM shells") == [(1, "round")]
        assert _ledger(tx) == ["0001_pebbles", "0002_shells"]


def test_a_failed_migration_is_rolled_back(fresh: Database, folder: Path) -> None:
    shells = folder / "0002_shells.sql"
    shells.write_text("CREATE TABLE shells (id $id $end;\nINSERT INTO pebbles (wet) VALUES (NULL);")
    for _ in range(2):
        with pytest.raises(Exception, match="wet"):
            migrate(fresh, folder)
        with fresh.read() as tx:
            assert (tx.has_table("pebbles"), tx.has_table("shells"), _ledger(tx)) == (True, False, ["0001_pebbles"])
    shells.write_text("CREATE TABLE shells (id $id $end;")
    assert migrate(fresh, folder) == ["0002_shells"]


def test_processes_that_start_together_migrate_once(fresh: Database, folder: Path) -> None:
    start = Barrier(4)

    def begin() -> list[str]:
        start.wait(10)
        return migrate(fresh, folder)

    with ThreadPoolExecutor(4) as threads:
        ran = [done.result(30) for done in [threads.submit(begin) for _ in range(4)]]
    assert sorted(ran) == [[], [], [], ["0001_pebbles"]]


def test_a_database_of_a_newer_version_is_not_changed(fresh: Database, folder: Path) -> None:
    with fresh.write() as tx:
        tx.script("CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)")
        tx.script("INSERT INTO migrations VALUES (9, '0009_from_the_future', 0)")
    assert latest(folder) == 1
    with pytest.raises(TooNew, match="newer Kalends"):
        migrate(fresh, folder)
    with fresh.read() as tx:
        assert not tx.has_table("pebbles")


def test_a_migration_may_take_longer_than_a_request(fresh_url: str, folder: Path) -> None:
    (folder / "0002_slow.sql").write_text("SELECT pg_sleep(0.5);")
    db = Postgres(fresh_url, statement_ms=200)
    assert migrate(db, folder) == ["0001_pebbles", "0002_slow"]
    db.close()
