"""Two servers behind HAProxy, upgraded one by one to a version whose migration builds an index, under requests that nobody repeats."""

import json
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from unittest.mock import patch

import psycopg

import kalends
from kalends.db.migrate import KALENDS
from tests.faults.cluster import free_port
from tests.faults.haproxy import started_haproxy
from tests.faults.postgres import Postgres
from tests.faults.row import Row
from tests.faults.servers import SECRET
from tests.serve.running import Running, bearer, eventually

CLIENTS = 8
REQUESTS_PER_SECOND = 10
DRAIN_SECONDS = 5
# How long the load balancer may take to choose a server that is ready again.
NOTICE_SECONDS = 3
GOAL = "0 failed requests; slowest < 1 s"

MIGRATION = "-- @needs {needs:04}\n-- @concurrently\nCREATE INDEX events_trial ON events (title, location, start_at);\n"
# Rows that differ from the first one in their ids alone, without the journal.
COPIES = """
    ALTER TABLE events DISABLE TRIGGER USER;
    INSERT INTO events ({columns}) SELECT {values} FROM events, generate_series(1, {number}) AS n;
    ALTER TABLE events ENABLE TRIGGER USER;
    ANALYZE events;
"""


class Clients:
    """Clients that read and create in turn, half of them with a new connection for each request."""

    def __init__(self, port: int, headers: dict[str, str], calendar_id: int):
        self._port = port
        self._headers = headers | {"Content-Type": "application/json"}
        self._body = json.dumps({"title": "Concert", "start_time": "2026-06-01T20:00", "calendar_id": calendar_id})
        self._event_path = f"/api/events?calendar_id={calendar_id}&limit=5"
        self.replies: Counter[str] = Counter()
        self.slowest = 0.0
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number % 2 == 0,)) for number in range(CLIENTS)]

    def __enter__(self) -> "Clients":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _run(self, with_new_connections: bool) -> None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        for number in range(1_000_000):
            if self._stopping.wait(1 / REQUESTS_PER_SECOND):
                break
            if with_new_connections:
                connection.close()
            begun = time.monotonic()
            self.replies[self._send(connection, creates=number % 4 == 0)] += 1
            self.slowest = max(self.slowest, time.monotonic() - begun)
        connection.close()

    def _send(self, connection: HTTPConnection, *, creates: bool) -> str:
        try:
            if creates:
                connection.request("POST", "/api/events", self._body, self._headers)
            else:
                connection.request("GET", self._event_path, headers=self._headers)
            reply = connection.getresponse()
            reply.read()
            return str(reply.status)
        except (OSError, HTTPException) as error:
            connection.close()
            return type(error).__name__


def show(folder: Path, postgres: Postgres, events: int) -> Row:
    """Upgrade both servers."""
    database = postgres.new()
    settings = {
        "database": database,
        "secret": SECRET,
        "rate_limits": "off",
        "access_log": "off",
        "drain": DRAIN_SECONDS,
        "quota_events": 0,
    }
    places = [(folder / name, free_port()) for name in ("one", "two")]
    with ExitStack() as running:
        servers: list[Running] = []
        running.callback(lambda: [server.stop() for server in servers])
        for place, port in places:
            place.mkdir()
            servers.append(Running(place, "--no-work", port=port, **settings))
            servers[-1].ready()
        headers = bearer(servers[0].sign_up("ana"))
        calendar_id = servers[0].post("/api/calendars", {"name": "Concerts"}, headers=headers).json["id"]
        fields = {"title": "Concert", "start_time": "2026-06-01T20:00", "calendar_id": calendar_id}
        assert servers[0].post("/api/events", fields, headers=headers).status == 201
        _copy_event(database, events)
        haproxy = running.enter_context(started_haproxy([port for _, port in places]))
        eventually(lambda: _is_open(haproxy))
        with Clients(haproxy, headers, calendar_id) as clients:
            for number, (place, port) in enumerate(places):
                assert servers[number].stop() == 0
                with _newer_version(folder):
                    servers[number] = Running(place, "--no-work", port=port, **settings)
                    servers[number].ready()
                time.sleep(NOTICE_SECONDS)
    failed = {reply: number for reply, number in clients.replies.items() if reply not in ("200", "201")}
    migrations = _count(database, "migrations WHERE number = 9999")
    figures = (
        f"{events:,} events, {migrations} migration: {sum(clients.replies.values()):,} requests, failed: {failed or 0}; "
        f"slowest {clients.slowest:.2f} s"
    )
    return Row("upgrade of two servers", "PostgreSQL", figures, GOAL, not failed and migrations == 1, clients.slowest < 1)


def _copy_event(database: str, number: int) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'events' AND column_name NOT IN ('id')"
        ).fetchall()
        names = [name for (name,) in rows]
        own = {
            "uid": "uid || n",
            "link_token": "NULL",
            "title": "title || ' ' || n",
            "start_at": "start_at + n * 60",
            "until_at": "until_at + n * 60",
        }
        values = [own.get(name, name) for name in names]
        connection.execute(COPIES.format(columns=", ".join(names), values=", ".join(values), number=number).encode())


@contextmanager
def _newer_version(folder: Path) -> Iterator[None]:
    """Within the block, servers are started from a copy of the program that has one migration more."""
    package = folder / "newer" / "kalends"
    if not package.exists():
        shutil.copytree(Path(kalends.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        (package / "db" / "migrations" / "9999_trial.sql").write_text(MIGRATION.format(needs=KALENDS.latest()))
    with patch.dict(os.environ, {"PYTHONPATH": str(package.parent)}):
        yield


def _count(database: str, rows: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute(f"SELECT count(*) FROM {rows}".encode()).fetchone()
    assert row
    return int(row[0])


def _is_open(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
