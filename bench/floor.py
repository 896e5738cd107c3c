"""The floor: the statements of a request and the encoding of its reply, behind the same edge, and nothing else.

`python -m bench floor` measures it between the constant reply and the service. What the service takes above it is routing, parameters,
authentication, permissions and presenting."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import click
import msgspec
from msgspec import Struct

from bench import servers, wrk
from bench.databases import FEW, KINDS, Databases
from bench.instructions import LocalUser
from bench.report import Report, table
from bench.user import User
from kalends.app.application import application
from kalends.core import settings, tokens
from kalends.core.records.calendar import TargetCalendar
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database, Transaction, open_database
from kalends.http.context import Context
from kalends.http.reply import Reply
from kalends.http.request import Request
from kalends.http.run_endpoint import EndpointRunner
from kalends.http.serving import granian
from kalends.http.serving.edge import Edge

HOW = f"""One worker process on one core, wrk with {wrk.CONNECTIONS} connections on another, {FEW:,} events; medians of alternating rounds.

- Constant: a constant reply behind the same edge.
- Floor: the statements that Kalends runs for the request, by the same code and on the same connections, and msgspec's encoding of its
  reply, in which the JSON of events is cached, behind the same edge. Nothing is routed, parsed, permitted or presented.
- Kalends: the service."""

ROWS = ("show", "index", "text", "create")
_METHODS = ("rows", "run", "ids_if_selective")
# The parameters that have the id of a new event.
_IDS = ("id", "event_id")
_NEW_ID = TargetCalendar.__struct_fields__.index("next_event_id")

_encode = msgspec.json.Encoder().encode


class Statement(Struct, frozen=True):
    """A call of a transaction's method."""

    method: str
    args: tuple[Any, ...]
    params: dict[str, Any]

    def with_id(self, old: int, new: int) -> "Statement":
        """The same for another event."""
        args = tuple((arg[0], _with_id(arg[1], old, new)) if isinstance(arg, tuple) else arg for arg in self.args)
        return Statement(self.method, args, _with_id(self.params, old, new))


class Recording(Struct):
    """What a request does in the database, and the result that is encoded."""

    statements: list[Statement] = []
    result: Any = None


class Floor:
    """An application that repeats recordings."""

    def __init__(self, db: Database, loaded: Settings, recordings: dict[str, Recording]):
        self._db = db
        self._settings = loaded
        self._recordings = recordings

    def route(self, request: Request) -> None:
        """A request needs no endpoint."""

    def identify(self, request: Request) -> int | None:
        return None

    def __call__(self, request: Request) -> Reply:
        recording = self._recordings.get(_name(request))
        if recording is None:
            body = b"{}"
        else:
            self._write(recording) if request.method == "POST" else self._read(recording)
            body = _encode(recording.result)
        return Reply(200, "application/json", body, {"Content-Type": "application/json", "Content-Length": str(len(body))})

    def _read(self, recording: Recording) -> None:
        with self._db.read() as tx:
            for statement in recording.statements:
                getattr(tx, statement.method)(*statement.args, **statement.params)

    def _write(self, recording: Recording) -> None:
        """The second statement that returns rows has the id of the new event."""
        results: list[Any] = []
        with self._db.write() as tx:
            tx.author = Context(self._db, self._settings, timestamps.now()).author
            for statement in recording.statements:
                same = statement.with_id(recording.result.id, results[1][0][_NEW_ID]) if len(results) > 1 else statement
                result = getattr(tx, same.method)(*same.args, **same.params)
                if same.method == "rows":
                    results.append(result)


def _name(request: Request) -> str:
    if request.method == "POST":
        return "create"
    if request.path == "/readyz":
        return ""
    return ("text" if "text=" in request.query else "index") if request.query else "show"


def _with_id(params: dict[str, Any], old: int, new: int) -> dict[str, Any]:
    return {name: new if name in _IDS and value == old else value for name, value in params.items()}


def record(db: Database, user: LocalUser) -> dict[str, Recording]:
    """Send each request to the service, and record what it does."""
    recordings = {}
    for name, request in user.requests.items():
        user.ask_often(request, 2)
        with _recorded(db) as recordings[name]:
            user.ask_often(request, 1)
    return recordings


@contextmanager
def _recorded(db: Database) -> Iterator[Recording]:
    recording = Recording()
    is_inside = False
    with db.read() as tx:
        kind = type(tx)

    def recorded(method: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(tx: Transaction, /, *args: Any, **params: Any) -> Any:
            nonlocal is_inside
            # One method may call another.
            if is_inside:
                return function(tx, *args, **params)
            recording.statements.append(Statement(method, args, dict(params)))
            is_inside = True
            try:
                return function(tx, *args, **params)
            finally:
                is_inside = False

        return call

    def reply(runner: EndpointRunner, ctx: Any, result: Any) -> Reply:
        recording.result = result
        return original_reply(runner, ctx, result)

    original_reply = EndpointRunner._reply
    originals = {name: getattr(kind, name) for name in _METHODS}
    for name, function in originals.items():
        setattr(kind, name, recorded(name, function))
    EndpointRunner._reply = reply  # type: ignore[method-assign,assignment]
    yield recording
    EndpointRunner._reply = original_reply  # type: ignore[method-assign]
    for name, function in originals.items():
        setattr(kind, name, function)


def rsgi() -> Edge:
    loaded = settings.load()
    tokens.ensure_secret(loaded)
    db = open_database(loaded)
    # The event loop that runs the requests is not this thread's.
    with ThreadPoolExecutor(1) as thread:
        recordings = thread.submit(lambda: record(db, LocalUser(Edge(application(db, loaded), loaded, db)))).result()
    return Edge(Floor(db, loaded, recordings), loaded, db)


def measure(databases: Databases, report: Report, *, quick: bool) -> None:
    """Write the tables."""
    head = "requests a second, constant, floor, Kalends, floor of constant, Kalends of constant, Kalends of floor"
    parts = [HOW]
    for kind in KINDS:
        medians = _medians(databases, kind, 2 if quick else 12)
        parts += [f"## {kind}", table(head.split(", "), [[row, *_cells(*rates)] for row, rates in medians.items()])]
    report.write("floor", "Floor", parts)


def _medians(databases: Databases, kind: str, rounds: int) -> dict[str, list[float]]:
    """The rates of the constant reply, the floor and the service."""
    with ExitStack() as running:
        ours, copy = (running.enter_context(databases.copy(kind, FEW)) for _ in range(2))
        started = [running.enter_context(server) for server in (servers.constant(), servers.floor(copy), servers.kalends(ours))]
        user = User(started[-1].port)
        requests = [dict.fromkeys(ROWS, wrk.Request("/")), user.requests, user.requests]
        figures: dict[str, list[list[wrk.Figures]]] = {row: [[], [], []] for row in ROWS}
        with click.progressbar([row for row in ROWS for _ in range(rounds)], label=f"Floor, {kind}") as bar:
            for row in bar:
                for server, sent, group in zip(started, requests, figures[row], strict=True):
                    group.append(wrk.measured(server.port, sent[row], user.authorization, 1))
                    server.settle()
    return {row: [wrk.median(group).rate for group in groups] for row, groups in figures.items()}


def _cells(constant: float, floor: float, ours: float) -> list[str]:
    shares = floor / constant, ours / constant, ours / floor
    return [*(f"{rate:,.0f}" for rate in (constant, floor, ours)), *(f"{share:.1%}" for share in shares)]


if __name__ == "__main__":
    current = settings.load()
    granian.serve(rsgi, granian.bind(current), current)
