"""Connections are pooled, reset between transactions and closed with the database."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import apsw
import psycopg
import pytest

from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite


def _backends(url: str) -> set[int]:
    """The connections that the server has from us to this database."""
    ours = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kalends'"
    with psycopg.connect(url) as other:
        return {pid for (pid,) in other.execute(ours)}


def test_consecutive_transactions_share_one_connection(postgres: Postgres, fresh_url: str) -> None:
    for _ in range(5):
        with postgres.read() as tx:
            pid = tx.value("SELECT pg_backend_pid()")
        with suppress(ZeroDivisionError), postgres.write():
            raise ZeroDivisionError
    assert _backends(fresh_url) == {pid}


def test_concurrent_transactions_have_a_connection_each(postgres: Postgres, fresh_url: str) -> None:
    together = threading.Barrier(5)

    def work(_: int) -> None:
        with postgres.write() as tx:
            tx.rows("SELECT 1")
            together.wait(10)

    with ThreadPoolExecutor(5) as threads:
        for _ in range(3):
            list(threads.map(work, range(5), timeout=30))
    assert len(_backends(fresh_url)) == 5


def test_closing_leaves_no_connection(postgres: Postgres, fresh_url: str) -> None:
    with postgres.read(), postgres.read():
        pass
    assert len(_backends(fresh_url)) == 2
    postgres.close()
    assert any(not _backends(fresh_url) for _ in range(500)), "the server still has connections after 500 checks"


def test_a_connection_that_the_server_ended_is_replaced(postgres: Postgres, fresh_url: str) -> None:
    with postgres.read(), postgres.read(), postgres.read():
        pass
    with psycopg.connect(fresh_url) as other:
        for pid in _backends(fresh_url):
            other.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    with postgres.write() as tx:
        assert tx.value("SELECT 1") == 1
    assert len(_backends(fresh_url)) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("statement_timeout", "30s"),
        ("lock_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("TimeZone", "UTC"),
        ("application_name", "kalends"),
        ("enable_seqscan", "off"),
        ("random_page_cost", "1.1"),
    ],
)
def test_every_connection_has_the_settings(postgres: Postgres, name: str, value: str) -> None:
    with postgres.read() as tx:
        assert tx.value("SELECT current_setting(:name)", name=name) == value


def test_a_transaction_without_statement_timeout_leaves_the_next_its_timeout(postgres: Postgres) -> None:
    with postgres.write() as tx:
        tx.without_statement_timeout()
        assert tx.value("SELECT current_setting('statement_timeout')") == "0"
    with postgres.write() as tx:
        assert tx.value("SELECT current_setting('statement_timeout')") == "30s"


def test_the_connection_of_a_thread_is_closed_when_it_ends(sqlite: Sqlite) -> None:
    """Else a service that starts threads as it goes would run out of files."""

    def read() -> None:
        with sqlite.read() as tx:
            tx.rows("SELECT 1")

    for _ in range(20):
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(10)
    read()
    assert len([one for one in apsw.connections() if one.filename == str(sqlite.path)]) == 1


def test_closing_a_file_leaves_no_connection(sqlite: Sqlite) -> None:
    with sqlite.write() as tx:
        tx.script("CREATE TABLE pebbles (id INTEGER)")
    sqlite.close()
    assert [one for one in apsw.connections() if one.filename == str(sqlite.path)] == []
    assert sorted(path.name for path in sqlite.path.parent.iterdir()) == [sqlite.path.name]
