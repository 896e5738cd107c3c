"""Replicas that stop replaying and hang under two servers: what is read too old, which reads fail, and how long they take."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.db.replication import Node, started_nodes
from tests.faults.row import Row, percentile
from tests.serve.running import Running, ask, bearer, eventually

SECRET = "the secret of both servers of the cluster"
METRICS_TOKEN = "figures-please"
CLIENTS = 4
READS = 2_000
# How long replay goes on and stops, alternately, in seconds.
PAUSES = (0.05, 0.5)
HANG_SECONDS = 5


def show(folder: Path, pairs: int, hangs: int, step: Callable[[], object]) -> list[Row]:
    """Create and read events, then only read, then let replicas hang this number of times."""
    with started_nodes(replicas=2) as nodes, _servers(folder, nodes) as servers:
        token = bearer(servers[0].sign_up("ana"))
        calendar = {
            "calendar_id": servers[0].post("/api/calendars", {"name": "Concerts", "public": True}, headers=token).json["id"],
            "public": True,
        }
        with _pausing(nodes[1:]), ThreadPoolExecutor(CLIENTS) as threads:
            stale = sum(threads.map(lambda _: _count_stale(servers, token, calendar, pairs // CLIENTS), range(CLIENTS)))
        rows = [_pairs_row(pairs // CLIENTS * CLIENTS, stale)]
        event_id = servers[0].post("/api/events", calendar | {"title": "Jazz", "start_time": "2026-06-01T20:00"}, headers=token).json["id"]
        read = partial(_read, servers, f"/api/events/{event_id}", {})
        eventually(lambda: all(read(number)[0] == 200 for number in range(len(servers))))
        before = _counts(servers)
        with ThreadPoolExecutor(CLIENTS) as threads:
            replies = list(threads.map(read, range(READS)))
        rows.append(_share_row(replies, _share(before, _counts(servers))))
        return [*rows, _hang_row(nodes[1:], read, hangs, step)]


@contextmanager
def _servers(folder: Path, nodes: list[Node]) -> Iterator[list[Running]]:
    hosts = ",".join(str(node.socket_folder) for node in nodes[1:])
    shared = {"secret": SECRET, "rate_limits": "off", "access_log": "off", "metrics_token": METRICS_TOKEN, "database": nodes[0].url}
    servers = []
    try:
        for number in range(2):
            (folder / str(number)).mkdir()
            replicas = f"postgresql://postgres@/postgres?host={hosts}"
            servers.append(Running(folder / str(number), "--no-work", replicas=replicas, **shared).ready())
        yield servers
    finally:
        for server in servers:
            server.stop()


@contextmanager
def _pausing(replicas: list[Node]) -> Iterator[None]:
    """Pause and resume the replay of each replica at random in the block."""
    stopping = threading.Event()

    def pause(replica: Node) -> None:
        while not stopping.wait(random.uniform(*PAUSES)):
            replica.execute("SELECT pg_wal_replay_pause()")
            stopping.wait(random.uniform(*PAUSES))
            replica.execute("SELECT pg_wal_replay_resume()")

    threads = [threading.Thread(target=pause, args=(replica,)) for replica in replicas]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def _count_stale(servers: list[Running], token: dict[str, str], calendar: dict[str, int], pairs: int) -> int:
    """How many events, created through one server, are not found at once through the other."""
    writer, reader = (server.connection() for server in servers)
    stale = 0
    for number in range(pairs):
        created = ask(writer, "POST", "/api/events", calendar | {"title": f"{number}", "start_time": "2026-06-01T20:00"}, token)
        assert created.status == 201, created
        stale += ask(reader, "GET", f"/api/events/{created.json['id']}", headers=token).status != 200
    writer.close()
    reader.close()
    return stale


def _read(servers: list[Running], path: str, headers: dict[str, str], number: int) -> tuple[int, float]:
    """The status of a read and how long it took."""
    began = time.monotonic()
    return servers[number % len(servers)].get(path, headers=headers).status, time.monotonic() - began


def _counts(servers: list[Running]) -> Counter[str]:
    """How many reads each server of the database has served."""
    counts: Counter[str] = Counter()
    for server in servers:
        for metric in text_string_to_metric_families(server.get("/metrics", headers=bearer(METRICS_TOKEN)).text):
            for sample in metric.samples:
                if sample.name == "kalends_database_reads_total":
                    counts[sample.labels["server"]] += int(sample.value)
    return counts


def _share(before: Counter[str], after: Counter[str]) -> float:
    """The share of the primary in the reads between two counts."""
    counts = after - before
    return counts["primary"] / counts.total()


def _pairs_row(pairs: int, stale: int) -> Row:
    figures = f"{pairs:,} creates through one server, each read by its user through the other immediately: {stale} not found"
    return Row("two replicas stop and resume replaying", "PostgreSQL", figures, "0 not found", not stale)


def _share_row(replies: list[tuple[int, float]], share: float) -> Row:
    failed = sum(status != 200 for status, _ in replies)
    figures = f"{len(replies):,} reads: {share:.1%} served by the primary, {failed} failed"
    return Row("none: reads without writes", "PostgreSQL", figures, "fewer than 5 % by the primary", not failed, share < 0.05)


def _hang_row(replicas: list[Node], read: Callable[[int], tuple[int, float]], hangs: int, step: Callable[[], object]) -> Row:
    replies: list[tuple[int, float]] = []
    for number in range(hangs):
        frozen = replicas if number % 2 else replicas[:1]
        with ThreadPoolExecutor(CLIENTS) as threads:
            end = time.monotonic() + HANG_SECONDS
            reading = [threads.submit(_read_until, end, read) for _ in range(CLIENTS)]
            for replica in frozen:
                replica.freeze()
            replies += [reply for each in reading for reply in each.result()]
        for replica in frozen:
            replica.thaw()
        step()
    seconds = [duration for _, duration in replies]
    failed = sum(status != 200 for status, _ in replies)
    figures = (
        f"{hangs} times, {len(replies):,} reads meanwhile: {failed} failed; {percentile(seconds, 0.5) * 1000:.0f} ms (median), "
        f"{max(seconds):.2f} s (maximum)"
    )
    goal = "no read fails or takes longer than 1 s"
    return Row("one replica, or both, frozen (SIGSTOP)", "PostgreSQL", figures, goal, not failed, max(seconds) <= 1)


def _read_until(end: float, read: Callable[[int], tuple[int, float]]) -> list[tuple[int, float]]:
    replies: list[tuple[int, float]] = []
    while time.monotonic() < end:
        replies.append(read(len(replies)))
    return replies
