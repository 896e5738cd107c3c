"""How many creates a second are durable, by the number of clients."""

import os
import time

import click

from bench import servers, wrk
from bench.databases import FEW, FOLDER, KINDS, Databases
from bench.report import Report, table
from bench.user import User

CLIENTS = (1, 4, 16)
PAGE, PAGES = 4096, 1000
SYNC_SECONDS = 3
HOW = """One worker process on one core, with PostgreSQL's own processes on the same, and wrk on another; medians of the rounds.
A reply means that the event is on the disk."""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rounds, seconds = (1, 1) if quick else (3, 3)
    rows = []
    for kind in KINDS:
        with databases.copy(kind, FEW) as where, servers.kalends(where) as server:
            user = User(server.port)
            figures_by_clients: dict[int, list[wrk.Figures]] = {clients: [] for clients in CLIENTS}
            with click.progressbar([*CLIENTS] * rounds, label=f"Writes, {kind}") as bar:
                for clients in bar:
                    figures_by_clients[clients].append(
                        wrk.measured(server.port, user.requests["create"], user.authorization, seconds, connections=clients)
                    )
        for clients in CLIENTS:
            figures = wrk.median(figures_by_clients[clients])
            rows.append([kind, str(clients), f"{figures.rate:,.0f}", f"{figures.p50:.2f}", f"{figures.p99:.2f}"])
    disk = f"The disk alone: {_syncs():,.0f} writes of 4 KiB a second, each waited for (`fdatasync`)."
    report.write("writes", "Writes", [table(["database", "clients", "creates a second", "p50, ms", "p99, ms"], rows), HOW, disk])


def _syncs() -> float:
    """The rate at which the disk syncs single writes to a preallocated file, such as a write-ahead log."""
    path = FOLDER / "sync"
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        os.write(file, bytes(PAGES * PAGE))
        os.fsync(file)
        done, began = 0, time.perf_counter()
        while time.perf_counter() < began + SYNC_SECONDS:
            os.pwrite(file, bytes(PAGE), done % PAGES * PAGE)
            os.fdatasync(file)
            done += 1
        return done / (time.perf_counter() - began)
    finally:
        os.close(file)
        path.unlink()
