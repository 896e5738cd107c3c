"""Migrations run once each, under a lock, and each as a whole or not at all."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from threading import Barrier

import pytest

from kalends.db import Database, Transaction, UniqueViolation
from kalends.db.migrate import KALENDS, Source, TooNew, find_mismatch, migrate
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests.serve.running import eventually

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


def test_an_empty_database_gets_the_schema_and_later_migrations(fresh: Database) -> None:
    with fresh.read() as tx:
        assert find_mismatch(tx) is not None
    later = [name for _, name, _ in KALENDS.later()]
    assert migrate(fresh) == ["schema", *later]
    with fresh.read() as tx:
        assert find_mismatch(tx) is None
        assert tx.has_table("users")
        assert len(_ledger(tx)) == 1 + len(later)
    assert migrate(fresh) == []


def test_a_schema_includes_the_migrations_up_to_its_number(fresh: Database, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "schema").mkdir()
    (tmp_path / "schema" / "1_stones.sql").write_text(PEBBLES + "CREATE TABLE shells (id $id $end;")
    (folder / "0002_shells.sql").write_text("CREATE TABLE shells (id $id $end;")
    (folder / "0003_sand.sql").write_text("CREATE TABLE sand (id $id $end;")
    source = Source(folder, tmp_path / "schema", schema_number=2)
    assert migrate(fresh, source) == ["schema", "0003_sand"]
    with fresh.read() as tx:
        assert _ledger(tx) == ["0002_shells", "0003_sand"]
        assert find_mismatch(tx, source) is None


def test_a_trigger_is_created_replaced_and_deferred(fresh: Database, folder: Path) -> None:
    trigger = """
        CREATE {replace}TRIGGER pebbles_after_insert AFTER INSERT ON pebbles{deferred}
        WHEN NEW.weight > 1
        BEGIN
            UPDATE pebbles SET weight = NEW.weight + {more} WHERE id = NEW.id;
            UPDATE pebbles SET weight = 2 * weight WHERE id = NEW.id;
        END;"""
    for number, replace, deferred, more in (
        (2, "", "", 1),
        (3, "OR REPLACE ", "", 2),
        (4, "", " DEFERRED", 3),
        (5, "OR REPLACE ", " DEFERRED", 4),
    ):
        drop = "DROP TRIGGER pebbles_after_insert$on_pebbles;\n" if number == 4 else ""
        sql = drop.replace("$on_pebbles", " ON pebbles" if isinstance(fresh, Postgres) else "")
        if number == 4 and isinstance(fresh, Postgres):
            sql += "DROP FUNCTION pebbles_after_insert();\n"
        sql += dedent(trigger).format(replace=replace, deferred=deferred, more=more)
        (folder / f"000{number}_trigger.sql").write_text(sql)
        migrate(fresh, Source(folder))
        with fresh.write() as tx:
            tx.run("DELETE FROM pebbles")
            tx.run("INSERT INTO pebbles (wet, weight) VALUES (:wet, 1), (:wet, 5)", wet=True)
        with fresh.read() as tx:
            assert tx.rows("SELECT weight FROM pebbles ORDER BY id") == [(1,), (2 * (5 + more),)]


def test_migrating_again_runs_nothing(fresh: Database, folder: Path) -> None:
    assert migrate(fresh, Source(folder)) == ["0001_pebbles"]
    assert migrate(fresh, Source(folder)) == []
    (folder / "0002_shells.sql").write_text("CREATE TABLE shells (id $id, name TEXT $end;\nINSERT INTO shells (name) VALUES ('round');")
    assert migrate(fresh, Source(folder)) == ["0002_shells"]
    with fresh.read() as tx:
        assert tx.rows("SELECT id, name FROM shells") == [(1, "round")]
        assert _ledger(tx) == ["0001_pebbles", "0002_shells"]


def test_a_failed_migration_is_rolled_back(fresh: Database, folder: Path) -> None:
    shells = folder / "0002_shells.sql"
    shells.write_text("CREATE TABLE shells (id $id $end;\nINSERT INTO pebbles (wet) VALUES (NULL);")
    for _ in range(2):
        with pytest.raises(Exception, match="wet"):
            migrate(fresh, Source(folder))
        with fresh.read() as tx:
            assert (tx.has_table("pebbles"), tx.has_table("shells"), _ledger(tx)) == (True, False, ["0001_pebbles"])
    shells.write_text("CREATE TABLE shells (id $id $end;")
    assert migrate(fresh, Source(folder)) == ["0002_shells"]


def test_processes_that_start_together_migrate_once(fresh: Database, folder: Path) -> None:
    start = Barrier(4)

    def begin() -> list[str]:
        start.wait(10)
        return migrate(fresh, Source(folder))

    with ThreadPoolExecutor(4) as threads:
        ran = [done.result(30) for done in [threads.submit(begin) for _ in range(4)]]
    assert sorted(ran) == [[], [], [], ["0001_pebbles"]]


def test_a_database_of_a_newer_version_is_not_changed(fresh: Database, folder: Path) -> None:
    with fresh.write() as tx:
        tx.script("CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)")
        tx.script("INSERT INTO migrations VALUES (9, '0009_from_the_future', 0)")
    assert Source(folder).latest() == 1
    with pytest.raises(TooNew, match="newer Kalends"):
        migrate(fresh, Source(folder))
    with fresh.read() as tx:
        assert not tx.has_table("pebbles")


def _as_if_from_a_newer_version(db: Database, folder: Path, sql: str) -> None:
    """Run a migration that the versions of the folder do not know."""
    later = folder / "0002_later.sql"
    later.write_text(sql)
    migrate(db, Source(folder))
    later.unlink()


def test_a_server_goes_on_after_a_migration_that_suits_its_version(fresh: Database, folder: Path) -> None:
    migrate(fresh, Source(folder))
    _as_if_from_a_newer_version(fresh, folder, "-- @needs 0001\nALTER TABLE pebbles ADD COLUMN colour TEXT;")
    with fresh.read() as tx:
        assert find_mismatch(tx, Source(folder)) is None
    assert migrate(fresh, Source(folder)) == []


def test_a_statement_for_one_database_runs_there_alone(fresh: Database, folder: Path) -> None:
    (folder / "0002_shells.sql").write_text("-- @only PostgreSQL\nCREATE TABLE shells (id BIGINT);\n\nCREATE TABLE stones (id $id $end;")
    migrate(fresh, Source(folder))
    with fresh.read() as tx:
        assert (tx.has_table("shells"), tx.has_table("stones")) == (isinstance(fresh, Postgres), True)


def test_a_directive_that_does_not_exist_is_refused(sqlite: Sqlite, folder: Path) -> None:
    for directive in ("@sync UPDATE ON pebbles: DELETE FROM pebbles", "@needs 12", "@only MySQL"):
        (folder / "0002_shells.sql").write_text(f"-- {directive}\nCREATE TABLE shells (id $id $end;")
        with pytest.raises(ValueError, match=directive):
            migrate(sqlite, Source(folder))


@pytest.mark.parametrize("needs", ["", "-- @needs 0002\n"])
def test_a_server_is_too_old_after_a_migration_that_needs_a_newer_version(fresh: Database, folder: Path, needs: str) -> None:
    migrate(fresh, Source(folder))
    _as_if_from_a_newer_version(fresh, folder, f"{needs}DROP TABLE pebbles;")
    with fresh.read() as tx:
        assert "newer Kalends" in str(find_mismatch(tx, Source(folder)))
    with pytest.raises(TooNew):
        migrate(fresh, Source(folder))


def test_indexes_are_built_and_dropped(fresh: Database, folder: Path) -> None:
    (folder / "0002_index.sql").write_text("-- @concurrently\nCREATE UNIQUE INDEX pebbles_weight ON pebbles (weight)\n  WHERE wet;\n")
    assert migrate(fresh, Source(folder)) == ["0001_pebbles", "0002_index"]
    with fresh.write() as tx:
        tx.run("INSERT INTO pebbles (wet, weight) VALUES (:wet, 1)", wet=True)
    with pytest.raises(UniqueViolation), fresh.write() as tx:
        tx.run("INSERT INTO pebbles (wet, weight) VALUES (:wet, 1)", wet=True)
    (folder / "0003_none.sql").write_text("-- @concurrently\n-- It is not needed.\nDROP INDEX pebbles_weight;")
    assert migrate(fresh, Source(folder)) == ["0003_none"]
    with fresh.write() as tx:
        assert tx.run("INSERT INTO pebbles (wet, weight) VALUES (:wet, 1)", wet=True) == 1


def test_others_write_while_servers_build_an_index_on_postgresql(postgres: Postgres, fresh_url: str, folder: Path) -> None:
    """It waits for the transactions that began before it, and a second server that starts waits for the first."""
    migrate(postgres, Source(folder))
    (folder / "0002_index.sql").write_text("-- @concurrently\nCREATE INDEX pebbles_weight ON pebbles (weight);")
    servers = [Postgres(fresh_url) for _ in range(2)]
    with ThreadPoolExecutor(2) as threads:
        with postgres.write() as before:
            before.run("INSERT INTO pebbles (wet) VALUES (true)")
            migrations = [threads.submit(migrate, server, Source(folder)) for server in servers]
            eventually(lambda: _is_building(postgres))
            with postgres.write() as tx:
                tx.run("INSERT INTO pebbles (wet) VALUES (true)")
            assert not any(migration.done() for migration in migrations)
        assert sorted(migration.result(30) for migration in migrations) == [[], ["0002_index"]]
    for server in servers:
        server.close()


def _is_building(db: Database) -> bool:
    with db.read() as tx:
        return bool(tx.rows("SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database()"))


def test_an_index_is_built_in_the_transaction_where_connections_are_pooled(fresh_url: str, folder: Path) -> None:
    (folder / "0002_index.sql").write_text("-- @concurrently\nCREATE INDEX pebbles_weight ON pebbles (weight);")
    db = Postgres(fresh_url, is_pooled=True)
    assert migrate(db, Source(folder)) == ["0001_pebbles", "0002_index"]
    with db.read() as tx:
        assert tx.rows("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('pebbles_weight')") == [(True,)]
    db.close()


def test_an_index_whose_building_was_interrupted_is_built_again(postgres: Postgres, folder: Path) -> None:
    migrate(postgres, Source(folder))
    with postgres.write() as tx:
        tx.run("INSERT INTO pebbles (wet, weight) VALUES (true, 1), (true, 1)")
    (folder / "0002_index.sql").write_text("-- @concurrently\nCREATE UNIQUE INDEX pebbles_weight ON pebbles (weight);")
    with pytest.raises(UniqueViolation):
        migrate(postgres, Source(folder))
    with postgres.write() as tx:
        tx.run("DELETE FROM pebbles")
    assert migrate(postgres, Source(folder)) == ["0002_index"]
    with postgres.read() as tx:
        assert tx.rows("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('pebbles_weight')") == [(True,)]


def test_a_migration_that_waits_for_a_table_lets_requests_pass_and_tries_again(postgres: Postgres, folder: Path) -> None:
    migrate(postgres, Source(folder))
    (folder / "0002_colour.sql").write_text("ALTER TABLE pebbles ADD COLUMN colour TEXT;")
    with ThreadPoolExecutor(1) as threads:
        with postgres.read() as reader:
            assert reader.rows("SELECT weight FROM pebbles") == []
            migration = threads.submit(migrate, postgres, Source(folder))
            eventually(lambda: _waits_for_table(postgres))
            with postgres.write() as tx:
                tx.run("INSERT INTO pebbles (wet) VALUES (true)")
            assert not migration.done()
        assert migration.result(30) == ["0002_colour"]


def _waits_for_table(db: Database) -> bool:
    with db.read() as tx:
        return bool(tx.rows("SELECT 1 FROM pg_locks WHERE relation = to_regclass('pebbles') AND NOT granted"))


def test_a_migration_may_take_longer_than_a_request(fresh_url: str, folder: Path) -> None:
    (folder / "0002_slow.sql").write_text("SELECT pg_sleep(0.5);")
    db = Postgres(fresh_url, statement_ms=200)
    assert migrate(db, Source(folder)) == ["0001_pebbles", "0002_slow"]
    db.close()
