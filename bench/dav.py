"""CalDAV with 10,000 events in one calendar, beside Radicale and Xandikos in the same run."""

import re
import statistics
import time
from contextlib import ExitStack
from datetime import datetime

import click
from msgspec import Struct

from bench import dav_calendars, radicale
from bench.databases import FEW, KINDS, SQLITE, Databases
from bench.dav_calendars import FIRST_TIMEOUT, TIMEOUT, Calendar
from bench.report import Report, table
from bench.wrk import NEW, Request

MORE = 100_000
PEERS = RADICALE, XANDIKOS = "Radicale", "Xandikos"
TIMES_PEER = 10
CTAG, PUT, CONSTANT = "ctag", "PUT", "constant reply"
# Milliseconds that a request may take.
GOALS = {
    "PROPFIND, depth 1": 60,
    CTAG: 1,
    "calendar-query of a month": 40,
    "sync without changes": 1.5,
    "multiget of 50": 4,
    "GET": 1,
    PUT: 8,
}
# How long a server is asked before it is another's turn, and how long for a row in all; the last request ends later.
TURN_SECONDS, ROW_SECONDS = 0.2, 10
# How long a peer is asked for all rows: those that would begin later are left out.
PEER_SECONDS = 300
HOW = """One calendar with {events:,} events; in the last row, {more:,}. One client asks each server in turn, one request after the other,
for {turn} seconds or one request: medians of the turns, in milliseconds for a request. The processor time is that of all threads of
a server and of its child processes, and with PostgreSQL that of PostgreSQL's processes too. Other programs may run on the machine at the
same time and make the wall time longer, so the goals are for the processor time. Each server has one process for requests, and all are on
one core. The first request of a row is not counted, and one that takes over {timeout} seconds ends the row of its server. Radicale runs
behind Granian with passwords that are not hashed; Xandikos runs with its own server, its index loaded, and without a password. The files of
both are in memory.

The constant reply is what any reply costs at least: the request for the ctag, sent to a server that replies with the same 18 bytes to every
request, behind the same edge and without a database. It takes {constant} ms of processor time. One {times}th of what the faster peer takes
for the ctag is {limit} ms. Where that is less than the constant reply takes, nothing behind this edge can be {times} times as fast."""

_SPACES = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:CS="http://calendarserver.org/ns/"'
_MONTH = '<C:time-range start="20261201T000000Z" end="20270101T000000Z"/>'


class Cost(Struct, frozen=True):
    """Milliseconds of a request; is_cut: it took longer."""

    processor: float
    wall: float
    is_cut: bool = False


