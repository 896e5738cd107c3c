"""The schema: the same promises on both databases, and SQLite's settings in force."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kalends.db import Database
from kalends.db.migrate import KALENDS
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests.cast import Cast, an_event
from tests.migrated import NAME, put_sqlite


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Sqlite]:
    put_sqlite(tmp_path)
    database = Sqlite(tmp_path / NAME)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("trusted_schema", 0),
        ("temp_store", 2),
        ("busy_timeout", 10_000),
    ],
)
def test_every_connection_has_the_settings(file: Sqlite, pragma: str, value: object) -> None:
    def ask() -> object:
        with file.read() as tx:
            return tx.value(f"PRAGMA {pragma}")

    assert ask() == value
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(ask).result(10) == value


def test_every_table_is_strict(file: Sqlite) -> None:
    with file.read() as tx:
        tables = tx.rows("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    assert tables
    assert [name for name, strict in tables if not strict] == []


def _declared() -> Iterator[tuple[str, str]]:
    """The unique indexes of the schema and of later migrations, by table."""
    for sql in KALENDS.texts():
        for name, table in re.findall(r"CREATE UNIQUE INDEX (\w+)\s+ON (\w+)", sql):
            yield table, name


def test_every_unique_index_has_the_same_name_on_both_databases(file: Sqlite, postgres_with_tables: Postgres) -> None:
    """A violation is recognised by the name, so it must not depend on the database."""
    with file.read() as tx:
        here = tx.rows(
            """SELECT m.name, l.name FROM sqlite_master m, pragma_index_list(m.name) l
               WHERE m.type = 'table' AND l."unique" AND l.origin <> 'pk' AND m.name NOT LIKE 'sqlite_%'"""
        )
    with postgres_with_tables.read() as tx:
        there = tx.rows("SELECT tablename, indexname FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE 'CREATE UNIQUE%'")
    assert set(here) == {(table, name) for table, name in there if name != f"{table}_pkey"} == set(_declared())


def test_tables_and_columns_are_the_same_on_both_databases(file: Sqlite, postgres_with_tables: Postgres) -> None:
    with file.read() as tx:
        here = tx.rows(
            """SELECT m.name, c.name, c."notnull" OR c.pk FROM sqlite_master m, pragma_table_info(m.name) c
               WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '%_search%'"""
        )
    with postgres_with_tables.read() as tx:
        there = tx.rows("SELECT table_name, column_name, is_nullable = 'NO' FROM information_schema.columns WHERE table_schema = 'public'")
    assert sorted((table, column, bool(needed)) for table, column, needed in here) == sorted(there)


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("events", "end_at = start_at - 1"),
        ("events", "until_at = start_at - 1"),
        ("events", "party_max = 0"),
        ("events", "status = 'moved'"),
        ("events", "status = 'planned', status_note = 'Rain'"),
        ("calendars", "moderation = 'some'"),
        ("calendars", "confirmations = 'maybe'"),
        ("calendars", "confirm_responses = 'never'"),
        ("calendars", "party_max = 20001"),
        ("calendars", "confirm_above = 0"),
        ("calendars", "hold_minutes = 10081"),
        ("calendars", "scheduling = 'never'"),
        ("calendars", "keep_responses_days = 0"),
    ],
)
def test_an_invalid_event_or_calendar_is_rejected_by_the_database(cast: Cast, db: Database, table: str, change: str) -> None:
    event = an_event(cast.alice)
    row_id = event["id"] if table == "events" else event["calendars"][0]["id"]
    with pytest.raises(Exception, match=r"(?i)check constraint"), db.write() as tx:
        tx.run(f"UPDATE {table} SET {change} WHERE id = :id", id=row_id)


def test_every_foreign_key_has_an_index(file: Sqlite) -> None:
    """Without one, deleting a record would read the whole of each table that refers to it."""
    with file.read() as tx:
        unindexed = tx.rows(
            """SELECT m.name, f."from" FROM sqlite_master m, pragma_foreign_key_list(m.name) f
               WHERE m.type = 'table' AND f.seq = 0 AND NOT EXISTS
               (SELECT 1 FROM pragma_index_list(m.name) l, pragma_index_info(l.name) i
                WHERE i.seqno = 0 AND i.name = f."from" AND (NOT l.partial OR EXISTS
                   (SELECT 1 FROM sqlite_master x WHERE x.name = l.name AND x.sql LIKE '% WHERE ' || f."from" || ' IS NOT NULL')))
               AND NOT EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = f."from" AND c.pk = 1)"""
        )
    assert unindexed == []
