"""What each request costs with a million events and more: `python -m bench.scale PostgreSQL 10000000`.

The page of results has every database that was measured so far."""

import json
import statistics
import time
from itertools import pairwise
from typing import Any

import click
from msgspec import Struct

from bench import explained, scale_databases, servers
from bench.databases import KINDS, SQLITE
from bench.report import LISTED, Report, table
from bench.user import NOON, User
from bench.wrk import Request

ROUNDS, WARM, SECONDS = 15, 2, 5
# A request whose rows grow by more than this, while the events grow tenfold, is named.
GROWTH = 2
MEASURED = scale_databases.STORE / "measured"
HOW = f"""`python -m bench.scale`: {scale_databases.BASE:,} events loaded by the service's functions, and multiplied by SQL with users,
calendars, times and a history of their own; one event of {scale_databases.LASTING} lasts for two years. A user has 20 calendars.

Milliseconds over HTTP: the median of {ROUNDS} requests, or of those that {SECONDS} seconds have time for. "Rows" of PostgreSQL are those of
tables and indexes that the plans of a request read (auto_explain with ANALYZE), and those that were thrown away count too; "steps" are
those of SQLite's virtual machine. "Scans" are whole tables that are read; "sorted" is the largest number of rows that a plan sorts on
PostgreSQL, and how often SQLite sorts. A search in all public events reads at most 10,000 rows: 5,000 keys, to find the last event
that it looks at, and these events; one for what overlaps a time at most twice as many."""


class Case(Struct, frozen=True):
    """A request, and who sends it."""

    request: Request
    guest: bool = False
    cookie: bool = False


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("events", type=int)
def main(kind: str, events: int) -> None:
    """Fill the database, measure, and write the page."""
    with scale_databases.opened(kind, events) as where:
        with servers.kalends(where, cores=servers.BOTH_CORES) as server:
            user = User(server.port)
            times = {name: _milliseconds(user, case) for name, case in _cases(user).items()}
        work = explained.on_sqlite(where, _cases) if kind == SQLITE else explained.on_postgres(where, _cases)
    MEASURED.mkdir(exist_ok=True)
    measured = {name: {"ms": times[name], **work[name]} for name in times}
    (MEASURED / f"{kind}-{events}.json").write_text(json.dumps(measured, indent=1))
    write_page()


def write_page() -> None:
    """The page of all that was measured."""
    parts = [HOW]
    for kind in KINDS:
        columns = {int(path.stem.partition("-")[2]): json.loads(path.read_text()) for path in MEASURED.glob(f"{kind}-*.json")}
        if columns:
            parts += [f"## {kind}", _table(kind, dict(sorted(columns.items())))]
    Report(LISTED).write("scale", "Scale", parts)


def _table(kind: str, columns: dict[int, dict[str, dict[str, Any]]]) -> str:
    unit = "steps" if kind == SQLITE else "rows"
    head = ["request", *(f"{events:,}: ms" for events in columns), *(f"{events:,}: {unit}" for events in columns)]
    head += ["scans", "sorted", "grows"]
    rows = []
    for name in next(iter(columns.values())):
        each = [measured[name] for measured in columns.values()]
        work = [one["rows"] for one in each]
        last = each[-1]
        row = [name, *(f"{one['ms']:.1f}" for one in each), *(f"{rows:,}" for rows in work)]
        rows.append([*row, ", ".join(last["scans"]) or "none", f"{last['sorted']:,}", _grows(work)])
    return table(head, rows)


def _grows(work: list[int]) -> str:
    return "**yes**" if any(later > GROWTH * max(earlier, 100) for earlier, later in pairwise(work)) else "no"


def _milliseconds(user: User, case: Case) -> float:
    durations: list[float] = []
    for _ in range(WARM):
        user.ask(case.request, guest=case.guest, cookie=case.cookie, or_late=True)
    began = time.monotonic()
    while len(durations) < ROUNDS and time.monotonic() - began < SECONDS:
        start = time.perf_counter()
        user.ask(case.request, guest=case.guest, cookie=case.cookie, or_late=True)
        durations.append((time.perf_counter() - start) * 1000)
    return statistics.median(durations)


def _cases(user: User) -> dict[str, Case]:
    requests = user.requests
    day = "start_time=2026-12-01&end_time=2026-12-02&overlaps=true"
    return {
        "show": Case(requests["show"]),
        "create": Case(requests["create"]),
        "one calendar": Case(requests["index"]),
        "a user's 20 calendars": Case(_list(f"start_time={NOON}")),
        "all public, guest": Case(_list(f"start_time={NOON}"), guest=True),
        "all public with a count, guest": Case(_list("count=true"), guest=True),
        "all public, offset 5,000, guest": Case(_list("offset=5000"), guest=True),
        "a rare word, guest": Case(_list("text=zanzibar"), guest=True),
        "a word of every fifth event, guest": Case(_list("text=jazz"), guest=True),
        "that word with a count, guest": Case(_list("text=jazz&count=true"), guest=True),
        "three words (`autumn ballad bebop`), guest": Case(_list("text=autumn+ballad+bebop"), guest=True),
        "three words that are not there together, guest": Case(_list("text=zanzibar+autumn+nowhere"), guest=True),
        "two tags (`tango,piano`), guest": Case(_list("tags=tango,piano"), guest=True),
        "two tags that no event has both, guest": Case(_list("tags=tango,zanzibar"), guest=True),
        "two letters (`zz`), guest": Case(_list("text=zz"), guest=True),
        "a day's overlaps, all public, guest": Case(_list(day), guest=True),
        "a day's overlaps, a user's calendars": Case(_list(day)),
        "overlaps after most of the long events, guest": Case(_list("start_time=2029-06-01&overlaps=true"), guest=True),
        "that with two tags, guest": Case(_list("start_time=2029-06-01&overlaps=true&tags=tango,piano"), guest=True),
        "three words, a user's calendars": Case(_list("text=autumn+ballad+bebop")),
        "month page of a user": Case(Request("/calendar?date=2026-12-01"), cookie=True),
        "month page, guest": Case(Request("/calendar?date=2026-12-01"), guest=True),
        "week page, guest": Case(Request("/calendar?view=week&date=2026-12-01"), guest=True),
        "day page, guest": Case(Request("/calendar?view=day&date=2026-12-01"), guest=True),
        "agenda page, guest": Case(Request("/calendar?view=agenda&date=2026-12-01"), guest=True),
        "start page, guest": Case(Request("/"), guest=True),
        "start page with three words, guest": Case(Request("/?text=autumn+ballad+bebop"), guest=True),
        "changes since the beginning": Case(Request("/api/changes")),
        "feed of a public calendar, guest": Case(Request(f"/api/calendars/{_public_calendar(user)}.ics"), guest=True),
    }


def _list(query: str) -> Request:
    return Request(f"/api/events?{query}&limit=50")


def _public_calendar(user: User) -> int:
    calendars = user.json(Request("/api/calendars"))["calendars"]
    return int(next(each["id"] for each in calendars if each["public"]))


if __name__ == "__main__":
    main()