Costs = dict[str, dict[str, Cost]]


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables."""
    rounds, events = (3, 500) if quick else (10, FEW)
    with ExitStack() as running:
        calendars = {kind: running.enter_context(dav_calendars.kalends(databases, kind, events)) for kind in KINDS}
        constant = running.enter_context(dav_calendars.constant(calendars[SQLITE]))
        folder = running.enter_context(dav_calendars.files(events))
        calendars[RADICALE] = running.enter_context(dav_calendars.radicale_calendar(folder))
        calendars[XANDIKOS] = running.enter_context(dav_calendars.xandikos_calendar(folder))
        costs = _measure_rows(calendars, list(GOALS), rounds, events)
        costs[CONSTANT] = _measure_constant(constant, rounds)
    with ExitStack() as running:
        calendars = {kind: running.enter_context(dav_calendars.kalends(databases, kind, MORE)) for kind in KINDS}
        costs |= {f"{PUT}, {MORE:,} events": _measure_rows(calendars, [PUT], rounds, MORE)[PUT]}
    parts = [part for name in ("processor", "wall") for part in (f"## {name.title()} time", _table(costs, name))]
    report.write("dav", "CalDAV", [*parts, _explain(costs, events)])


def _explain(costs: Costs, events: int) -> str:
    """How it was measured, and what the constant reply means for the goal of the ctag."""
    limit = min(costs[CTAG][peer].processor for peer in PEERS) / TIMES_PEER
    figures = {"constant": _format(costs[CONSTANT][SQLITE], "processor"), "limit": f"{limit:.2f}", "times": TIMES_PEER}
    return HOW.format(events=events, more=MORE, turn=TURN_SECONDS, timeout=TIMEOUT, **figures)


def _measure_rows(calendars: dict[str, Calendar], rows: list[str], rounds: int, events: int) -> Costs:
    """Of each row, the cost of each server that had time for it."""
    requests: dict[str, dict[str, Request]] = {}
    for name, calendar in calendars.items():
        _report(f"{name}: reading {events:,} events")
        requests[name] = _requests(calendar, events)
    spent = dict.fromkeys(calendars, 0.0)
    costs = {}
    for row in rows:
        asked = {name: calendar for name, calendar in calendars.items() if name in KINDS or spent[name] < PEER_SECONDS}
        costs[row] = _measure_row(row, asked, {name: requests[name][row] for name in asked}, rounds, spent)
    return costs


def _measure_constant(calendar: Calendar, rounds: int) -> dict[str, Cost]:
    """The cost of the constant reply, which is the same with each database."""
    cost = _measure_row(CONSTANT, {CONSTANT: calendar}, {CONSTANT: _ctag(calendar.path)}, rounds, {CONSTANT: 0})[CONSTANT]
    return dict.fromkeys(KINDS, cost)


def _measure_row(
    row: str, calendars: dict[str, Calendar], requests: dict[str, Request], rounds: int, spent: dict[str, float]
) -> dict[str, Cost]:
    """The cost of each server. What each has spent is added."""
    turns: dict[str, list[Cost]] = {name: [] for name in calendars}
    hrefs: dict[str, int] = {}
    until = {name: spent[name] + ROW_SECONDS for name in calendars}
    for number in range(rounds + 1):
        for name in [each for each in calendars if spent[each] < until[each] or len(turns[each]) < 2]:
            if turns[name] and turns[name][-1].is_cut:
                continue
            start = time.perf_counter()
            cost, reply = _turn(calendars[name], requests[name], seconds=TURN_SECONDS if number else 0)
            spent[name] += time.perf_counter() - start
            turns[name].append(cost)
            if not cost.is_cut:
                hrefs[name] = reply.count("href>")
    assert len(set(hrefs.values())) == 1, f"{row}: {hrefs}"
    costs = {name: _median(each) for name, each in turns.items()}
    _report(f"{row}: " + ", ".join(f"{name} {_format(cost, 'processor')}" for name, cost in costs.items()))
    return costs


def _turn(calendar: Calendar, request: Request, seconds: float) -> tuple[Cost, str]:
    """The cost of a request, and the last reply."""
    used, began, number = calendar.processor_time, time.perf_counter(), 0
    try:
        while not number or time.perf_counter() - began < seconds:
            reply = calendar.ask(request)
            number += 1
    except TimeoutError:
        cost = Cost(calendar.processor_time - used, TIMEOUT * 1000, is_cut=True)
        calendar.restart()
        return cost, ""
    wall = (time.perf_counter() - began) * 1000
    return Cost((calendar.processor_time - used) / number, wall / number), reply


def _median(turns: list[Cost]) -> Cost:
    """Without the first turn, which may have read all files."""
    if turns[-1].is_cut:
        return turns[-1]
    turns = turns[1:]
    return Cost(statistics.median(turn.processor for turn in turns), statistics.median(turn.wall for turn in turns))


def _requests(calendar: Calendar, events: int) -> dict[str, Request]:
    path = calendar.path
    listing = Request(path, method="PROPFIND", body=f"<D:propfind {_SPACES}><D:prop><D:getetag/></D:prop></D:propfind>")
    hrefs = re.findall(r"href>([^<]+\.ics)<", calendar.ask(listing, FIRST_TIMEOUT))
    assert len(hrefs) == events, f"{path} has {len(hrefs)} events"
    token = re.findall(r"sync-token>([^<]+)<", calendar.ask(_sync(path, ""), FIRST_TIMEOUT))[-1]
    return {
        "PROPFIND, depth 1": listing,
        CTAG: _ctag(path),
        "calendar-query of a month": Request(path, method="REPORT", body=_query()),
        "sync without changes": _sync(path, token),
        "multiget of 50": Request(path, method="REPORT", body=radicale.multiget(hrefs[:50])),
        "GET": Request(hrefs[0], method="GET"),
        PUT: Request(f"{path}{NEW}.ics", method="PUT", body=radicale.new_event()),
    }


def _ctag(path: str) -> Request:
    return Request(path, method="PROPFIND", body=f"<D:propfind {_SPACES}><D:prop><CS:getctag/></D:prop></D:propfind>")


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
        peers = [by_server[each] for each in PEERS if each in by_server]
        times = [_compare(by_server[kind], peers, name) for kind in KINDS]
        texts = [_format(by_server[each], name) if each in by_server else "" for each in (*KINDS, *PEERS)]
        goal = GOALS.get(row.split(f", {MORE:,}")[0])
        goals = f"at most {goal}" if goal else "", f"at least {TIMES_PEER}" if peers and row != "GET" else ""
        rows.append([row, *texts, goals[0], *times, goals[1]])
    return table(head, rows)


def _format(cost: Cost, name: str) -> str:
    value: float = getattr(cost, name)
    return f"over {value / 1000:.0f} s" if cost.is_cut else f"{value:.2f}"


def _compare(own: Cost, peers: list[Cost], name: str) -> str:
    """How many times as long the faster peer takes."""
    if not peers:
        return ""
    peer = min(peers, key=lambda cost: getattr(cost, name))
    return f"{'over ' if peer.is_cut else ''}{getattr(peer, name) / getattr(own, name):.1f}"


def _report(text: str) -> None:
    click.echo(f"{datetime.now():%H:%M:%S} {text}")
