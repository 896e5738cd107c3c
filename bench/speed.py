"""The speed of the service compared with a constant reply, the usual stack, a strong one, and Radicale, in one run."""

import statistics
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import click
from msgspec import Struct

from bench import plot, radicale, servers, wrk
from bench.databases import FEW, KINDS, SQLITE, Databases, Where, bare
from bench.report import Report, table
from bench.servers import Server
from bench.user import User
from bench.wrk import Figures, Request

OURS, CONSTANT, USUAL, STRONG, RADICALE = NAMES = "Kalends", "constant", "usual", "strong", "Radicale"
TIMES_USUAL, TIMES_STRONG = 8, 5
START_GOAL = 1.0
# A process may be a tenth faster than another one of the same program, so each is started several times.
STARTS, ROUNDS = 3, 4
# Radicale creates so few events that a second would be too short.
LONG_SECONDS = 4
HOW = f"""One worker process on one core, wrk with {wrk.CONNECTIONS} connections on another, {FEW:,} events.
PostgreSQL's own processes share the core of the server that asks them. All are measured alternately; the figures are medians of the rounds.

- Kalends: one request again and again. All ratios are Kalends'.
- Constant: a constant reply behind the same edge and the same settings of Granian, on the thread on which Kalends runs the request.
- Usual: the same requests served by FastAPI, SQLAlchemy's async ORM and Uvicorn on the same tables; its good replies count.
- Strong: the same requests, rights and replies with FastAPI, SQL by hand (asyncpg, aiosqlite) and orjson.
- Radicale: a `GET` of the event, a `REPORT` of the same 50 events and a `PUT` of a new one, behind Granian. Text search is not measured.

A create is acknowledged when it is on the disk: `synchronous=FULL` on SQLite, `synchronous_commit=on` on PostgreSQL, `fsync` in
Radicale."""


class Goal(Struct, frozen=True):
    """At least this share of the rate of the constant reply, and this multiple of the rate of Radicale."""

    share: float
    times_radicale: int | None = None


GOALS = {"show": Goal(0.60, 8), "index": Goal(0.20), "text": Goal(0.20), "create": Goal(0.12)}
Rounds = dict[tuple[str, str], list[Figures]]
Medians = dict[tuple[str, str], Figures]


