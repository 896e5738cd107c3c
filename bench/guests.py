"""Events with 100 and with 50,000 responses: what a show, the guest page, a new response and a withdrawal cost, and responses a second."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from bench import servers, wrk
from bench.databases import FEW, KINDS, Databases
from bench.report import Report, table
from bench.servers import TICK_MILLISECONDS, Server
from bench.user import User
from bench.wrk import NEW, Request
from kalends.core import settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database

NUMBERS = (100, 50_000)
ROUNDS, EACH = 5, 60
# Responses that are inserted in one transaction. PostgreSQL takes the longer for each, the more often a transaction changes a count.
BATCH = 500
GOAL = 500
# Enough for a busy core, since each reply is sent 50 ms after its request.
CLIENTS = 128
HOW = f"""{FEW:,} events, one worker process on one core, with PostgreSQL's own processes on the same. One client sends {ROUNDS} rounds of
{EACH} requests: the least median of a round in milliseconds and, in brackets, the processor time of the service for each. A
withdrawal gives the seat to the first of those who wait. Responses a second: new addresses, {CLIENTS} clients of wrk on another core;
in brackets, as many as the processor time of the service would allow for if it had the core for itself."""

_RESPONSES = """
INSERT INTO responses (event_id, email_address, email_key, name, response, number, plus_n, opt_in, version, created_at, updated_at)
WITH RECURSIVE numbers (n) AS (SELECT CAST(:first AS BIGINT) + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)
SELECT CAST(:id AS BIGINT),
       'g' || n || '@example.net', 'g' || n || '@example.net', 'Guest ' || n, 'YES', 1, 0, FALSE, 1, :now, :now FROM numbers
"""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rows = []
    for kind in KINDS:
        with databases.copy(kind, FEW) as where:
            db = open_database(settings.load({"data": str(where.data), "database": where.database}))
            with servers.kalends(where) as server:
                costs = [_Guests(server, db, number).costs() for number in NUMBERS]
                rows += [[kind, name, *(str(cost[name]) for cost in costs)] for name in costs[0]]
                rows += [[kind, *row] for row in _rates(server, 2 if quick else 5)]
            db.close()
    head = ["database", "request", *(f"{number:,} responses" for number in NUMBERS)]
    report.write("guests", "Guests", [table(head, [*rows, ["goal", "responses a second", f"{GOAL}", ""]]), HOW])


def insert_responses(db: Database, event_id: int, number: int) -> None:
    """Give the event this number of guests, all of whom come."""
    for first in range(0, number, BATCH):
        with db.write(alone=True) as tx:
            tx.run(_RESPONSES, id=event_id, first=first, last=min(first + BATCH, number), now=timestamps.now())
    with db.write() as tx:
        tx.script("ANALYZE responses")


class Cost(Struct, frozen=True):
    """Milliseconds of a request, and of the processor time for it."""

    latency: float
    processor: float

    def __str__(self) -> str:
        return f"{self.latency:.2f} ({self.processor:.2f})"


class _Guests:
    """An event with this number of guests, all of whom come."""

    def __init__(self, server: Server, db: Database, number: int):
        self._server = server
        self._db = db
        self._number = number
        user = User(server.port)
        self._event_id = _an_event(user)
        self._addresses = (f"new{n}-{number}@example.net" for n in range(1_000_000))
        insert_responses(db, self._event_id, number)
        # Meanwhile, the server may have closed the idle connection.
        self._user = User(server.port, known=user)

    def costs(self) -> dict[str, Cost]:
        path = f"/api/events/{self._event_id}"
        costs = {
            "show": self._cost(lambda: self._ask(Request(path))),
            "guest page": self._cost(lambda: self._user.ask(Request(f"/events/{self._event_id}/responses"), cookie=True)),
            "response": self._cost(self._respond),
        }
        self._set_capacity(2 * ROUNDS * EACH)
        costs["response, with a capacity"] = self._cost(self._respond)
        self._set_capacity(0)
        for _ in range(2 * ROUNDS * EACH):
            self._respond()
        seated = self._seated_ids()
        costs["withdrawal"] = self._cost(lambda: self._ask(Request(f"/api/responses/{next(seated)}", {"response": "NO"}), "PUT"))
        return costs

    def _cost(self, send: Callable[[], object]) -> Cost:
        send()
        used = self._server.ticks
        latency = min(statistics.median(_milliseconds(send) for _ in range(EACH)) for _ in range(ROUNDS))
        return Cost(latency, (self._server.ticks - used) * TICK_MILLISECONDS / (ROUNDS * EACH))

    def _ask(self, request: Request, method: str = "") -> Any:
        return self._user.ask(request, method=method)

    def _respond(self) -> None:
        fields: dict[str, str | int] = {
            "event_id": self._event_id,
            "email_address": next(self._addresses),
            "name": "New",
            "response": "YES",
        }
        self._user.ask(Request("/api/responses", fields), guest=True)

    def _set_capacity(self, free: int) -> None:
        with self._db.read() as tx:
            people = int(tx.value("SELECT count(*) FROM responses WHERE event_id = :id", id=self._event_id))
        self._ask(Request(f"/api/events/{self._event_id}", {"capacity": people + free, "waiting_list": "auto"}), "PUT")

    def _seated_ids(self) -> Iterator[int]:
        with self._db.read() as tx:
            rows = tx.rows(
                "SELECT id FROM responses WHERE event_id = :id AND held > 0 ORDER BY id DESC LIMIT :count", id=self._event_id, count=1_000
            )
        return iter([response_id for (response_id,) in rows])


def _rates(server: Server, seconds: int) -> Iterator[list[str]]:
    user = User(server.port)
    for name, more in (("responses a second", {}), ("responses a second, with a capacity", {"capacity": 1_000_000})):
        fields: dict[str, str | int] = {"event_id": _an_event(user, **more), "email_address": f"{NEW}@example.net", "response": "YES"}
        used = server.ticks
        rate = wrk.measured(server.port, Request("/api/responses", fields), "", seconds, connections=CLIENTS).rate
        busy = (server.ticks - used) * TICK_MILLISECONDS / 1000
        yield [name, f"{rate:,.0f} ({rate * seconds / busy:,.0f})", ""]


def _an_event(user: User, **fields: str | int) -> int:
    return int(user.json(Request("/api/events", {"title": "Gig", "start_time": "2099-06-01T20:00", "public": 1, **fields}))["id"])


def _milliseconds(send: Callable[[], object]) -> float:
    began = time.perf_counter()
    send()
    return (time.perf_counter() - began) * 1000
