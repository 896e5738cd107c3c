"""The speed of the service compared with a constant reply, with the usual stack, and with its peers."""

import statistics
from contextlib import ExitStack

import click
from msgspec import Struct

from bench import plot, servers, wrk
from bench.databases import FEW, KINDS, SQLITE, Databases, Where, bare
from bench.report import Report, table
from bench.servers import Server
from bench.user import User
from bench.wrk import Figures, Request

OURS, CONSTANT, USUAL = "Kalends", "constant", "usual"
TIMES = 8
START_GOAL = 1.0
HOW = f"""One worker process on one core, wrk with {wrk.CONNECTIONS} connections on another, {FEW:,} events.
PostgreSQL's own processes share the core of the server that asks them. All are measured alternately; the figures are medians of the rounds.

- Constant: a constant reply behind the same edge and the same settings of Granian.
- Usual: the same requests served by FastAPI, SQLAlchemy's async ORM and Uvicorn on the same tables; its good replies count.
- Peer: the fastest of other calendar services on the same work, as the goals have it; not measured in this run.

The reply to a create is sent when it is on the disk (`synchronous=FULL` on SQLite, `synchronous_commit=on` on PostgreSQL)."""


class Goal(Struct, frozen=True):
    """At least this share of the rate of the constant reply, and this multiple of the rate of the fastest peer."""

    share: float
    peer: str
    peer_rate: int


GOALS = {
    "show": Goal(0.50, "Radicale", 1_300),
    "index": Goal(0.20, "Gancio", 125),
    "text": Goal(0.20, "Gancio", 95),
    "create": Goal(0.08, "Gancio", 56),
}
Rounds = dict[tuple[str, str], list[Figures]]
Medians = dict[tuple[str, str], Figures]


