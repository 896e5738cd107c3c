"""Group commit: writers that arrive close together are committed together, or rolled back together."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import apsw
import pytest

from kalends.core.errors import Unavailable
from kalends.db.database import Transaction
from kalends.db.sqlite import group_commit
from kalends.db.sqlite.database import Sqlite

Write = Callable[[Transaction], object]


class Writers:
    """Writers in their own threads, which queue one after the other while the first holds the write lock."""

    def __init__(self, database: Sqlite):
        self.database = database
        self.threads = ThreadPoolExecutor(10)

    def lead(self, write: Write, others: "list[Future[None]]", *following: Write) -> None:
        with self.database.write() as tx:
            write(tx)
            others += [self.queue(each) for each in following]

    def queue(self, write: Write, *, alone: bool = False) -> "Future[None]":
        def run() -> None:
            with self.database.write(alone=alone) as tx:
                write(tx)

        waiting = self.database._group_commit.waiting
        future = self.threads.submit(run)
        deadline = monotonic() + 10
        while self.database._group_commit.waiting == waiting and not future.done():
            assert monotonic() < deadline
        return future


@pytest.fixture
def writers(sqlite: Sqlite, monkeypatch: pytest.MonkeyPatch) -> Iterator[Writers]:
    monkeypatch.setattr(group_commit, "MAX_WAIT_SECONDS", 60)
    with sqlite.write() as tx:
        tx.script("CREATE TABLE notes (note TEXT UNIQUE); CREATE TABLE pages (note TEXT REFERENCES notes (note))")
    writers = Writers(sqlite)
    yield writers
    writers.threads.shutdown()


def add(note: str) -> Write:
    return lambda tx: tx.run("INSERT INTO notes VALUES (:note)", note=note)


def notes(database: Sqlite) -> list[str]:
    with database.read() as tx:
        return [note for (note,) in tx.rows("SELECT note FROM notes ORDER BY note")]


def test_waiting_writers_are_committed_together(sqlite: Sqlite, writers: Writers) -> None:
    commits: list[int] = []

    def counted() -> bool:
        commits.append(1)
        return False

    sqlite._write_connection().set_commit_hook(counted)
    with sqlite.write() as tx:
        add("0")(tx)
        others = [writers.queue(add(str(i))) for i in range(1, 6)]
    for other in others:
        other.result(10)
    assert (notes(sqlite), len(commits)) == ([str(i) for i in range(6)], 1)


def test_no_writer_returns_before_the_commit(sqlite: Sqlite, writers: Writers) -> None:
    writes, may_end = threading.Event(), threading.Event()

    def lingers(tx: Transaction) -> None:
        writes.set()
        assert may_end.wait(10)

    def looks() -> bool:
        assert writes.wait(10)
        was_done = second.done()
        may_end.set()
        return was_done

    with sqlite.write() as tx:
        add("first")(tx)
        second, third = writers.queue(add("second")), writers.queue(lingers)
        fourth = writers.threads.submit(looks)
    # The first is through, so the group is over; until the third had ended, the second was not.
    assert fourth.result(10) is False
    second.result(10), third.result(10)
    assert notes(sqlite) == ["first", "second"]


def test_a_failing_member_does_not_roll_back_the_others(sqlite: Sqlite, writers: Writers) -> None:
    def fails(tx: Transaction) -> None:
        add("half")(tx)
        raise ZeroDivisionError

    with sqlite.write() as tx:
        add("a")(tx)
        broken, fine = writers.queue(fails), writers.queue(add("b"))
    with pytest.raises(ZeroDivisionError):
        broken.result(10)
    fine.result(10)
    assert notes(sqlite) == ["a", "b"]


def test_a_failing_first_writer_is_rolled_back_alone(sqlite: Sqlite, writers: Writers) -> None:
    others: list[Future[None]] = []

    def fails(tx: Transaction) -> None:
        add("half")(tx)
        others.append(writers.queue(add("b")))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        writers.lead(fails, others)
    others[0].result(10)
    assert notes(sqlite) == ["b"]


def test_a_failed_commit_raises_in_every_member(sqlite: Sqlite, writers: Writers) -> None:
    sqlite._write_connection().set_commit_hook(lambda: True)
    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        writers.lead(add("a"), others, add("b"), add("c"))
    for other in others:
        with pytest.raises(Unavailable):
            other.result(10)
    sqlite._write_connection().set_commit_hook(None)
    assert notes(sqlite) == []
    with sqlite.write() as tx:
        add("later")(tx)
    assert notes(sqlite) == ["later"]


def test_a_lost_transaction_raises_in_every_member(sqlite: Sqlite, writers: Writers) -> None:
    def loses(tx: Transaction) -> None:
        # As a full disk does.
        sqlite._write_connection().execute("ROLLBACK")
        raise Unavailable("The disk is full.")

    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        writers.lead(add("a"), others, loses)
    with pytest.raises(Unavailable):
        others[0].result(10)
    with sqlite.write() as tx:
        add("b")(tx)
    assert notes(sqlite) == ["b"]


@pytest.mark.parametrize("statement", ["SAVEPOINT member", "RELEASE member", "ROLLBACK TO member"])
def test_a_failing_savepoint_rolls_back_the_group(
    sqlite: Sqlite, writers: Writers, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """As on a disk that is full at that moment."""
    execute = type(sqlite._write_connection()).execute
    is_failing: list[bool] = []

    def failing(connection: apsw.Connection, sql: str, *args: object) -> object:
        if sql == statement and is_failing:
            raise apsw.FullError("database or disk is full")
        return execute(connection, sql, *args)  # type: ignore[arg-type]

    def leads(tx: Transaction) -> None:
        add("a")(tx)
        if statement != "ROLLBACK TO member":
            is_failing.append(True)

    def fails(tx: Transaction) -> None:
        add("half")(tx)
        is_failing.append(True)
        raise ZeroDivisionError

    monkeypatch.setattr(type(sqlite._write_connection()), "execute", failing)
    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        writers.lead(leads, others, fails if statement == "ROLLBACK TO member" else add("b"))
    is_failing.clear()
    assert "b" not in notes(sqlite) or statement == "RELEASE member"
    assert not {"a", "half"} & set(notes(sqlite))
    assert others[0].exception(10) is None or isinstance(others[0].exception(10), Unavailable)
    assert not sqlite._write_connection().in_transaction
    with sqlite.write() as tx:
        add("later")(tx)
    assert "later" in notes(sqlite)


def test_no_writer_waits_for_one_that_runs_alone(sqlite: Sqlite, writers: Writers) -> None:
    began, may_end = threading.Event(), threading.Event()

    def takes_long(tx: Transaction) -> None:
        began.set()
        assert may_end.wait(10)
        add("long")(tx)

    with sqlite.write() as tx:
        add("a")(tx)
        long = writers.queue(takes_long, alone=True)
    assert began.wait(10)
    assert notes(sqlite) == ["a"]
    may_end.set()
    long.result(10)
    assert notes(sqlite) == ["a", "long"]


def test_a_writer_that_timed_out_leaves_no_member_waiting(sqlite: Sqlite, writers: Writers) -> None:
    """The first leaves its commit to a writer that it saw waiting, and that timed out."""
    with sqlite.write() as tx:
        add("a")(tx)
        sqlite._group_commit._waiting.append(None)
    sqlite._group_commit._waiting.pop()
    assert notes(sqlite) == ["a"]


def test_a_database_that_another_process_has_locked_is_unavailable(sqlite: Sqlite, writers: Writers) -> None:
    sqlite._write_connection().set_busy_timeout(1)
    other = apsw.Connection(str(sqlite.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable), sqlite.write():
        pass
    other.execute("ROLLBACK")
    with sqlite.write() as tx:
        add("a")(tx)
    assert notes(sqlite) == ["a"]
