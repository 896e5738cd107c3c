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
from msgspec import Struct

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


FAULTS = [
    Fault("switchover", Cluster.switch_over, 2),
    Fault("kill -9 of the primary's PostgreSQL", lambda cluster: cluster.node("leader").kill_postgres(), 4),
    Fault("synchronous replica lost", lambda cluster: cluster.node("sync_standby").lose(), 4),
    Fault("loss of the primary's machine", lambda cluster: cluster.node("leader").lose(), TTL + 2),
    # The last one: Patroni 3.0 may not recover when its old primary comes back.
    Fault("primary frozen, later thawed", lambda cluster: cluster.node("leader").freeze(), TTL + 2),
]


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


def show(cluster: Cluster, servers: list[Running], fault: Fault, rounds: int, step: Callable[[], object]) -> Row:
    """Inject the fault this number of times."""
    headers = bearer(servers[0].sign_up(f"ana{uuid4().hex[:8]}"))
    calendar_id = servers[0].post("/api/calendars", {"name": "Concerts"}, headers=headers).json["id"]
    acknowledged: set[str] = set()
    replies: Counter[str] = Counter()
    gaps: list[float] = []
    for _ in range(rounds):
        with Writer(servers, headers, calendar_id) as writer:
            eventually(lambda: len(writer.acknowledged) > CREATES_PER_SECOND)
            fault.inject(cluster)
            injected = time.monotonic()
            # The gap is over when writes go on, some time after the fault was noticed.
            eventually(lambda: time.monotonic() > injected + 3 and writer.has_written_since(time.monotonic() - 1, 20))  # noqa: B023
        acknowledged |= writer.acknowledged.keys()
        replies += writer.replies
        gaps.append(writer.longest_gap())
        for node in cluster.nodes:
            node.revive()
        step()
        if not cluster.is_whole_again():
            break
    stored = _titles(cluster, calendar_id)
    lost, twice = len(acknowledged - stored.keys()), sum(number > 1 for number in stored.values())
    others = {reply: number for reply, number in replies.items() if reply not in ("201", "503")}
    figures = (
        f"{len(gaps)} rounds, {len(acknowledged):,} creates acknowledged: {lost} lost, {twice} twice; {replies['503']:,} times 503 "
        f"with Retry-After, other replies: {others or 'none'}; without a write: {spread(gaps)}"
    )
    goal = GOAL.format(seconds=fault.max_seconds)
    return Row(fault.name, "cluster", figures, goal, not (lost or twice or others), max(gaps) <= fault.max_seconds)


def _titles(cluster: Cluster, calendar_id: int) -> Counter[str]:
    """The events that the primary has."""
    with psycopg.connect(f"{cluster.url}?target_session_attrs=read-write") as connection:
        rows = connection.execute("SELECT title FROM events WHERE calendar_id = %s", [calendar_id]).fetchall()
    return Counter(title for (title,) in rows)