class Target(Struct, frozen=True):
    """A started server, and the requests to it."""

    server: Server
    requests: dict[str, Request]
    token: str


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables of both databases, and the picture of the first."""
    parts = [HOW]
    for kind in KINDS:
        with ExitStack() as running:
            ours, theirs = (running.enter_context(databases.copy(kind, FEW)) for _ in range(2))
            targets = _targets(running, ours, theirs)
            rounds = _rounds(kind, targets, 2 if quick else 12, 1)
            resident = {name: target.server.resident for name, target in targets.items()}
        with databases.copy(kind, FEW) as where:
            started = _starts(kind, where, 3 if quick else 5)
        medians = {key: wrk.median(figures) for key, figures in rounds.items()}
        parts += [f"## {kind}", _rates(kind, medians), _spread(rounds), _latencies(medians), _processes(resident, started)]
        if kind == SQLITE:
            picture = _picture(medians)
    report.write("speed", "Speed", parts)
    report.draw("speed", picture)


def _targets(running: ExitStack, ours: Where, theirs: Where) -> dict[str, Target]:
    with servers.kalends(theirs) as server:
        visitor = User(server.port)
    bare(theirs)
    service = running.enter_context(servers.kalends(ours))
    user = User(service.port)
    usual = running.enter_context(servers.usual(theirs))
    _same_work(user, User(usual.port, visitor))
    anything = dict.fromkeys(user.requests, Request("/"))
    return {
        OURS: Target(service, user.requests, user.token),
        CONSTANT: Target(running.enter_context(servers.constant()), anything, user.token),
        USUAL: Target(usual, visitor.requests, visitor.token),
    }


def _same_work(ours: User, theirs: User) -> None:
    for name, length in {"index": 50, "text": 10}.items():
        for user in (ours, theirs):
            event_count = len(user.json(user.requests[name])["events"])
            assert event_count == length, f"{name} returned {event_count} events, not {length}"


def _rounds(kind: str, targets: dict[str, Target], rounds: int, seconds: int) -> Rounds:
    """Creates come last, so that the others ask a database of the size that the table says."""
    schedule = [(row, name) for row in GOALS for _ in range(rounds) for name in targets]
    figures: Rounds = {}
    for target in targets.values():
        wrk.measured(target.server.port, target.requests["show"], target.token, 1)
    with click.progressbar(schedule, label=f"Speed, {kind}", item_show_func=lambda turn: " ".join(turn or ())) as bar:
        for row, name in bar:
            target = targets[name]
            # SQLite may keep some of the usual stack's writers waiting for longer than they are ready to.
            measurement = wrk.measured(target.server.port, target.requests[row], target.token, seconds, may_fail=name == USUAL)
            figures.setdefault((row, name), []).append(measurement)
    return figures


def _starts(kind: str, where: Where, times: int) -> dict[str, float]:
    """Seconds from the start of the process to the first good reply, on both cores, and with the background worker as users have it."""
    durations: dict[str, list[float]] = {OURS: [], CONSTANT: [], USUAL: []}
    with click.progressbar(range(times), label=f"Starts, {kind}") as bar:
        for _ in bar:
            with servers.kalends(where, cores=servers.BOTH_CORES, work=True) as server:
                durations[OURS].append(server.started_in)
            with servers.constant(cores=servers.BOTH_CORES) as server:
                durations[CONSTANT].append(server.started_in)
            with servers.usual(where, cores=servers.BOTH_CORES) as server:
                durations[USUAL].append(server.started_in)
    return {name: statistics.median(seconds) for name, seconds in durations.items()}


def _rates(kind: str, medians: Medians) -> str:
    """The goals are set for SQLite."""
    head = "request, Kalends a second, constant, share of it, goal, usual, times usual, goal, peer, times peer, goal"
    rows = []
    for row, goal in GOALS.items():
        ours, constant, usual = (medians[row, name].rate for name in (OURS, CONSTANT, USUAL))
        share, times = (f"{goal.share:.0%}", str(TIMES)) if kind == SQLITE else ("", "")
        beside_constant = [f"{constant:,.0f}", f"{ours / constant:.1%}", share]
        beside_usual = [f"{usual:,.0f}", f"{ours / usual:.1f}", times]
        beside_peer = [f"{goal.peer} {goal.peer_rate:,}", f"{ours / goal.peer_rate:.1f}", times]
        rows.append([row, f"{ours:,.0f}", *beside_constant, *beside_usual, *beside_peer])
    return table(head.split(", "), rows)


def _spread(rounds: Rounds) -> str:
    """Whether the machine was quiet."""
    rates = [figures.rate for (_, name), all_figures in rounds.items() for figures in all_figures if name == CONSTANT]
    return f"Rounds of the constant reply went from {min(rates):,.0f} to {max(rates):,.0f} a second: the closer, the quieter the machine."


def _latencies(medians: Medians) -> str:
    head = ["milliseconds", *(f"{name} {share}" for name in (OURS, CONSTANT, USUAL) for share in ("p50", "p99"))]
    rows = []
    for row in GOALS:
        figures = [medians[row, name] for name in (OURS, CONSTANT, USUAL)]
        rows.append([row, *(f"{value:.2f}" for each in figures for value in (each.p50, each.p99))])
    return table(head, rows)


def _processes(resident: dict[str, float], started: dict[str, float]) -> str:
    rows = [
        ["resident after the rounds, MiB", *(f"{resident[name]:.0f}" for name in resident), ""],
        ["from start to the first good reply, s", *(f"{started[name]:.2f}" for name in resident), f"at most {START_GOAL:.0f}"],
    ]
    return table(["process", *resident, "goal"], rows)


def _picture(medians: Medians) -> str:
    groups = [plot.Group(row, [medians[row, OURS].rate, medians[row, USUAL].rate, GOALS[row].peer_rate]) for row in GOALS]
    legend = [OURS, "usual stack", "fastest peer (measured before)"]
    return plot.bars(f"Requests a second on one core (SQLite, {FEW:,} events)", legend, groups)
