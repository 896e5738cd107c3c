"""A thread that is limited to fast reads aborts slow ones, and cannot write."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from kalends.db import TooSlowForEventLoop
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests import loops

LONG = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT max(i) FROM n"


def test_fast_reads_are_not_limited_in_number(sqlite: Sqlite) -> None:
    assert sqlite.limit_to_fast_reads()
    for _ in range(1_000):
        with sqlite.read() as tx:
            assert [tx.value("SELECT count(*) FROM sqlite_master") for _ in range(20)] == [0] * 20


def test_a_slow_read_is_aborted_and_the_next_read_works(sqlite: Sqlite) -> None:
    sqlite.limit_to_fast_reads()
    for _ in range(3):
        with pytest.raises(TooSlowForEventLoop), sqlite.read() as tx:
            tx.value(LONG)
        with sqlite.read() as tx:
            assert tx.value("SELECT 1") == 1


def test_a_thread_limited_to_fast_reads_cannot_write(sqlite: Sqlite) -> None:
    sqlite.limit_to_fast_reads()
    with pytest.raises(TooSlowForEventLoop):
        sqlite.write()


def test_other_threads_are_not_limited(sqlite: Sqlite) -> None:
    def read() -> int:
        with sqlite.read() as tx:
            return int(tx.value(LONG))

    sqlite.limit_to_fast_reads()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(read).result(60) == 100_000


def test_postgresql_cannot_limit_a_thread_to_fast_reads(postgres: Postgres) -> None:
    assert not postgres.limit_to_fast_reads()


def test_the_version_is_that_of_all_that_waits(sqlite: Sqlite) -> None:
    """A request that arrives after a commit is served with another version."""
    elsewhere = Sqlite(sqlite.path)

    def change(number: int) -> None:
        with elsewhere.write() as tx:
            tx.run("INSERT INTO pebbles VALUES (:number)", number=number)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        sqlite.limit_to_fast_reads(loop.call_soon)
        versions: list[object] = []

        def request() -> None:
            versions.append(sqlite.data_version())

        for number in range(5):
            loop.call_soon(request)
            loop.call_soon(request)
            loop.call_soon(change, number)
            # It waits already when the first one asks.
            loop.call_soon(request)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert versions[0::3] == versions[1::3] == versions[2::3]
        assert len(set(versions)) == 5

    with elsewhere.write() as tx:
        tx.script("CREATE TABLE pebbles (id INTEGER PRIMARY KEY)")
    loops.run(serve())
    elsewhere.close()
