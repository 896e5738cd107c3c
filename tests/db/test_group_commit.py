"""Writers of one process take turns: those that come close together are committed together, and stand or fall together."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import apsw
import pytest

from kalends.db.database import Transaction
from kalends.db.sqlite import group_commit
from kalends.db.sqlite.database import Sqlite
from kalends.errors import Unavailable

Write = Callable[[Transaction], object]


class Crowd:
    """Writers in threads of their own, who come one after the other while the first still has the turn."""

    def __init__(self, database: Sqlite):
        self.database = database
        self.threads = ThreadPoolExecutor(10)

    def leads(self, write: Write, others: "list[Future[None]]", *coming: Write) -> None:
        with self.database.write() as tx:
            write(tx)
            others += [self.comes(each) for each in coming]

    def comes(self, write: Write, *, alone: bool = False) -> "Future[None]":
        def turn() -> None:
            with self.database.write(alone=alone) as tx:
                write(tx)

        waiting = self.database._group_commit._waiting
        coming = self.threads.submit(turn)
        deadline = monotonic() + 10
        while self.database._group_commit._waiting == waiting and not coming.done():
            assert monotonic() < deadline
        return coming


@pytest.fixture
def crowd(sqlite: Sqlite, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    monkeypatch.setattr(group_commit, "MAX_WAIT_SECONDS", 60)
    with sqlite.write() as tx:
        tx.script("CREATE TABLE notes (note TEXT UNIQUE); CREATE TABLE pages (note TEXT REFERENCES notes (note))")
    crowd = Crowd(sqlite)
    yield crowd
    crowd.threads.shutdown()


def adds(note: str) -> Write:
    return lambda tx: tx.run("INSERT INTO notes VALUES (:note)", note=note)


def notes(database: Sqlite) -> list[str]:
    with database.read() as tx:
        return [note for (note,) in tx.rows("SELECT note FROM notes ORDER BY note")]


def test_those_who_waited_are_committed_together(sqlite: Sqlite, crowd: Crowd) -> None:
    commits: list[int] = []

    def counted() -> bool:
        commits.append(1)
        return False

    sqlite._write_connection().set_commit_hook(counted)
    with sqlite.write() as tx:
        adds("0")(tx)
        others = [crowd.comes(adds(str(i))) for i in range(1, 6)]
    for other in others:
        other.result(10)
    assert (notes(sqlite), len(commits)) == ([str(i) for i in range(6)], 1)


def test_nobody_is_answered_before_the_commit(sqlite: Sqlite, crowd: Crowd) -> None:
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
        adds("first")(tx)
        second, third = crowd.comes(adds("second")), crowd.comes(lingers)
        fourth = crowd.threads.submit(looks)
    # The first is through, so the group is over; until the third had ended, the second was not.
    assert fourth.result(10) is False
    second.result(10), third.result(10)
    assert notes(sqlite) == ["first", "second"]


def test_one_that_fails_takes_nothing_of_the_others_with_it(sqlite: Sqlite, crowd: Crowd) -> None:
    def fails(tx: Transaction) -> None:
        adds("half")(tx)
        raise ZeroDivisionError

    with sqlite.write() as tx:
        adds("a")(tx)
        broken, fine = crowd.comes(fails), crowd.comes(adds("b"))
    with pytest.raises(ZeroDivisionError):
        broken.result(10)
    fine.result(10)
    assert notes(sqlite) == ["a", "b"]


def test_where_the_disk_refuses_all_are_told(sqlite: Sqlite, crowd: Crowd) -> None:
    sqlite._write_connection().set_commit_hook(lambda: True)
    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        crowd.leads(adds("a"), others, adds("b"), adds("c"))
    for other in others:
        with pytest.raises(Unavailable):
            other.result(10)
    sqlite._write_connection().set_commit_hook(None)
    assert notes(sqlite) == []
    with sqlite.write() as tx:
        adds("later")(tx)
    assert notes(sqlite) == ["later"]


def test_where_the_transaction_is_lost_all_are_told(sqlite: Sqlite, crowd: Crowd) -> None:
    def loses(tx: Transaction) -> None:
        # As a full disk does.
        sqlite._write_connection().execute("ROLLBACK")
        raise Unavailable("The disk is full.")

    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        crowd.leads(adds("a"), others, loses)
    with pytest.raises(Unavailable):
        others[0].result(10)
    with sqlite.write() as tx:
        adds("b")(tx)
    assert notes(sqlite) == ["b"]


@pytest.mark.parametrize("statement", ["SAVEPOINT member", "RELEASE member", "ROLLBACK TO member"])
def test_where_a_member_cannot_end_nothing_of_the_group_is_kept(
    sqlite: Sqlite, crowd: Crowd, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """As on a disk that is full at that moment."""
    execute = type(sqlite._write_connection()).execute
    refuses: list[bool] = []

    def failing(connection: apsw.Connection, sql: str, *given: object) -> object:
        if sql == statement and refuses:
            raise apsw.FullError("database or disk is full")
        return execute(connection, sql, *given)  # type: ignore[arg-type]

    def leads(tx: Transaction) -> None:
        adds("a")(tx)
        if statement != "ROLLBACK TO member":
            refuses.append(True)

    def fails(tx: Transaction) -> None:
        adds("half")(tx)
        refuses.append(True)
        raise ZeroDivisionError

    monkeypatch.setattr(type(sqlite._write_connection()), "execute", failing)
    others: list[Future[None]] = []
    with pytest.raises(Unavailable):
        crowd.leads(leads, others, fails if statement == "ROLLBACK TO member" else adds("b"))
    refuses.clear()
    assert "b" not in notes(sqlite) or statement == "RELEASE member"
    assert not {"a", "half"} & set(notes(sqlite))
    assert others[0].exception(10) is None or isinstance(others[0].exception(10), Unavailable)
    assert not sqlite._write_connection().in_transaction
    with sqlite.write() as tx:
        adds("later")(tx)
    assert "later" in notes(sqlite)


def test_who_must_be_alone_is_waited_for_by_nobody(sqlite: Sqlite, crowd: Crowd) -> None:
    began, may_end = threading.Event(), threading.Event()

    def takes_long(tx: Transaction) -> None:
        began.set()
        assert may_end.wait(10)
        adds("long")(tx)

    with sqlite.write() as tx:
        adds("a")(tx)
        long = crowd.comes(takes_long, alone=True)
    assert began.wait(10)
    assert notes(sqlite) == ["a"]
    may_end.set()
    long.result(10)
    assert notes(sqlite) == ["a", "long"]


def test_a_writer_who_gave_up_leaves_no_one_waiting(sqlite: Sqlite, crowd: Crowd) -> None:
    """The first leaves its commit to one that it saw waiting, and that went away."""
    with sqlite.write() as tx:
        adds("a")(tx)
        sqlite._group_commit._waiting += 1
    sqlite._group_commit._waiting -= 1
    assert notes(sqlite) == ["a"]


def test_a_database_that_another_process_holds_is_busy(sqlite: Sqlite, crowd: Crowd) -> None:
    sqlite._write_connection().set_busy_timeout(1)
    other = apsw.Connection(str(sqlite.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable), sqlite.write():
        pass
    other.execute("ROLLBACK")
    with sqlite.write() as tx:
        adds("a")(tx)
    assert notes(sqlite) == ["a"]
