"""Reads from replicas are for guests, who read their own writes, and notice nothing of a replica that lags, hangs or dies."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import psycopg
import pytest

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, Retry
from kalends.db.migrate import migrate
from kalends.db.postgres.connection import Connection
from kalends.db.postgres.database import Postgres
from kalends.db.postgres.replicas import reads
from kalends.http.replicated_endpoint import COOKIE
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client, Reply
from tests.db.replication import Node, started_nodes
from tests.serve.running import eventually

AN_HOUR_MS = 3_600_000
SECRET = "the secret that both servers share"
# More than the tests take: no replica is left out because of its lag.
MAX_LAG = 30


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Node]]:
    """A primary with tables, and two replicas."""
    with started_nodes(replicas=2) as nodes:
        with closing(Postgres(nodes[0].url)) as db:
            migrate(db)
        yield nodes


@pytest.fixture
def servers(nodes: list[Node], tmp_path: Path) -> Iterator[list[Client]]:
    """Guests of two servers on the cluster, which share a secret. All replicas are ready."""
    with _server(nodes, tmp_path) as one, _server(nodes, tmp_path) as other:
        yield [one, other]


@contextmanager
def _server(nodes: list[Node], folder: Path) -> Iterator[Client]:
    with closing(_database(nodes)) as db:
        eventually(partial(_reads_all_replicas, db, nodes[1:]))
        settings = Settings(
            data=str(folder), database=nodes[0].url, replicas=_url(*nodes[1:]), secret=SECRET, access_log="off", rate_limits="off"
        )
        yield Client(application(db, settings))


def _database(nodes: list[Node], **options: Any) -> Postgres:
    return Postgres(nodes[0].url, replicas=_url(*nodes[1:]), max_lag=MAX_LAG, **options)


def _url(*nodes: Node) -> str:
    return f"postgresql://postgres@/postgres?host={','.join(str(node.socket_folder) for node in nodes)}"


def _reads_all_replicas(db: Database, replicas: list[Node]) -> bool:
    return {_folder_read(db) for _ in range(2 * len(replicas))} == {str(replica.folder) for replica in replicas}


def _folder_read(db: Database) -> str:
    """The folder of the server that a read uses."""
    with db.read_replica() as tx:
        return str(tx.value("SELECT current_setting('data_directory')"))


@contextmanager
def _paused(replicas: list[Node]) -> Iterator[None]:
    """The replicas receive what is written, and do not show it."""
    for replica in replicas:
        replica.execute("SELECT pg_wal_replay_pause()")
        eventually(lambda: replica.execute("SELECT pg_get_wal_replay_pause_state()") == [("paused",)])  # noqa: B023
    try:
        yield
    finally:
        for replica in replicas:
            replica.execute("SELECT pg_wal_replay_resume()")


def _count(**labels: str) -> float:
    """How many reads have been counted with these labels."""
    return sum(
        sample.value
        for metric in reads.collect()
        for sample in metric.samples
        if sample.name.endswith("_total") and labels.items() <= sample.labels.items()
    )


def test_what_has_ended_is_not_read_on_while_replicas_lag(servers: list[Client], nodes: list[Node]) -> None:
    cast = Cast(servers[0])
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    cast.alice.put(f"/api/calendars/{calendar['id']}/share", json={"user_name": cast.bob.user_name})
    linked = an_event(cast.alice, visibility="link")
    bob, carol = (servers[1].signed_in(str(person.token)) for person in (cast.bob, cast.carol))
    link = linked["link_url"].rpartition("/")[2]
    reads: list[Callable[[], Reply]] = [
        lambda: bob.get(f"/api/events/{event['id']}"),
        lambda: carol.get("/api/calendars"),
        lambda: servers[1].get("/api/calendars", headers={"Cookie": f"kalends_session={cast.carol.token}"}),
        lambda: servers[1].get(f"/e/{link}"),
        lambda: servers[1].get(f"/api/events/{linked['id']}", query={"link": link}),
    ]
    assert [read().status for read in reads] == [200] * 5
    with _paused(nodes[1:]):
        ended = [
            cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name}),
            cast.carol.delete("/api/session/current"),
            cast.alice.put(f"/api/events/{linked['id']}/reset_link"),
        ]
        assert [reply.status for reply in ended] == [200] * 3
        assert [read().status for read in reads] == [404, 401, 401, 404, 404]


def test_a_guest_may_read_the_past_but_not_after_a_write(servers: list[Client], nodes: list[Node]) -> None:
    alice = Cast(servers[0]).alice
    event = an_event(alice, public=True)
    eventually(lambda: servers[1].get(f"/api/events/{event['id']}").status == 200)
    with _paused(nodes[1:]):
        alice.put(f"/api/events/{event['id']}", json={"title": "A new title"})
        # On a busy machine a replica may reply too late, and the primary is asked instead.
        eventually(lambda: _title(servers[1], event, {}) == event["title"])
        comment = {"event_id": event["id"], "email_address": "gus@example.org", "comment": "Hello"}
        written = servers[0].post("/api/comments", json=comment)
        assert _title(servers[1], event, {"Cookie": f"{COOKIE}={written.cookies[COOKIE]}"}) == "A new title"
        assert _title(servers[1].signed_in(str(alice.token)), event, {}) == "A new title"
    assert "HttpOnly" in written.headers["Set-Cookie"]


def _title(reader: Client, event: dict[str, Any], headers: dict[str, str]) -> Any:
    return reader.get(f"/api/events/{event['id']}", headers=headers).json["title"]


def test_the_replicas_serve_nearly_all_reads_of_guests(servers: list[Client]) -> None:
    cast = Cast(servers[0])
    event = an_event(cast.alice, public=True)
    path = f"/api/events/{event['id']}"
    eventually(lambda: servers[1].get(path).status == 200)
    before, primary_before = _count(), _count(server="primary")
    for _ in range(100):
        assert servers[1].get(path).status == 200
        assert servers[1].signed_in(str(cast.alice.token)).get("/api/events").status == 200
    assert _count() - before == 100
    assert _count(server="primary") - primary_before < 10


def test_changes_are_followed_on_the_primary(servers: list[Client]) -> None:
    """A replica does not tell which transactions are still running."""
    calendar = a_calendar(Cast(servers[0]).alice, public=True)
    before = _count()
    assert servers[0].get("/api/changes", query={"calendar_id": calendar["id"]}).status == 200
    assert _count() == before


def test_a_read_does_not_wait_for_a_frozen_replica_and_its_server_is_used_again_later(nodes: list[Node]) -> None:
    """Without the thread that asks the replica, the read would wait for an hour here."""
    with closing(_database([*nodes[:2]], read_ms=AN_HOUR_MS)) as db:
        eventually(partial(_reads_all_replicas, db, nodes[1:2]))
        try:
            with pytest.raises(Retry):
                _read_twice(db, nodes[1].freeze)
            assert _folder_read(db) == str(nodes[0].folder)
        finally:
            nodes[1].thaw()
        eventually(partial(_reads_all_replicas, db, nodes[1:2]))


def _read_twice(db: Database, between: Callable[[], object]) -> None:
    with db.read_replica() as tx:
        tx.value("SELECT 1")
        between()
        tx.value("SELECT 2")


def test_a_replica_that_hangs_while_it_is_connected_to_is_noticed(nodes: list[Node], monkeypatch: pytest.MonkeyPatch) -> None:
    is_connecting, has_ended, may_end = Event(), Event(), Event()

    def hang() -> Connection:
        is_connecting.set()
        may_end.wait(MAX_LAG)
        has_ended.set()
        raise psycopg.OperationalError

    with closing(_database([*nodes[:2]], read_ms=AN_HOUR_MS)) as db:
        eventually(partial(_reads_all_replicas, db, nodes[1:2]))
        assert db._replicas
        [replica] = db._replicas._replicas
        monkeypatch.setattr(replica, "_connect", hang)

        def freeze() -> None:
            while replica.acquire():
                """Another one is opened when none is idle."""
            assert is_connecting.wait(MAX_LAG)
            nodes[1].freeze()

        try:
            with pytest.raises(Retry):
                _read_twice(db, freeze)
            assert not has_ended.is_set()
        finally:
            may_end.set()
            nodes[1].thaw()


def test_clients_notice_nothing_when_all_replicas_hang(servers: list[Client], nodes: list[Node]) -> None:
    cast = Cast(servers[0])
    path = f"/api/events/{an_event(cast.alice, public=True)['id']}"
    eventually(lambda: all(server.get(path).status == 200 for server in servers))
    try:
        for replica in nodes[1:]:
            replica.freeze()
        with ThreadPoolExecutor(4) as threads:
            statuses = list(threads.map(lambda number: servers[number % 2].get(path).status, range(40)))
    finally:
        for replica in nodes[1:]:
            replica.thaw()
    assert statuses == [200] * 40


def test_a_read_that_fails_on_a_replica_alone_runs_on_the_primary(nodes: list[Node]) -> None:
    """A migration may not have reached the replica yet."""
    with closing(_database(nodes)) as db:
        eventually(partial(_reads_all_replicas, db, nodes[1:]))
        with _paused(nodes[1:]):
            nodes[0].execute("CREATE TABLE shells AS SELECT 1 AS id")
            with pytest.raises(Retry), db.read_replica() as tx:
                tx.value("SELECT id FROM shells")
            with db.read() as tx:
                assert tx.value("SELECT id FROM shells") == 1


@pytest.mark.parametrize("what", ["the primary itself", "a replica that lags"])
def test_what_shows_another_state_than_the_limit_allows_is_not_read(nodes: list[Node], what: str) -> None:
    replica = nodes[0] if what == "the primary itself" else nodes[1]
    with closing(Postgres(nodes[0].url, replicas=replica.url, max_lag=1)) as db:
        if replica is nodes[0]:
            before = _count(reason="unavailable")
            eventually(lambda: _folder_read(db) and _count(reason="unavailable") > before + 20)
        else:
            eventually(partial(_reads_all_replicas, db, [replica]))
            with _paused([replica]):
                nodes[0].execute("SELECT pg_logical_emit_message(true, 'kalends', 'written')")
                eventually(lambda: _folder_read(db) == str(nodes[0].folder))
            eventually(partial(_reads_all_replicas, db, [replica]))
