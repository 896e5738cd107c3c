"""What a second worker process brings on a second core."""

import click

from bench import servers, wrk
from bench.databases import FEW, SQLITE, Databases
from bench.report import Report, table
from bench.user import User

ROWS = ("show", "index")
# More than elsewhere, since the kernel spreads connections over the processes by chance.
CONNECTIONS = 32
GOAL = 1.7
HOW = f"""One worker has core 0 to itself, and wrk core 1. Two workers have both cores, and wrk, for which there is no third, takes its part
of them: the processor time that it took is measured and left out, and the rate is scaled to two whole cores, so that whatever else
keeps the workers waiting counts against them. {CONNECTIONS} connections, SQLite, {FEW:,} events, medians of the rounds."""


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rounds, seconds = (2, 1) if quick else (5, 4)
    found: dict[tuple[str, int], list[wrk.Figures]] = {}
    with databases.copy(SQLITE, FEW) as where, click.progressbar(range(rounds), label="Workers") as bar:
        for _ in bar:
            for workers, cores, client in ((1, servers.SERVER_CORE, servers.CLIENT_CORE), (2, servers.BOTH_CORES, servers.BOTH_CORES)):
                with servers.kalends(where, cores=cores, workers=workers) as server:
                    user = User(server.port)
                    for row in ROWS:
                        # The first are slower, in each worker.
                        _asked(server.port, user, row, 1, client)
                        found.setdefault((row, workers), []).append(_asked(server.port, user, row, seconds, client))
    rows = [_row(row, wrk.median(found[row, 1]), wrk.median(found[row, 2])) for row in ROWS]
    head = "request, one worker a second, two workers a second, cores that wrk took, two workers on two whole cores, times one, goal"
    report.write("workers", "Workers", [table(head.split(", "), rows), HOW])


def _asked(port: int, user: User, row: str, seconds: int, cores: str) -> wrk.Figures:
    return wrk.measured(port, user.requests[row], user.token, seconds, connections=CONNECTIONS, cores=cores)


def _row(name: str, one: wrk.Figures, two: wrk.Figures) -> list[str]:
    whole = two.rate * 2 / (2 - two.cores)
    return [name, f"{one.rate:,.0f}", f"{two.rate:,.0f}", f"{two.cores:.2f}", f"{whole:,.0f}", f"{whole / one.rate:.2f}", str(GOAL)]
