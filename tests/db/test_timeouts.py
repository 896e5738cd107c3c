"""Reads are interrupted when they exceed their timeout or their client has left; writes and backups are not."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kalends.core.errors import Unavailable
from kalends.db import Database, Retry
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
LONG = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) FROM n"


@pytest.fixture(params=["sqlite", "postgres"])
def brief(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database on which a read may take a tenth of a second."""
    opened: Database
    if request.param == "sqlite":
        opened = Sqlite(tmp_path / "brief.sqlite3", read_seconds=0.1)
    else:
        opened = Postgres(request.getfixturevalue("fresh_url"), read_ms=100)
    with closing(opened):
        yield opened


@contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """Another thread does this again and again while the block runs."""
    is_over = threading.Event()

    def repeat() -> None:
        while not is_over.wait(0.001):
            act()

    other = threading.Thread(target=repeat)
    other.start()
    try:
        yield
    finally:
        is_over.set()
        other.join()


def test_a_read_that_exceeds_its_timeout_is_interrupted_and_the_next_is_not(brief: Database) -> None:
    with meanwhile(brief.interrupt_expired):
        for _ in range(3):
            with pytest.raises(Unavailable, match="takes too long"), brief.read() as tx:
                tx.value(ENDLESS)
            with brief.read() as tx:
                assert tx.value("SELECT 1") == 1


def test_the_timeout_is_counted_for_each_statement(brief: Database) -> None:
    waiting = threading.Event()
    with meanwhile(brief.interrupt_expired), brief.read() as tx:
        for _ in range(3):
            waiting.wait(0.15)
            assert tx.value("SELECT 1") == 1


def test_writes_and_reads_without_statement_timeout_are_not_interrupted(brief: Database) -> None:
    with meanwhile(brief.interrupt_expired):
        with brief.write() as tx:
            assert tx.value(LONG) == 1_000_000
        with brief.read() as tx:
            tx.without_statement_timeout()
            assert tx.value(LONG) == 1_000_000
        with pytest.raises(Unavailable), brief.read() as tx:
            tx.value(ENDLESS)


def test_the_read_of_a_client_that_disconnected_is_interrupted(fresh: Database) -> None:
    me = threading.get_ident()
    with meanwhile(lambda: fresh.interrupt(me)), pytest.raises(Unavailable), fresh.read() as tx:
        tx.value(ENDLESS)
    with fresh.read() as tx:
        assert tx.value("SELECT 1") == 1


def test_only_reads_of_the_same_thread_are_interrupted(fresh: Database) -> None:
    me = threading.get_ident()
    with meanwhile(lambda: fresh.interrupt(me)), fresh.write() as tx:
        assert tx.value(LONG) == 1_000_000
    with meanwhile(lambda: fresh.interrupt(me + 1)), fresh.read() as tx:
        assert tx.value(LONG) == 1_000_000


def test_an_interrupt_meant_for_the_previous_statement_asks_for_a_retry(sqlite: Sqlite) -> None:
    with meanwhile(sqlite._read_connection().interrupt), pytest.raises(Retry), sqlite.read() as tx:
        tx.value(ENDLESS)
