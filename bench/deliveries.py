"""10,000 messages that wait: how many a worker sends a second, over how many sessions, and how long the mail of others takes."""

import asyncio
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from aiosmtpd.smtp import SMTP

from bench import servers
from bench.databases import FEW, KINDS, Databases, Where
from bench.guests import insert_responses
from bench.load import PASSWORD
from bench.report import Report, table
from bench.servers import CLIENT_CORE, LOG, QUIET, SERVER_CORE
from bench.user import User
from bench.wrk import Request
from kalends.core import settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.features.sessions import store as sessions
from kalends.features.users import store as users
from kalends.features.users.model import Registration
from kalends.http.context import Context

MESSAGES = 10_000
PROBES = 20
WAIT_SECONDS = 1_200
MOST_DELAY = 5_000
HOW = f"""An organiser writes to {MESSAGES:,} guests. A worker on one core (with PostgreSQL's own processes on the same) sends the mails
to an SMTP server on loopback. Meanwhile, {PROBES} times a user asks for a password reset, a guest has an event of another organiser sent
to them, and that organiser writes to one guest: the median and the longest time from the request to the arrival, in milliseconds. The
SMTP server and the service run on the other core."""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rows = []
    for kind in KINDS:
        with databases.copy(kind, FEW) as where:
            rows.append([kind, *_send(where, 1_000 if quick else MESSAGES, 5 if quick else PROBES)])
    head = [
        "database",
        "messages a second",
        "processor time of a message, ms",
        "messages a session",
        "reset, ms",
        "send to me, ms",
        "message, ms",
    ]
    goal = ["goal", "", "", "", *[f"at most {MOST_DELAY:,}" for _ in range(3)]]
    report.write("deliveries", "Deliveries", [table(head, [*rows, goal]), HOW])


class Sink:
    """Takes every message, and knows when the first for each address arrived."""

    def __init__(self) -> None:
        self.connections = 0
        self.arrivals: dict[str, float] = {}

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.arrivals.setdefault(envelope.rcpt_tos[0], time.perf_counter())
        return "250 OK"

    def wait(self, address: str) -> float:
        """When a message for the address arrived."""
        deadline = time.monotonic() + WAIT_SECONDS
        while address not in self.arrivals:
            if time.monotonic() > deadline:
                sys.exit(f"nothing arrived at {address}")
            time.sleep(0.005)
        return self.arrivals[address]


@contextmanager
def _smtp_server(sink: Sink) -> Iterator[int]:
    loop = asyncio.new_event_loop()

    def connect() -> SMTP:
        sink.connections += 1
        return SMTP(sink, loop=loop, hostname="mail.test")

    server = loop.run_until_complete(loop.create_server(connect, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield server.sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def _send(where: Where, messages: int, probes: int) -> list[str]:
    sink = Sink()
    loaded = settings.load({"data": str(where.data), "database": where.database})
    with closing(open_database(loaded)) as db, servers.kalends(where, cores=CLIENT_CORE) as server, _smtp_server(sink) as port:
        probe = _Probe(server.port, db, sink, probes)
        _queue(server.port, db, messages)
        with _worker(where, port) as process:
            began = sink.wait("g1@example.net")
            delays = [probe.delays(number) for number in range(probes)]
            _wait_until_sent(db)
            seconds, sent = max(sink.arrivals.values()) - began, len(sink.arrivals)
            busy = servers.ticks((process.pid,))
    columns = zip(*delays, strict=True)
    return [
        f"{sent / seconds:,.0f}",
        f"{busy * 10 / sent:.1f}",
        f"{sent / sink.connections:,.0f}",
        *(f"{statistics.median(each):,.0f}, {max(each):,.0f}" for each in columns),
    ]


class _Probe:
    """Another organiser and users who have forgotten their passwords, while many messages wait."""

    def __init__(self, port: int, db: Database, sink: Sink, probes: int):
        ctx = Context(db, settings.Settings(), timestamps.now())
        with ctx.write():
            for number in range(probes):
                users.insert(ctx, _registration(f"forgetful{number}"), "no hash: nobody signs in")
            token = sessions.insert(ctx, users.insert(ctx, _registration("other"), "no hash: nobody signs in"), None)[1]
        self._user = User(port)
        self._user.token = token
        self._event_id = int(self._user.json(Request("/api/events", {"title": "Gig", "start_time": "2099-06-01T20:00", "public": 1}))["id"])
        self._db = db
        self._sink = sink

    def delays(self, number: int) -> list[float]:
        """The milliseconds until each of the three messages arrived."""
        guest, path = f"probe{number}@example.net", f"/api/events/{self._event_id}"
        response: dict[str, str | int] = {"event_id": self._event_id, "email_address": guest, "response": "YES", "name": "Guest"}
        response_id = self._user.json(Request("/api/responses", response))["id"]
        with self._db.write() as tx:
            # Whom an organiser has added gets messages after an answer only.
            tx.run("UPDATE responses SET added = FALSE WHERE id = :id", id=response_id)
        times = [
            self._reset(f"forgetful{number}"),
            self._ask(f"me{number}@example.net", Request(f"{path}/send_to_me", {"email": f"me{number}@example.net"}), "PUT"),
            self._ask(guest, Request(f"{path}/messages", {"to": str(response_id), "subject": "Hi", "text": "Hello"})),
        ]
        return [1000 * (self._sink.wait(address) - began) for address, began in times]

    def _reset(self, name: str) -> tuple[str, float]:
        began = time.perf_counter()
        ctx = Context(self._db, settings.Settings(), timestamps.now())
        with ctx.write():
            users.insert_reset_request(ctx, name)
        return f"{name}@example.org", began

    def _ask(self, address: str, request: Request, method: str = "") -> tuple[str, float]:
        began = time.perf_counter()
        self._user.ask(request, method=method)
        return address, began


def _registration(name: str) -> Registration:
    return Registration(user_name=name, email_address=f"{name}@example.org", password=PASSWORD)


def _queue(port: int, db: Database, messages: int) -> None:
    """An organiser writes to this many guests."""
    user = User(port)
    event_id = int(user.json(Request("/api/events", {"title": "Gig", "start_time": "2099-06-01T20:00", "public": 1}))["id"])
    insert_responses(db, event_id, messages)
    User(port, known=user).ask(Request(f"/api/events/{event_id}/messages", {"to": "going", "subject": "Doors", "text": "At seven."}))


@contextmanager
def _worker(where: Where, port: int) -> "Iterator[subprocess.Popen[bytes]]":
    command = ["taskset", "-c", SERVER_CORE, sys.executable, "-m", "kalends.cli", "work", *where.options]
    variables = QUIET | {"KALENDS_EMAIL": f"smtp://127.0.0.1:{port}"}
    with LOG.open("ab") as log:
        process = subprocess.Popen(command, env=os.environ | variables, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _wait_until_sent(db: Database) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        with db.read() as tx:
            if not tx.rows("SELECT 1 FROM deliveries WHERE state IN ('queued', 'sending') LIMIT 1"):
                return
        if time.monotonic() > deadline:
            sys.exit("the messages were not sent in time")
        time.sleep(0.1)
