"""How requests slow down as the table grows from ten thousand events to a million."""

import statistics
import time

import click

from bench import servers
from bench.databases import FEW, KINDS, MANY, Databases
from bench.report import Report, table
from bench.user import NOON, User
from bench.wrk import Request

ROUNDS = 300
WARM = 30
MOST = 1.3
HOW = f"""Milliseconds over HTTP, medians of {ROUNDS} requests. Both databases are served at once, and one client sends requests to
them alternately, so that other load on the machine affects both."""

Case = tuple[User, Request, bool]


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables of both databases."""
    parts = [HOW]
    for kind in KINDS:
        with (
            databases.copy(kind, FEW) as small,
            databases.copy(kind, MANY) as large,
            servers.kalends(small, cores=servers.BOTH_CORES) as few,
            servers.kalends(large, cores=servers.BOTH_CORES) as many,
        ):
            parts += [f"## {kind}", _table(kind, User(few.port), User(many.port))]
    report.write("growth", "Growth", parts)


def _table(kind: str, few: User, many: User) -> str:
    rows = []
    with click.progressbar(_requests(few), label=f"Growth, {kind}", item_show_func=lambda name: name or "") as bar:
        for name in bar:
            a, b = _medians([(few, *_requests(few)[name]), (many, *_requests(many)[name])])
            rows.append([name, f"{a:.2f}", f"{b:.2f}", f"{b / a:.2f}", f"at most {MOST}"])
    return table(["request", f"{FEW:,} events", f"{MANY:,} events", "ratio", "goal"], rows)


def _requests(user: User) -> dict[str, tuple[Request, bool]]:
    """The measured requests, and whether as a guest."""
    requests = user.requests
    after = Request(f"/api/events?start_time={NOON}&limit=50")
    return {
        "show": (requests["show"], False),
        "index, one calendar": (requests["index"], False),
        "index, a user's 20 calendars": (after, False),
        "index, all public, as a guest": (after, True),
        "text, a rare word": (requests["text"], False),
        "text, a rare word, as a guest": (requests["text"], True),
        "text, a word of every fifth event, as a guest": (Request("/api/events?text=jazz&limit=50"), True),
        "create": (requests["create"], False),
    }


def _medians(cases: list[Case]) -> list[float]:
    durations: list[list[float]] = [[] for _ in cases]
    for i in range(WARM + ROUNDS):
        for times, (user, request, guest) in zip(durations, cases, strict=True):
            began = time.perf_counter()
            user.ask(request, guest=guest)
            if i >= WARM:
                times.append((time.perf_counter() - began) * 1000)
    return [statistics.median(times) for times in durations]
