"""How requests slow down as the table grows from ten thousand events to a million."""

import random
import statistics
import time
from collections.abc import Callable

import click
from msgspec import Struct

from bench import servers
from bench.databases import FEW, KINDS, MANY, Databases
from bench.report import Report, table
from bench.requests import Requests, moment
from bench.user import User
from bench.wrk import Request

ROUNDS = 300
WARM = 30
MOST = 1.3
HOW = f"""Milliseconds over HTTP, medians of {ROUNDS} requests. Both databases are served at once, and one client sends requests to
them alternately, so that other load on the machine affects both. The user has 10,000 events in either, and asks for random ones and
from random moments on; the two searches are the same each time: for a word that ten events have, and for one that every fifth has."""

Make = Callable[[random.Random], Request]


class Case(Struct, frozen=True):
    """A row: how a request of it is made, and whether a guest sends it."""

    make: Make
    is_guest: bool = False


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
    users, rows = [(user, _cases(user)) for user in (few, many)], []
    with click.progressbar(users[0][1], label=f"Growth, {kind}", item_show_func=lambda name: name or "") as bar:
        for name in bar:
            a, b = _medians([(user, cases[name]) for user, cases in users])
            rows.append([name, f"{a:.2f}", f"{b:.2f}", f"{b / a:.2f}", f"at most {MOST}"])
    return table(["request", f"{FEW:,} events", f"{MANY:,} events", "ratio", "goal"], rows)


def _cases(user: User) -> dict[str, Case]:
    """What is asked for."""
    requests = Requests.of(user)

    def after(chance: random.Random) -> Request:
        return Request(f"/api/events?start_time={moment(chance)}&limit=50")

    return {
        "show": Case(requests.makes["show"]),
        "list, one calendar": Case(requests.makes["list"]),
        "list, a user's 20 calendars": Case(after),
        "list, all public, as a guest": Case(after, is_guest=True),
        "text, a rare word": Case(lambda _: user.requests["text"]),
        "text, a rare word, as a guest": Case(lambda _: user.requests["text"], is_guest=True),
        "text, a word of every fifth event, as a guest": Case(lambda _: Request("/api/events?text=jazz&limit=50"), is_guest=True),
        "create": Case(requests.makes["create"]),
        "event page, as a guest": Case(requests.makes["event page"], is_guest=True),
    }


def _medians(cases: list[tuple[User, Case]]) -> list[float]:
    chance, durations = random.Random(7), [list[float]() for _ in cases]  # noqa: S311 - repeatable
    for i in range(WARM + ROUNDS):
        for times, (user, case) in zip(durations, cases, strict=True):
            request = case.make(chance)
            began = time.perf_counter()
            user.ask(request, guest=case.is_guest)
            if i >= WARM:
                times.append((time.perf_counter() - began) * 1000)
    return [statistics.median(times) for times in durations]
