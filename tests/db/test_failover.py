"""A failover to a replica: nothing is lost or done twice, and no request waits for the server that is gone."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from kalends.core.errors import Unavailable
from kalends.db import Database
from kalends.db.migrate import migrate
from kalends.db.postgres.connection import Connection
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, a_calendar
from tests.client import Client
from tests.db.replication import Node, replicated
from tests.faults.postgres import Proxy
from tests.serve.running import eventually

CLIENTS = 4
AN_HOUR_MS = 3_600_000


@pytest.fixture(scope="module")
def nodes() -> Iterator[tuple[Node, Node]]:
    """A primary and its replica, which stay what they are."""
    with replicated() as both:
        yield both


@pytest.fixture
def failing_nodes() -> Iterator[tuple[Node, Node]]:
    """A primary that is going to fail, and its replica."""
    with replicated() as both:
        yield both


@pytest.fixture(autouse=True)
def _short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kalends.db.postgres.database.CONNECT_SECONDS", 2)


def _url(*nodes: Node) -> str:
    """The address of several servers."""
    return f"postgresql://postgres@/postgres?host={','.join(str(node.socket_folder) for node in nodes)}"


def _responds(db: Database) -> bool:
    try:
        with db.write() as tx:
            return bool(tx.value("SELECT 1") == 1)
    except Unavailable:
        return False


def test_a_killed_primary_loses_no_keyed_create_and_doubles_none(
    failing_nodes: tuple[Node, Node], guest_on: Callable[[Database], Client]
) -> None:
    primary, replica = failing_nodes
    db = Postgres(_url(primary, replica))
    migrate(db)
    alice = Cast(guest_on(db)).alice
    calendar = a_calendar(alice)["id"]
    promoted = Event()
    statuses: set[int] = set()

    def create(client: int) -> list[str]:
        """Create events until five are created after the failover, each with its key until it is."""
        titles: list[str] = []
        after = 0
        while after < 5:
            after += promoted.is_set()
            title = f"{client}-{len(titles)}"
            fields = {"title": title, "start_time": "2026-06-01T20:00", "calendar_id": calendar}
            headers = {"Idempotency-Key": uuid4().hex}
            eventually(partial(_create, alice, fields, headers, statuses))
            titles.append(title)
        return titles

    with ThreadPoolExecutor(CLIENTS) as threads:
        clients = [threads.submit(create, number) for number in range(CLIENTS)]
        eventually(lambda: 201 in statuses)
        primary.kill()
        eventually(lambda: 503 in statuses)
        replica.promote()
        promoted.set()
        acknowledged = [title for client in clients for title in client.result(60)]
    with db.read() as tx:
        stored = [title for (title,) in tx.rows("SELECT title FROM events")]
    db.close()
    assert sorted(stored) == sorted(acknowledged)
    assert statuses == {201, 503}


def _create(client: Client, fields: dict[str, object], headers: dict[str, str], statuses: set[int]) -> bool:
    reply = client.post("/api/events", json=fields, headers=headers)
    statuses.add(reply.status)
    assert reply.status == 201 or int(reply.headers["Retry-After"]) > 0
    return bool(reply.status == 201)


def test_a_request_does_not_wait_for_a_frozen_primary_once_there_is_another(failing_nodes: tuple[Node, Node]) -> None:
    """Without the search for another primary, it would wait for an hour here."""
    primary, replica = failing_nodes
    with closing(Postgres(_url(primary, replica), statement_ms=AN_HOUR_MS)) as db, ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(_write_to_frozen, db, primary)
        replica.promote()

        def is_over() -> bool:
            db.interrupt_expired()
            return waiting.done()

        eventually(is_over)
        assert isinstance(waiting.exception(), Unavailable)
        assert _responds(db)


def _write_to_frozen(db: Database, primary: Node) -> None:
    with db.write() as tx:
        tx.value("SELECT 1")
        primary.freeze()
        tx.value("SELECT 2")


def test_the_host_that_accepts_writes_is_found_wherever_it_is(nodes: tuple[Node, Node]) -> None:
    primary, replica = nodes
    with closing(Postgres(_url(replica, primary))) as db, db.write() as tx:
        tx.run("CREATE TABLE pebbles (id BIGINT)")


def test_connections_to_a_server_that_became_a_replica_are_dropped(nodes: tuple[Node, Node]) -> None:
    """Behind a proxy, the same address leads to another server after a switchover, and open connections to the old one."""
    primary, replica = nodes
    proxy = Proxy(replica.url)
    with closing(Postgres(proxy.database)) as db:
        with db.read(), db.read():
            """Two connections wait from now on."""
        with pytest.raises(Unavailable), db.write() as tx:
            tx.run("CREATE TABLE shells (id BIGINT)")
        proxy.lead_to(primary.url)
        with db.write() as tx:
            tx.run("CREATE TABLE shells (id BIGINT)")
    proxy.close()


def test_a_silent_host_is_tried_after_the_others(nodes: tuple[Node, Node], monkeypatch: pytest.MonkeyPatch) -> None:
    primary, _ = nodes
    attempts: list[str] = []
    connect = Postgres._connect

    def record(db: Postgres, params: dict[str, Any]) -> Connection:
        attempts.append(params["host"])
        return connect(db, params)

    monkeypatch.setattr(Postgres, "_connect", record)
    silent = Proxy(primary.url)
    silent.hang()
    port = silent.database.rpartition(":")[2].partition("/")[0]
    with closing(Postgres(f"postgresql://postgres@/postgres?host=127.0.0.1,{primary.socket_folder}&port={port},5432")) as db:
        for _ in range(2):
            assert _responds(db)
            db.close()
    assert attempts == ["127.0.0.1", str(primary.socket_folder), str(primary.socket_folder)]
    silent.close()
