"""A thread in a hurry reads what takes a moment, and gives up all else."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kalends.db import TooSlowForEventLoop
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite

LONG = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT max(i) FROM n"


def test_what_takes_a_moment_is_read_as_often_as_one_likes(sqlite: Sqlite) -> None:
    assert sqlite.limit_to_fast_reads()
    for _ in range(1_000):
        with sqlite.read() as tx:
            assert [tx.value("SELECT count(*) FROM sqlite_master") for _ in range(20)] == [0] * 20


def test_what_takes_long_is_given_up_and_the_next_is_read(sqlite: Sqlite) -> None:
    sqlite.limit_to_fast_reads()
    for _ in range(3):
        with pytest.raises(TooSlowForEventLoop), sqlite.read() as tx:
            tx.value(LONG)
        with sqlite.read() as tx:
            assert tx.value("SELECT 1") == 1


def test_nothing_is_written(sqlite: Sqlite) -> None:
    sqlite.limit_to_fast_reads()
    with pytest.raises(TooSlowForEventLoop):
        sqlite.write()


def test_other_threads_take_their_time(sqlite: Sqlite) -> None:
    def reads() -> int:
        with sqlite.read() as tx:
            return int(tx.value(LONG))

    sqlite.limit_to_fast_reads()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(reads).result(60) == 100_000


def test_a_server_elsewhere_cannot_be_hurried(postgres: Postgres) -> None:
    assert not postgres.limit_to_fast_reads()
