"""The cost of a daily series of two years compared with one create."""

import json
import statistics
import time

import click

from bench import servers
from bench.databases import FEW, KINDS, Databases
from bench.report import Report, table
from bench.user import User
from bench.wrk import Request

OCCURRENCES = 730
MOST = 100
FIELDS: dict[str, str | int] = {
    "title": "Rehearsal",
    "start_time": "2027-01-01T20:00",
    "tag_list": "jazz,trio",
    "description": "Bring the charts. " * 5,
}
TWO_YEARS: dict[str, str | int] = {"frequency": "DAILY", "end_date": "2028-12-30"}


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the table."""
    rounds = 5 if quick else 20
    rows = []
    for kind in KINDS:
        with databases.copy(kind, FEW) as where, servers.kalends(where) as server:
            user = User(server.port)
            with click.progressbar(range(rounds), label=f"Series, {kind}") as bar:
                results = [_round(user) for _ in bar]
        create, repeat = (statistics.median(seconds) * 1000 for seconds in zip(*results, strict=True))
        rows.append([kind, f"{create:.2f}", f"{repeat:.1f}", f"{repeat / create:.0f}", f"at most {MOST}"])
    head = ["database", "one create, ms", f"repeat daily for two years ({OCCURRENCES} events), ms", "ratio", "goal"]
    report.write("series", "Series", [table(head, rows)])


def _round(user: User) -> tuple[float, float]:
    """The seconds of a create, and of repeating the created event as a series."""
    began = time.perf_counter()
    event_id = user.json(Request("/api/events", FIELDS))["id"]
    created = time.perf_counter()
    result = json.loads(user.ask(Request(f"/api/events/{event_id}/repeat", TWO_YEARS), method="PUT"))
    repeated = time.perf_counter()
    assert result["occurrences"] == OCCURRENCES
    return created - began, repeated - created
