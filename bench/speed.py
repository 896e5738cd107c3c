"""The speed of the service on requests that differ, compared with a constant reply, the usual stack and a strong one, in one run."""

import statistics
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import click
from msgspec import Struct

from bench import plot, servers, wrk
from bench.databases import FEW, KINDS, POSTGRES, SQLITE, Databases, Where, bare
from bench.report import Report, table
from bench.requests import PAGE_ROWS, PROGRAM_ROWS, Requests
from bench.servers import Server, processor_time
from bench.user import User
from bench.wrk import Figures, Request

OURS, CONSTANT, USUAL, STRONG = NAMES = "Kalends", "constant", "usual", "strong"
# A process may be a tenth faster than another one of the same program, so each is started several times.
STARTS, ROUNDS = 3, 4
# Templates are compiled at first use, and connections opened.
WARM_UP_SEED = -1
START_GOAL = 0.6
# Times the strong stack, by kind and row; and of a page, multiples of the processor time of a show.
GOALS = {SQLITE: {"show": 2.0, "list": 3.0, "text": 1.5, "create": 2.5}, POSTGRES: {"show": 1.3, "list": 2.0, "text": 1.2, "create": 1.0}}
PAGE_GOALS = {"event page": 2.5, "start page": 4.0, "month": 4.0}
HOW = f"""One worker process on one core, wrk with {wrk.CONNECTIONS} connections on another, {FEW:,} events of one user on 20 calendars.
PostgreSQL's own processes share the core of the server that asks them. All are measured alternately; the figures are medians of the rounds.
No request is sent twice in a round: *show* is a random event, *list* the 50 events after a random moment on a random calendar,
*text* a random word, rare or common, *create* a new event, and *mix* 80 % show, 10 % list, 5 % text and 5 % create, all with a token.
Guests ask for the pages, of random events and days, in two languages.

- Constant: a constant reply behind the same edge and the same settings of Granian, on the thread on which Kalends runs the request.
- Usual: the same requests served by FastAPI, SQLAlchemy's async ORM and Uvicorn on the same tables; its good replies count.
- Strong: the same requests, rights and replies with FastAPI, SQL by hand (asyncpg, aiosqlite) and orjson.

A create is acknowledged when it is on the disk: `synchronous=FULL` on SQLite, `synchronous_commit=on` on PostgreSQL."""


class Round(Struct, frozen=True):
    """The figures of a second, and the microseconds of processor time of a request, of the server and of PostgreSQL."""

    figures: Figures
    cpu: float


Rounds = dict[tuple[str, str], list[Round]]
Medians = dict[tuple[str, str], Round]