class Target(Struct, frozen=True):
    """A started server, and the requests to it."""

    server: Server
    requests: dict[str, Request]
    authorization: str


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables of both databases, and the picture of the first."""
    parts = [HOW]
    for kind in KINDS:
        rounds: Rounds = {}
        for _ in range(1 if quick else STARTS):
            with ExitStack() as running:
                targets = _targets(running, databases, kind)
                for key, figures in _rounds(kind, targets, 2 if quick else ROUNDS).items():
                    rounds.setdefault(key, []).extend(figures)
                resident = {name: target.server.resident for name, target in targets.items()}
        with databases.copy(kind, FEW) as where:
            started = _starts(kind, where, 3 if quick else 5)
        medians = {key: wrk.median(figures) for key, figures in rounds.items()}
        parts += [f"## {kind}", _rates(kind, medians), _spread(rounds), _latencies(medians), _processes(resident, started)]
        if kind == SQLITE:
            picture = _picture(medians)
    report.write("speed", "Speed", parts)
    report.draw("speed", picture)


def _targets(running: ExitStack, databases: Databases, kind: str) -> dict[str, Target]:
    ours, usual_copy, strong_copy = (running.enter_context(databases.copy(kind, FEW)) for _ in range(3))
    config = running.enter_context(radicale.copy(FEW))
    known = [_signed_in(where) for where in (usual_copy, strong_copy)]
    bare(usual_copy)
    bare(strong_copy, text_index=True)
    service = running.enter_context(servers.kalends(ours))
    others = running.enter_context(servers.usual(usual_copy)), running.enter_context(servers.strong(strong_copy))
    files = running.enter_context(servers.radicale(config))
    user = User(service.port)
    usual, strong = (User(server.port, visitor) for server, visitor in zip(others, known, strict=True))
    requests = radicale.requests(user)
    # Before anything is created.
    _check_radicale(user, files.port, requests)
    _check_same_replies(user, usual, strong)
    anything = dict.fromkeys(user.requests, Request("/"))
    return {
        OURS: Target(service, user.requests, user.authorization),
        CONSTANT: Target(running.enter_context(servers.constant()), anything, user.authorization),
        USUAL: Target(others[0], usual.requests, usual.authorization),
        STRONG: Target(others[1], strong.requests, strong.authorization),
        RADICALE: Target(files, requests, radicale.AUTHORIZATION),
    }


def _signed_in(where: Where) -> User:
    """A session on a copy for programs that cannot sign people in."""
    with servers.kalends(where) as server:
        return User(server.port)


def _check_same_replies(ours: User, usual: User, strong: User) -> None:
    """The strong stack must reply what we do; the usual one must know the same events."""
    for name in GOALS:
        reply = ours.json(ours.requests[name])
        assert _comparable(strong.json(strong.requests[name])) == _comparable(reply), f"{name}: the strong stack replies something else"
        assert _titles(usual.json(usual.requests[name])) == _titles(reply), f"{name}: the usual stack replies with other events"
    for name, length in {"index": 50, "text": 10}.items():
        assert len(ours.json(ours.requests[name])["events"]) == length, f"{name} is not a list of {length} events"


def _comparable(reply: Any) -> Any:
    """Without addresses and identifiers, and without the times of what was created just now."""
    if isinstance(reply, list):
        return [_comparable(each) for each in reply]
    if isinstance(reply, dict):
        return {name: _comparable(value) for name, value in reply.items() if name not in ("url", "uid", "created_at", "updated_at")}
    return reply


def _titles(reply: Any) -> list[tuple[int, str]]:
    return [(event["id"], event["title"]) for event in reply.get("events", [reply])]


def _check_radicale(ours: User, port: int, requests: dict[str, Request]) -> None:
    """Radicale must have the same events. Its cache has the files of the calendar afterwards."""
    show, index = radicale.ask(port, requests["show"]), radicale.ask(port, requests["index"])
    radicale.ask(port, requests["create"])
    titles = [title for _, title in _titles(ours.json(ours.requests["index"]))]
    assert f"SUMMARY:{ours.json(ours.requests['show'])['title']}\r\n" in show, "Radicale has another event"
    assert index.count("BEGIN:VEVENT") == len(titles), "Radicale lists more or fewer events"
    assert all(f"SUMMARY:{title}" in index for title in titles), "Radicale lists other events"


def _rounds(kind: str, targets: dict[str, Target], rounds: int) -> Rounds:
    """Creates come last, so that the others ask a database of the size that the table says."""
    schedule = [(row, name) for row in GOALS for _ in range(rounds) for name, target in targets.items() if row in target.requests]
    figures: Rounds = {}
    for target in targets.values():
        if "show" in target.requests:
            wrk.measured(target.server.port, target.requests["show"], target.authorization, 1)
    with click.progressbar(schedule, label=f"Speed, {kind}", item_show_func=lambda turn: " ".join(turn or ())) as bar:
        for row, name in bar:
            target, seconds = targets[name], LONG_SECONDS if (row, name) == ("create", RADICALE) else 1
            # SQLite may keep some of the usual stack's writers waiting for longer than they are ready to.
            measurement = wrk.measured(target.server.port, target.requests[row], target.authorization, seconds, may_fail=name == USUAL)
            figures.setdefault((row, name), []).append(measurement)
            target.server.settle()
    return figures


def _starts(kind: str, where: Where, times: int) -> dict[str, float]:
    """Seconds from the start of the process to the first good reply, on both cores, and with the background worker as users have it."""
    durations: dict[str, list[float]] = {name: [] for name in NAMES}
    with radicale.copy(FEW) as config, click.progressbar(range(times), label=f"Starts, {kind}") as bar:
        for _ in bar:
            starting: dict[str, AbstractContextManager[Server]] = {
                OURS: servers.kalends(where, cores=servers.BOTH_CORES, work=True),
                CONSTANT: servers.constant(cores=servers.BOTH_CORES),
                USUAL: servers.usual(where, cores=servers.BOTH_CORES),
                STRONG: servers.strong(where, cores=servers.BOTH_CORES),
                RADICALE: servers.radicale(config, cores=servers.BOTH_CORES),
            }
            for name, start in starting.items():
                with start as server:
                    durations[name].append(server.started_in)
    return {name: statistics.median(seconds) for name, seconds in durations.items()}


def _rates(kind: str, medians: Medians) -> str:
    """The goals are set for SQLite."""
    head = "request, Kalends a second, constant, share of it, goal, usual, times usual, goal, strong, times strong, goal, "
    head += "Radicale, times Radicale, goal"
    rows = []
    for row, goal in GOALS.items():
        ours, constant = medians[row, OURS].rate, medians[row, CONSTANT].rate
        cells = [f"{ours:,.0f}", f"{constant:,.0f}", f"{ours / constant:.1%}", f"{goal.share:.0%}"]
        for name, times in ((USUAL, TIMES_USUAL), (STRONG, TIMES_STRONG), (RADICALE, goal.times_radicale)):
            rate = medians[row, name].rate if (row, name) in medians else 0
            cells += [f"{rate:,.0f}", f"{ours / rate:.1f}", str(times or "")] if rate else ["", "", ""]
        if kind != SQLITE:
            cells[3::3] = [""] * 4
        rows.append([row, *cells])
    return table(head.split(", "), rows)


def _spread(rounds: Rounds) -> str:
    """Whether the machine was quiet."""
    rates = [figures.rate for (_, name), group in rounds.items() for figures in group if name == CONSTANT]
    return f"The constant reply's rounds went from {min(rates):,.0f} to {max(rates):,.0f} a second: the closer, the quieter the machine."


def _latencies(medians: Medians) -> str:
    head = ["milliseconds", *(f"{name} {share}" for name in NAMES for share in ("p50", "p99"))]
    rows = []
    for row in GOALS:
        figures = [medians.get((row, name)) for name in NAMES]
        rows.append([row, *(f"{value:.2f}" if value else "" for each in figures for value in (each and each.p50, each and each.p99))])
    return table(head, rows)


def _processes(resident: dict[str, float], started: dict[str, float]) -> str:
    rows = [
        ["resident after the rounds, MiB", *(f"{resident[name]:.0f}" for name in NAMES), ""],
        ["from start to the first good reply, s", *(f"{started[name]:.2f}" for name in NAMES), f"at most {START_GOAL:.0f}"],
    ]
    return table(["process", *NAMES, "goal"], rows)


def _picture(medians: Medians) -> str:
    names = [OURS, STRONG, USUAL, RADICALE]
    groups = [plot.Group(row, [medians[row, name].rate if (row, name) in medians else None for name in names]) for row in GOALS]
    legend = [OURS, "strong stack", "usual stack", RADICALE]
    return plot.bars(f"Requests a second on one core (SQLite, {FEW:,} events)", legend, groups)
