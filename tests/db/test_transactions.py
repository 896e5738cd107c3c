"""A transaction happens as a whole or not at all, and a read sees one moment."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from kalends.db import Database, Retry, UniqueViolation


class Interrupted(Exception):
    """Something that goes wrong in the middle."""


@pytest.fixture
def beach(fresh: Database) -> Database:
    with fresh.write() as tx:
        tx.script("CREATE TABLE pebbles (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        tx.script("CREATE TABLE lichens (id INTEGER PRIMARY KEY, pebble_id INTEGER NOT NULL REFERENCES pebbles ON DELETE CASCADE)")
        tx.script("CREATE UNIQUE INDEX pebbles_name ON pebbles (name)")
        tx.script("INSERT INTO pebbles (id, name) VALUES (1, 'grey')")
    return fresh


def _names(db: Database) -> list[str]:
    with db.read() as tx:
        return [name for (name,) in tx.rows("SELECT name FROM pebbles ORDER BY id")]


@contextmanager
def _elsewhere() -> Iterator[ThreadPoolExecutor]:
    """Another thread, which has a connection of its own."""
    with ThreadPoolExecutor(1) as thread:
        yield thread


def test_a_block_that_ends_is_committed(beach: Database) -> None:
    with beach.write() as tx:
        tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")
    assert _names(beach) == ["grey", "blue"]


def test_a_block_that_raises_is_rolled_back(beach: Database) -> None:
    with suppress(Interrupted), beach.write() as tx:
        tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")
        tx.run("DELETE FROM pebbles WHERE id = 1")
        raise Interrupted
    assert _names(beach) == ["grey"]


def test_a_database_works_after_an_error(beach: Database) -> None:
    for _ in range(3):
        with pytest.raises(Exception, match="nothing_like_it"), beach.write() as tx:
            tx.run("INSERT INTO nothing_like_it VALUES (1)")
        with pytest.raises(Exception, match="nothing_like_it"), beach.read() as tx:
            tx.rows("SELECT * FROM nothing_like_it")
    assert _names(beach) == ["grey"]


def test_uncommitted_rows_are_invisible_to_others(beach: Database) -> None:
    with beach.write() as tx, _elsewhere() as other:
        tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")
        assert other.submit(_names, beach).result(10) == ["grey"]
    assert _names(beach) == ["grey", "blue"]


def test_a_read_sees_one_snapshot(beach: Database) -> None:
    def add() -> None:
        with beach.write() as tx:
            tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")

    with beach.read() as tx, _elsewhere() as other:
        assert tx.value("SELECT count(*) FROM pebbles") == 1
        other.submit(add).result(10)
        assert tx.value("SELECT count(*) FROM pebbles") == 1
    assert _names(beach) == ["grey", "blue"]


def test_a_read_changes_nothing(beach: Database) -> None:
    with suppress(Exception), beach.read() as tx:
        tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")
    assert _names(beach) == ["grey"]


def test_a_transaction_that_was_rolled_back_is_not_acknowledged(beach: Database) -> None:
    """PostgreSQL cannot continue after a failed statement, and replies to the commit with a silent rollback."""
    acknowledged = True
    try:
        with beach.write() as tx:
            tx.run("INSERT INTO pebbles (id, name) VALUES (2, :name)", name="blue")
            with suppress(UniqueViolation):
                tx.run("INSERT INTO pebbles (id, name) VALUES (3, :name)", name="grey")
    except RuntimeError:
        acknowledged = False
    assert ("blue" in _names(beach)) is acknowledged


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        ("INSERT INTO pebbles (id, name) VALUES (2, 'grey')", "pebbles_name"),
        ("INSERT INTO pebbles (id, name) VALUES (1, 'blue')", "pebbles_pkey"),
        ("INSERT INTO calendar_shares VALUES (1, 1), (1, 1)", "calendar_shares_pkey"),
        ("INSERT INTO shells VALUES (1, 2, 3), (3, 2, 1)", "shells_round"),
    ],
)
def test_a_unique_violation_names_its_index(beach: Database, sql: str, index: str) -> None:
    with beach.write() as tx:
        tx.script("CREATE TABLE calendar_shares (calendar_id INTEGER, user_id INTEGER, PRIMARY KEY (calendar_id, user_id))")
        tx.script("CREATE TABLE shells (a INTEGER, b INTEGER, c INTEGER)")
        tx.script("CREATE UNIQUE INDEX shells_all ON shells (a, b)")
        tx.script("CREATE UNIQUE INDEX shells_round ON shells (b) WHERE c < 9")
    with pytest.raises(UniqueViolation) as violation, beach.write() as tx:
        tx.run(sql)
    assert violation.value.index == index


def test_a_foreign_key_violation_asks_for_a_retry(beach: Database) -> None:
    """The action read the record, so it was deleted since; a second run does not find it."""
    with pytest.raises(Retry), beach.write() as tx:
        tx.run("INSERT INTO lichens (id, pebble_id) VALUES (1, 99)")


def test_deleting_a_record_deletes_the_rows_that_refer_to_it(beach: Database) -> None:
    with beach.write() as tx:
        tx.run("INSERT INTO lichens (id, pebble_id) VALUES (1, 1)")
        tx.run("DELETE FROM pebbles WHERE id = 1")
        assert tx.value("SELECT count(*) FROM lichens") == 0


def test_concurrent_writers_lose_no_update(beach: Database) -> None:
    with beach.write() as tx:
        tx.script("CREATE TABLE counter (n INTEGER NOT NULL)")
        tx.script("INSERT INTO counter VALUES (0)")

    def count() -> None:
        with beach.write() as tx:
            tx.advisory_lock("counter")
            tx.run("UPDATE counter SET n = :n", n=tx.value("SELECT n FROM counter") + 1)

    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(count) for _ in range(80)]:
            done.result(30)
    with beach.read() as tx:
        assert tx.value("SELECT n FROM counter") == 80


def test_a_closed_database_reopens_when_it_is_used(beach: Database) -> None:
    beach.close()
    beach.close()
    assert _names(beach) == ["grey"]
