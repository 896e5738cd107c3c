"""CalDAV with 10,000 events in one calendar, beside Radicale and Xandikos in the same run."""

import re
import statistics
import time
from contextlib import ExitStack

import click
from msgspec import Struct

from bench import dav_calendars, radicale
from bench.databases import FEW, KINDS, Databases
from bench.dav_calendars import Calendar
from bench.report import Report, table
from bench.wrk import NEW, Request

MORE = 100_000
PEERS = RADICALE, XANDIKOS = "Radicale", "Xandikos"
TIMES_PEER = 10
PUT = "PUT"
# Milliseconds that a request may take.
GOALS = {
    "PROPFIND, depth 1": 60,
    "ctag": 1,
    "calendar-query of a month": 40,
    "sync without changes": 1.5,
    "multiget of 50": 4,
    "GET": 1,
    PUT: 8,
}
# How long a server is asked before it is another's turn, and how long for a row in all; the last request ends later.
TURN_SECONDS, ROW_SECONDS = 0.2, 10
HOW = f"""One calendar with {FEW:,} events; in the last row, {MORE:,}. One client asks each server in turn, one request after the other,
for {TURN_SECONDS} seconds or one request: medians of the turns, in milliseconds for a request. The processor time is that of all threads of
a server and of its child processes, and with PostgreSQL that of PostgreSQL's processes too. Other programs may run on the machine at the
same time and make the wall time longer, so the goals are for the processor time. Each server has one process for requests, and all are on
one core. Radicale runs behind Granian with passwords that are not hashed; Xandikos runs with its own server, its index loaded, and without
a password. The files of both are in memory."""

_SPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/"'
_MONTH = '<C:time-range start="20261201T000000Z" end="20270101T000000Z"/>'


class Cost(Struct, frozen=True):
    """Milliseconds of a request."""

    processor: float
    wall: float


Costs = dict[str, dict[str, Cost]]


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables."""
    rounds = 3 if quick else 10
    with ExitStack() as running:
        calendars = {kind: running.enter_context(dav_calendars.kalends(databases, kind, FEW)) for kind in KINDS}
        folder = running.enter_context(dav_calendars.files(FEW))
        calendars[RADICALE] = running.enter_context(dav_calendars.started_radicale(folder))
        calendars[XANDIKOS] = running.enter_context(dav_calendars.started_xandikos(folder))
        costs = _measure_rows(calendars, list(GOALS), rounds, FEW)
    with ExitStack() as running:
        calendars = {kind: running.enter_context(dav_calendars.kalends(databases, kind, MORE)) for kind in KINDS}
        costs |= {f"{PUT}, {MORE:,} events": _measure_rows(calendars, [PUT], rounds, MORE)[PUT]}
    parts = [part for name in Cost.__struct_fields__ for part in (f"## {name.title()} time", _table(costs, name))]
    report.write("dav", "CalDAV", [*parts, HOW])


def _measure_rows(calendars: dict[str, Calendar], rows: list[str], rounds: int, events: int) -> Costs:
    """Of each row, the cost of each server."""
    requests = {name: _requests(calendar, events) for name, calendar in calendars.items()}
    costs = {}
    for row in rows:
        replies = {name: calendar.ask(requests[name][row]).count("href>") for name, calendar in calendars.items()}
        assert len(set(replies.values())) == 1, f"{row}: {replies}"
        costs[row] = _measure_row(row, {calendars[name]: requests[name][row] for name in calendars}, rounds)
    return {row: dict(zip(calendars, each, strict=True)) for row, each in costs.items()}


def _measure_row(row: str, requests: dict[Calendar, Request], rounds: int) -> list[Cost]:
    turns: dict[Calendar, list[Cost]] = {calendar: [] for calendar in requests}
    spent = dict.fromkeys(requests, 0.0)
    with click.progressbar(range(rounds), label=row) as bar:
        for _ in bar:
            for calendar in [each for each in requests if spent[each] < ROW_SECONDS]:
                start = time.perf_counter()
                turns[calendar].append(_turn(calendar, requests[calendar]))
                spent[calendar] += time.perf_counter() - start
    return [_median(costs) for costs in turns.values()]


def _turn(calendar: Calendar, request: Request) -> Cost:
    used, began, number = calendar.processor_time, time.perf_counter(), 0
    while not number or time.perf_counter() - began < TURN_SECONDS:
        calendar.ask(request)
        number += 1
    wall = (time.perf_counter() - began) * 1000
    return Cost((calendar.processor_time - used) / number, wall / number)


def _median(turns: list[Cost]) -> Cost:
    return Cost(statistics.median(turn.processor for turn in turns), statistics.median(turn.wall for turn in turns))


def _requests(calendar: Calendar, events: int) -> dict[str, Request]:
    path = calendar.path
    listing = Request(path, method="PROPFIND", body=f"<D:propfind {_SPACES}><D:prop><D:getetag/></D:prop></D:propfind>")
    hrefs = re.findall(r"href>([^<]+\.ics)<", calendar.ask(listing))
    assert len(hrefs) == events, f"{path} has {len(hrefs)} events"
    token = re.findall(r"sync-token>([^<]+)<", calendar.ask(_sync(path, "")))[-1]
    return {
        "PROPFIND, depth 1": listing,
        "ctag": Request(path, method="PROPFIND", body=f"<D:propfind {_SPACES}><D:prop><CS:getctag/></D:prop></D:propfind>"),
        "calendar-query of a month": Request(path, method="REPORT", body=_query()),
        "sync without changes": _sync(path, token),
        "multiget of 50": Request(path, method="REPORT", body=radicale.multiget(hrefs[:50])),
        "GET": Request(hrefs[0], method="GET"),
        PUT: Request(f"{path}{NEW}.ics", method="PUT", body=radicale.new_event()),
    }


def _query() -> str:
    """RFC 4791, section 7.8."""
    wanted = "<D:prop><D:getetag/><C:calendar-data/></D:prop>"
    events = f'<C:comp-filter name="VEVENT">{_MONTH}</C:comp-filter>'
    filters = f'<C:filter><C:comp-filter name="VCALENDAR">{events}</C:comp-filter></C:filter>'
    return f"<C:calendar-query {_SPACES}>{wanted}{filters}</C:calendar-query>"


def _sync(path: str, token: str) -> Request:
    """RFC 6578, section 3.2."""
    body = f"<D:sync-token>{token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop>"
    return Request(path, method="REPORT", body=f"<D:sync-collection {_SPACES}>{body}</D:sync-collection>")


def _table(costs: Costs, name: str) -> str:
    head = ["request", *KINDS, *PEERS, "goal", *(f"{kind}: times the faster peer" for kind in KINDS), "goal"]
    rows = []
    for row, by_server in costs.items():
        figures = {server: getattr(cost, name) for server, cost in by_server.items()}
        peer = min((figures[each] for each in PEERS if each in figures), default=None)
        times = [f"{peer / figures[kind]:.0f}" if peer else "" for kind in KINDS]
        texts = [f"{figures[each]:.2f}" if each in figures else "" for each in (*KINDS, *PEERS)]
        goal = GOALS[row.split(f", {MORE:,}")[0]]
        rows.append([row, *texts, f"at most {goal}", *times, f"at least {TIMES_PEER}" if peer and row != "GET" else ""])
    return table(head, rows)
