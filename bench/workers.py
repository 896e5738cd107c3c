"""The gain of a second worker process on a second core."""

import statistics

import click
from msgspec import Struct

from bench import servers, wrk
from bench.databases import FEW, SQLITE, Databases
from bench.report import Report, table
from bench.requests import Requests
from bench.servers import Server
from bench.user import User
from bench.wrk import Request

ROWS = ("show", "list")
# More than elsewhere, since the kernel spreads connections over the processes by chance: of 32, one of two workers often has too few to be
# busy while wrk has its core.
CONNECTIONS = 64
GOAL = 1.85
# Many rounds, since of one round's quotients a quarter may be a third too low, and a quarter a third too high.
ROUNDS = 100
HOW = f"""One worker has core 0 to itself, and wrk core 1. Two workers have both cores, and wrk, for which there is no third, takes its part
of them: the processor time that it took is measured and left out, and the rate is scaled to two whole cores, so that whatever else
keeps the workers waiting counts against them. Both services run all the time and alternate every second, so that a machine whose
speed changes is as fast for one as for two; *times one* is the median of the rounds' own quotients, beside the lower and the upper quarter,
and *of the medians* is the quotient of the rates. {CONNECTIONS} connections, SQLite, {FEW:,} events; the rates are medians of {ROUNDS}
rounds. The requests are random events, and lists from random moments."""


class Round(Struct, frozen=True):
    """The results of one worker, and of two right after."""

    one: wrk.Figures
    two: wrk.Figures

    @property
    def whole(self) -> float:
        """What two would do a second if wrk took nothing of their cores."""
        return self.two.rate * 2 / (2 - self.two.cores)

    @property
    def times(self) -> float:
        return self.whole / self.one.rate


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rounds = 3 if quick else ROUNDS
    with (
        databases.copy(SQLITE, FEW) as where,
        servers.kalends(where) as one,
        servers.kalends(where, cores=servers.BOTH_CORES, workers=2) as two,
    ):
        user = User(one.port)
        requests = Requests.of(user)
        rounds_by_row: dict[str, list[Round]] = {row: [] for row in ROWS}
        with click.progressbar([row for row in ROWS for _ in range(rounds)], label="Workers") as bar:
            for row in bar:
                if not rounds_by_row[row]:
                    # The first are slower, in each worker.
                    _round(one, two, user, requests.row(row, -1))
                rounds_by_row[row].append(_round(one, two, user, requests.row(row, len(rounds_by_row[row]))))
    head = (
        "request, one worker a second, two workers a second, cores that wrk took, two on two whole cores, "
        "times one, quarters, of the medians, goal"
    )
    report.write("workers", "Workers", [table(head.split(", "), [_row(name, rounds_by_row[name]) for name in ROWS]), HOW])


def _round(one: Server, two: Server, user: User, requests: list[Request]) -> Round:
    return Round(_measure(one, user, requests, servers.CLIENT_CORE), _measure(two, user, requests, servers.BOTH_CORES))


def _measure(server: Server, user: User, requests: list[Request], cores: str) -> wrk.Figures:
    return wrk.measured_varied(server.port, requests, user.authorization, 1, connections=CONNECTIONS, cores=cores)


def _row(name: str, rounds: list[Round]) -> list[str]:
    one, two = (wrk.median([getattr(each, which) for each in rounds]) for which in ("one", "two"))
    lower, times, upper = statistics.quantiles([each.times for each in rounds])
    whole = statistics.median(each.whole for each in rounds)
    rates = [f"{one.rate:,.0f}", f"{two.rate:,.0f}", f"{two.cores:.2f}", f"{whole:,.0f}"]
    return [name, *rates, f"{times:.2f}", f"{lower:.2f} to {upper:.2f}", f"{whole / one.rate:.2f}", str(GOAL)]
