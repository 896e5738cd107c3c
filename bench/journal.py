"""The journal of changes: its bytes for each create and update, and the latency of requests while a million of its rows are pruned."""

import statistics
import threading
import time
from collections.abc import Callable

from bench import servers
from bench.databases import FEW, KINDS, Databases
from bench.report import Report, table
from bench.user import User
from bench.wrk import Request
from kalends.app.worker import prune_history
from kalends.core import settings
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, open_database
from kalends.http.context import Context

WRITES = 1_000
ROWS = 1_000_000
OLD_DAYS = 400
TABLES = ("changes", "sync_entries")
REQUESTS = ("show", "create")
MOST_WAIT = 1_000
HOW = f"""{FEW:,} events, one worker process on one core, and one client that sends one request after the other. Bytes: the growth of the
tables of the journal with their indexes, over {WRITES:,} creates or updates of the title. Pruning: {ROWS:,} rows, half of them changes
and half entries for followers, are deleted in another process meanwhile, as the background worker does; p50, p99 and the longest
latency."""

_CHANGES = """
INSERT INTO changes (set_id, at, via, kind, record_id, event_id, op, before)
SELECT c.id, :at, 'api', 'event', e.id, e.id, 'update', e.description FROM events e CROSS JOIN calendars c WHERE c.id <= :copies
"""
_ENTRIES = """
INSERT INTO sync_entries (calendar_id, kind, record_id, at)
SELECT e.calendar_id, 'event', e.id, :at FROM events e CROSS JOIN calendars c WHERE c.id <= :copies
"""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rows = []
    for kind in KINDS:
        with databases.copy(kind, FEW) as where:
            loaded = settings.load({"data": str(where.data), "database": where.database})
            db = open_database(loaded)
            with servers.kalends(where) as server:
                user = User(server.port)
                sizes = _bytes_of_writes(db, user)
            _fill(db, 100_000 if quick else ROWS)
            with servers.kalends(where) as server:
                user = User(server.port)
                quiet = _latencies(user, time.monotonic() + 3)
                seconds, busy = _prune(db, loaded, user)
            db.close()
        rows += [
            [kind, name, f"{sizes[name]:,.0f}" if name in sizes else "", *_figures(quiet, busy, name)] for name in (*REQUESTS, "update")
        ]
        rows.append([kind, f"pruning, {seconds:,.0f} s", *[""] * 7])
    head = ["database", "request", "bytes", *(f"{name}, ms" for name in ("p50", "p99", "most", "pruning: p50", "p99", "most"))]
    report.write("journal", "Journal of changes", [table(head, [*rows, ["goal", *[""] * 7, f"at most {MOST_WAIT:,}"]]), HOW])


def _bytes_of_writes(db: Database, user: User) -> dict[str, float]:
    def grow(write: Callable[[int], object]) -> float:
        size = _size(db)
        for number in range(WRITES):
            write(number)
        return (_size(db) - size) / WRITES

    event = Request(f"/api/events/{user.event_id}")
    return {
        "create": grow(lambda _: user.ask(user.requests["create"])),
        "update": grow(lambda number: user.ask(Request(event.path, {"title": f"Rehearsal {number}"}), method="PUT")),
    }


def _size(db: Database) -> int:
    with db.read() as tx:
        if tx.has_table("sqlite_sequence"):
            names = ", ".join(f"'{name}'" for name in TABLES)
            of_tables = f"SELECT name FROM sqlite_master WHERE tbl_name IN ({names})"
            return int(tx.value(f"SELECT sum(pgsize - unused) FROM dbstat WHERE name IN ({of_tables})"))
        return sum(int(tx.value("SELECT pg_total_relation_size(CAST(:name AS regclass))", name=name)) for name in TABLES)


def _fill(db: Database, rows: int) -> None:
    old = timestamps.now() - OLD_DAYS * 86_400
    with db.write(alone=True) as tx:
        tx.without_statement_timeout()
        # The oldest rows have the lowest ids.
        for name in TABLES:
            tx.run(f"DELETE FROM {name}")
        for statement in (_CHANGES, _ENTRIES):
            for _ in range(rows // 2 // (10 * FEW)):
                tx.run(statement, at=old, copies=10)


def _prune(db: Database, loaded: Settings, user: User) -> tuple[float, dict[str, list[float]]]:
    pruning = threading.Thread(target=_prune_all, args=(Context(db, loaded, timestamps.now()),))
    began = time.monotonic()
    pruning.start()
    latencies: dict[str, list[float]] = {name: [] for name in REQUESTS}
    while pruning.is_alive():
        for name, values in _latencies(user, time.monotonic() + 1).items():
            latencies[name] += values
    return time.monotonic() - began, latencies


def _prune_all(ctx: Context) -> None:
    """The worker does it in several rounds."""
    has_old = True
    while has_old:
        prune_history(ctx)
        with ctx.read() as tx:
            has_old = any(tx.value(f"SELECT at FROM {name} ORDER BY id LIMIT 1") < ctx.now - OLD_DAYS * 86_000 for name in TABLES)


def _latencies(user: User, end: float) -> dict[str, list[float]]:
    latencies: dict[str, list[float]] = {name: [] for name in REQUESTS}
    while time.monotonic() < end:
        for name, values in latencies.items():
            began = time.perf_counter()
            user.ask(user.requests[name])
            values.append((time.perf_counter() - began) * 1000)
    return latencies


def _figures(quiet: dict[str, list[float]], busy: dict[str, list[float]], name: str) -> list[str]:
    if name not in quiet:
        return [""] * 6
    return [f"{value:,.1f}" for values in (quiet[name], busy[name]) for value in _percentiles(values)]


def _percentiles(values: list[float]) -> tuple[float, float, float]:
    return statistics.median(values), statistics.quantiles(values, n=100)[98], max(values)
