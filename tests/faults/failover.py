"""Faults of a PostgreSQL cluster under creates with keys, on two servers: what is lost or done twice, and how long nothing is written."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from uuid import uuid4

import psycopg
from msgspec import Struct, structs

from tests.faults.cluster import TTL, Cluster
from tests.faults.row import Row, spread
from tests.serve.running import Running, bearer, eventually

CLIENTS = 10
CREATES_PER_SECOND = 50
RETRY_SECONDS = 0.2
GOAL = "0 lost, 0 twice; only 503 with Retry-After; without a write at most {seconds} s"


class Fault(Struct, frozen=True):
    """What is done to the cluster, and how long it may take no write."""

    name: str
    inject: Callable[[Cluster], None]
    max_seconds: float


SWITCHOVER = Fault("switchover", Cluster.switch_over, 2)
KILL = Fault("kill -9 of the primary's PostgreSQL", lambda cluster: cluster.node("leader").kill_postgres(), 4)
FAULTS = [
    SWITCHOVER,
    KILL,
    Fault("synchronous replica lost", lambda cluster: cluster.node("sync_standby").lose(), 4),
    Fault("loss of the primary's machine", lambda cluster: cluster.node("leader").lose(), TTL + 2),
    # The last one: Patroni 3.0 may not recover when its old primary comes back.
    Fault("primary frozen, later thawed", lambda cluster: cluster.node("leader").freeze(), TTL + 2),
]
POOLED_FAULTS = [structs.replace(fault, name=f"{fault.name}, through PgBouncer") for fault in (SWITCHOVER, KILL)]


class Writer:
    """Clients that create events at a rate, each with its key and again until it is created."""

    def __init__(self, servers: list[Running], headers: dict[str, str], calendar_id: int):
        self._servers = servers
        self._headers = headers | {"Content-Type": "application/json"}
        self._calendar_id = calendar_id
        self.acknowledged: dict[str, float] = {}
        self.replies: Counter[str] = Counter()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(CLIENTS)]

    def __enter__(self) -> "Writer":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def has_written_since(self, begun: float, number: int) -> bool:
        return sum(at > begun for at in list(self.acknowledged.values())) >= number

    def longest_gap(self) -> float:
        times = sorted(self.acknowledged.values())
        return max(after - before for before, after in pairwise(times))

    def _run(self, number: int) -> None:
        due = time.monotonic()
        while not self._stopping.is_set():
            self._create(number)
            due = max(due + CLIENTS / CREATES_PER_SECOND, time.monotonic())
            self._stopping.wait(max(0, due - time.monotonic()))

    def _create(self, number: int) -> None:
        title = uuid4().hex
        body = json.dumps({"title": title, "start_time": "2026-06-01T20:00", "calendar_id": self._calendar_id})
        headers = self._headers | {"Idempotency-Key": uuid4().hex}
        for attempt in range(1_000):
            reply = self._send(self._servers[(number + attempt) % len(self._servers)], body, headers)
            self.replies[reply] += 1
            if reply == "201":
                self.acknowledged[title] = time.monotonic()
                return
            time.sleep(RETRY_SECONDS)

    @staticmethod
    def _send(server: Running, body: str, headers: dict[str, str]) -> str:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        try:
            connection.request("POST", "/api/events", body, headers)
            reply = connection.getresponse()
            reply.read()
            return f"{reply.status}{'' if reply.status == 201 or reply.getheader('Retry-After') else ' without Retry-After'}"
        except (OSError, HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()


class Round(Struct, frozen=True):
    """What the clients saw of one fault, and what the primary has afterwards."""

    acknowledged: int
    lost: int
    twice: int
    unavailable: int
    errors: dict[str, int]
    gap: float

    @property
    def is_sound(self) -> bool:
        return not (self.lost or self.twice or self.errors)

    def cells(self, fault: Fault, number: int) -> list[str]:
        is_met = self.is_sound and self.gap <= fault.max_seconds
        numbers = (number, self.acknowledged, self.lost, self.twice, self.unavailable)
        errors = str(self.errors) if self.errors else "0"
        return [fault.name, *map(str, numbers), errors, f"{self.gap:.2f}", f"{fault.max_seconds}", "yes" if is_met else "NO"]


def show(cluster: Cluster, database: str, servers: list[Running], fault: Fault, number: int, step: Callable[[], object]) -> Row:
    """Inject the fault this number of times."""
    headers = bearer(servers[0].sign_up(f"ana{uuid4().hex[:8]}"))
    rounds: list[Round] = []
    is_whole = True
    while is_whole and len(rounds) < number:
        a_round, is_whole = _run_round(cluster, servers, fault, headers)
        rounds.append(a_round)
        step()
    gaps = [each.gap for each in rounds]
    errors: Counter[str] = sum((Counter(each.errors) for each in rounds), Counter())
    figures = (
        f"{len(rounds)} of {number} rounds, {sum(each.acknowledged for each in rounds):,} creates acknowledged: "
        f"{sum(each.lost for each in rounds)} lost, {sum(each.twice for each in rounds)} twice; "
        f"{sum(each.unavailable for each in rounds):,} times 503 with Retry-After, other replies: {dict(errors) or 'none'}; "
        f"without a write: {spread(gaps)}{'' if is_whole else '; the cluster did not recover by itself'}"
    )
    is_sound = len(rounds) == number and all(each.is_sound for each in rounds)
    cells = [each.cells(fault, position) for position, each in enumerate(rounds, 1)]
    return Row(fault.name, database, figures, GOAL.format(seconds=fault.max_seconds), is_sound, max(gaps) <= fault.max_seconds, cells)


def _run_round(cluster: Cluster, servers: list[Running], fault: Fault, headers: dict[str, str]) -> tuple[Round, bool]:
    """Inject the fault once. Returns also whether the cluster recovered."""
    calendar_id = servers[0].post("/api/calendars", {"name": "Concerts"}, headers=headers).json["id"]
    with Writer(servers, headers, calendar_id) as writer:
        eventually(lambda: len(writer.acknowledged) > CREATES_PER_SECOND)
        fault.inject(cluster)
        injected = time.monotonic()
        # The gap is over when writes go on, some time after the fault was noticed.
        eventually(lambda: time.monotonic() > injected + 3 and writer.has_written_since(time.monotonic() - 1, 20))
    for node in cluster.nodes:
        node.revive()
    is_whole = cluster.is_whole_again()
    stored = _titles(cluster, calendar_id)
    a_round = Round(
        acknowledged=len(writer.acknowledged),
        lost=len(writer.acknowledged.keys() - stored.keys()),
        twice=sum(number > 1 for number in stored.values()),
        unavailable=writer.replies["503"],
        errors={reply: number for reply, number in writer.replies.items() if reply not in ("201", "503")},
        gap=writer.longest_gap(),
    )
    return a_round, is_whole


def _titles(cluster: Cluster, calendar_id: int) -> Counter[str]:
    """The events that the primary has."""
    with psycopg.connect(cluster.primary_url) as connection:
        rows = connection.execute("SELECT title FROM events WHERE calendar_id = %s", [calendar_id]).fetchall()
    return Counter(title for (title,) in rows)