class Target(Struct, frozen=True):
    """A started server, and what to ask it for."""

    server: Server
    authorization: str
    rows: tuple[str, ...]


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables of both databases, and the picture of the first."""
    parts = [HOW]
    for kind in KINDS:
        rounds: Rounds = {}
        for start in range(1 if quick else STARTS):
            with ExitStack() as running:
                targets, requests = _targets(running, databases, kind)
                seeds = range(start * ROUNDS, start * ROUNDS + (2 if quick else ROUNDS))
                for key, measured in _rounds(kind, targets, requests, seeds, databases).items():
                    rounds.setdefault(key, []).extend(measured)
                resident = {name: target.server.resident for name, target in targets.items()}
        with databases.copy(kind, FEW) as where:
            started = _starts(kind, where, 3 if quick else 5)
        medians = {key: _median(each) for key, each in rounds.items()}
        parts += [f"## {kind}", _rates(kind, medians), _pages(medians), _spread(rounds), _latencies(medians), _processes(resident, started)]
        if kind == SQLITE:
            picture = _picture(medians)
    report.write("speed", "Speed", parts)
    report.draw("speed", picture)


def _targets(running: ExitStack, databases: Databases, kind: str) -> tuple[dict[str, Target], Requests]:
    ours, usual_copy, strong_copy = (running.enter_context(databases.copy(kind, FEW)) for _ in range(3))
    known = [_signed_in(where) for where in (usual_copy, strong_copy)]
    bare(usual_copy)
    bare(strong_copy, text_index=True)
    service = running.enter_context(servers.kalends(ours))
    others = running.enter_context(servers.usual(usual_copy)), running.enter_context(servers.strong(strong_copy))
    user = User(service.port)
    usual, strong = (User(server.port, visitor) for server, visitor in zip(others, known, strict=True))
    requests = Requests.of(user)
    # Before anything is created.
    _check_same_replies(requests, user, usual, strong)
    targets = {
        OURS: Target(service, user.authorization, (*PROGRAM_ROWS, *PAGE_ROWS)),
        CONSTANT: Target(running.enter_context(servers.constant()), user.authorization, PROGRAM_ROWS),
        USUAL: Target(others[0], usual.authorization, PROGRAM_ROWS),
        STRONG: Target(others[1], strong.authorization, PROGRAM_ROWS),
    }
    return targets, requests


def _signed_in(where: Where) -> User:
    """A session on a copy for programs that cannot sign people in."""
    with servers.kalends(where) as server:
        return User(server.port)


def _check_same_replies(requests: Requests, ours: User, usual: User, strong: User) -> None:
    """The strong stack must reply what we do; the usual one must know the same events."""
    for name in ("show", "list", "text"):
        for request in requests.row(name, WARM_UP_SEED)[:10]:
            reply = ours.json(request)
            assert _comparable(strong.json(request)) == _comparable(reply), f"{request.path}: the strong stack replies something else"
            assert _titles(usual.json(request)) == _titles(reply), f"{request.path}: the usual stack replies with other events"
    created = requests.row("create", WARM_UP_SEED)[0]
    assert _comparable(strong.json(created)) == _comparable(ours.json(created)), "create: the strong stack replies something else"


def _comparable(reply: Any) -> Any:
    """Without addresses and identifiers, and without the times of what was created just now."""
    if isinstance(reply, list):
        return [_comparable(each) for each in reply]
    if isinstance(reply, dict):
        return {name: _comparable(value) for name, value in reply.items() if name not in ("url", "uid", "created_at", "updated_at")}
    return reply


def _titles(reply: Any) -> list[tuple[int, str]]:
    return [(event["id"], event["title"]) for event in reply.get("events", [reply])]


def _rounds(kind: str, targets: dict[str, Target], requests: Requests, seeds: range, databases: Databases) -> Rounds:
    """Creates come last, so that the others ask a database of the size that the table says."""
    rows = sorted({row for target in targets.values() for row in target.rows}, key=lambda row: row in ("mix", "create"))
    schedule = [(row, seed, name) for row in rows for seed in seeds for name, target in targets.items() if row in target.rows]
    rounds: Rounds = {}
    with click.progressbar(schedule, label=f"Speed, {kind}", item_show_func=lambda turn: f"{turn[0]} {turn[2]}" if turn else "") as bar:
        for row, seed, name in bar:
            target = targets[name]
            pids = [target.server.pid, databases.postgres_pid]
            if (row, name) not in rounds:
                _measure(target, requests.row(row, WARM_UP_SEED), row, name)
                target.server.settle()
            before = processor_time(pids)
            figures = _measure(target, requests.row(row, seed), row, name)
            target.server.settle()
            cpu = (processor_time(pids) - before) * 1000 / max(1, figures.requests)
            rounds.setdefault((row, name), []).append(Round(figures, cpu))
    return rounds


def _measure(target: Target, requests: list[Request], row: str, name: str) -> Figures:
    if name == CONSTANT:
        requests = [Request("/")]
    # SQLite may keep some of the usual stack's writers waiting for longer than they are ready to.
    authorization = "" if row in PAGE_ROWS else target.authorization
    return wrk.measured_varied(target.server.port, requests, authorization, 1, may_fail=name == USUAL)


def _median(rounds: list[Round]) -> Round:
    return Round(wrk.median([each.figures for each in rounds]), statistics.median(each.cpu for each in rounds))


def _starts(kind: str, where: Where, times: int) -> dict[str, float]:
    """Seconds from the start of the process to the first good reply, on both cores, and with the background worker as users have it."""
    durations: dict[str, list[float]] = {name: [] for name in NAMES}
    with click.progressbar(range(times), label=f"Starts, {kind}") as bar:
        for _ in bar:
            starting: dict[str, AbstractContextManager[Server]] = {
                OURS: servers.kalends(where, cores=servers.BOTH_CORES, work=True),
                CONSTANT: servers.constant(cores=servers.BOTH_CORES),
                USUAL: servers.usual(where, cores=servers.BOTH_CORES),
                STRONG: servers.strong(where, cores=servers.BOTH_CORES),
            }
            for name, start in starting.items():
                with start as server:
                    durations[name].append(server.started_in)
    return {name: statistics.median(seconds) for name, seconds in durations.items()}


def _rates(kind: str, medians: Medians) -> str:
    head = "request, Kalends a second, µs of processor, constant, share of it, usual, times usual, strong, times strong, goal"
    rows = []
    for row in PROGRAM_ROWS:
        ours, constant = medians[row, OURS].figures.rate, medians[row, CONSTANT].figures.rate
        cells = [f"{ours:,.0f}", f"{medians[row, OURS].cpu:,.0f}", f"{constant:,.0f}", f"{ours / constant:.1%}"]
        for name in (USUAL, STRONG):
            rate = medians[row, name].figures.rate
            cells += [f"{rate:,.0f}", f"{ours / rate:.1f}"] if rate else ["0", ""]
        rows.append([row, *cells, f"{GOALS[kind].get(row, '')}"])
    return table(head.split(", "), rows)


def _pages(medians: Medians) -> str:
    show = medians["show", OURS].cpu
    rows = []
    for row in PAGE_ROWS:
        page = medians[row, OURS]
        cells = [f"{page.figures.rate:,.0f}", f"{page.cpu:,.0f}", f"{page.cpu / show:.1f}", f"{PAGE_GOALS.get(row, '')}"]
        rows.append([row, *cells, f"{page.figures.p50:.1f}", f"{page.figures.p99:.1f}"])
    return table("page for a guest, a second, µs of processor, times a show, goal, p50 ms, p99 ms".split(", "), rows)


def _spread(rounds: Rounds) -> str:
    """Whether the machine was quiet."""
    rates = [each.figures.rate for (_, name), group in rounds.items() for each in group if name == CONSTANT]
    return f"The constant reply's rounds went from {min(rates):,.0f} to {max(rates):,.0f} a second: the closer, the quieter the machine."


def _latencies(medians: Medians) -> str:
    head = ["milliseconds", *(f"{name} {share}" for name in NAMES for share in ("p50", "p99"))]
    figures = {row: [medians[row, name].figures for name in NAMES] for row in PROGRAM_ROWS}
    return table(head, [[row, *(f"{value:.2f}" for each in group for value in (each.p50, each.p99))] for row, group in figures.items()])


def _processes(resident: dict[str, float], started: dict[str, float]) -> str:
    rows = [
        ["resident after the rounds, MiB", *(f"{resident[name]:.0f}" for name in NAMES), ""],
        ["from start to the first good reply, s", *(f"{started[name]:.2f}" for name in NAMES), f"at most {START_GOAL}"],
    ]
    return table(["process", *NAMES, "goal"], rows)


def _picture(medians: Medians) -> str:
    names = [OURS, STRONG, USUAL]
    groups = [plot.Group(row, [medians[row, name].figures.rate for name in names]) for row in PROGRAM_ROWS]
    groups += [plot.Group(row, [medians[row, OURS].figures.rate]) for row in PAGE_ROWS]
    return plot.bars(f"Requests a second on one core (SQLite, {FEW:,} events)", [OURS, "strong stack", "usual stack"], groups)
