"""The memory of a worker process as it serves requests."""

from concurrent.futures import ThreadPoolExecutor

import click

from bench import servers
from bench.databases import FEW, SQLITE, Databases
from bench.report import Report, table
from bench.user import User
from bench.wrk import Request

STEPS = (1_000, 10_000, 50_000, 100_000)
CLIENTS = 10
EACH = 100
MOST = 120
HOW = f"""One worker process with {CLIENTS} clients, SQLite, {FEW:,} events.
Of ten requests four are show, two index, two text, one create and one the page of a month."""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    steps = STEPS[:2] if quick else STEPS
    rows, done = [], 0
    with (
        databases.copy(SQLITE, FEW) as where,
        servers.kalends(where) as server,
        ThreadPoolExecutor(CLIENTS) as pool,
        click.progressbar(length=steps[-1], label="Memory") as bar,
    ):
        user = User(server.port)
        users = [User(server.port, user) for _ in range(CLIENTS)]
        for step in steps:
            for _ in range(done, step, CLIENTS * EACH):
                list(pool.map(_ask, users))
                bar.update(CLIENTS * EACH)
            done = step
            rows.append([f"{step:,}", f"{server.resident:.1f}", f"at most {MOST}"])
    report.write("memory", "Memory", [table(["after requests", "resident, MiB", "goal"], rows), HOW])


def _ask(user: User) -> None:
    requests = user.requests
    show, index, text, page = requests["show"], requests["index"], requests["text"], Request("/calendar")
    mix = [show, index, text, show, requests["create"], show, index, text, show, page]
    for i in range(EACH):
        user.ask(mix[i % len(mix)])
