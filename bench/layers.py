"""Where the instructions of a request go: `python -m bench.layers` (needs valgrind)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec.structs import force_setattr

from bench.constant import rsgi
from bench.databases import Where
from bench.instructions import LocalUser, call, count_on_each, local_user, profile
from bench.report import table
from kalends.app.application import ENDPOINTS
from kalends.db.postgres.transaction import PostgresTransaction
from kalends.db.sqlite.transaction import SqliteTransaction
from kalends.features.events import api, present
from kalends.http import run_endpoint
from kalends.http.endpoint import Endpoint
from kalends.http.run_endpoint import EndpointRunner
from kalends.http.server import Application

T = TypeVar("T")
Target = tuple[Any, str]

REQUESTS = ("show", "index", "text", "create")
# The text index merges its segments in every fourth, sixteenth and sixty-fourth create.
WARM_UP, COUNTED = 16, 64
WHOLE = ("request", "constant")
PARTS = ("route", "application", "bind", "act", "admit", "action", "statements", "authenticating", "present", "reply")
# Part of the statement that authenticates, and of no other.
AUTHENTICATING = "FROM sessions s JOIN users"


def _functions(user: LocalUser) -> dict[str, list[Target]]:
    """The functions whose instructions are counted, with those of the functions that they call."""
    transactions = (SqliteTransaction, PostgresTransaction)
    return {
        "request": [(user, "ask_often")],
        "route": [(user.edge._application, "route")],
        "application": [(Application, "__call__")],
        "bind": [(EndpointRunner, "_bind")],
        "act": [(EndpointRunner, "_act")],
        "admit": [(EndpointRunner, "_admit")],
        "action": [(endpoint, "function") for endpoint in ENDPOINTS if endpoint.function in (api.show, api.index, api.create)],
        "statements": [(kind, name) for kind in transactions for name in ("rows", "run", "ids_if_selective")],
        "authenticating": [(kind, "rows") for kind in transactions],
        "present": [(present, name) for name in ("items", "detail_with_comments", "new_detail")],
        "reply": [(EndpointRunner, "_reply"), (run_endpoint, "encode_reply")],
    }


@click.command()
@click.option("--data", type=Path, hidden=True, help="Send the requests; valgrind runs this.")
@click.option("--database", default="", hidden=True)
def main(data: Path | None, database: str) -> None:
    """Print the thousands of instructions of each layer, in the process of the service, on both databases."""
    if data:
        _send_requests(Where(data, database))
        return
    for kind, totals in count_on_each("bench.layers"):
        columns = [_layers(request, totals) for request in REQUESTS]
        rows = [[layer, *(f"{column[layer]:,.0f}" for column in columns)] for layer in columns[0]]
        click.echo(f"{kind}\n\n{table(['thousand instructions', *REQUESTS], rows)}\n")


def _layers(request: str, totals: dict[str, int]) -> dict[str, float]:
    """Each layer without those inside it."""
    counted = {name: totals[f"{request}-{name}"] / COUNTED / 1000 for name in (*WHOLE, *PARTS)}
    sql = counted["statements"] + counted["act"] - counted["admit"] - counted["action"]
    return {
        "edge": counted["request"] - counted["route"] - counted["application"],
        "routing": counted["route"],
        "parameters": counted["bind"],
        "running the endpoint": counted["application"] - counted["bind"] - counted["act"] - counted["reply"],
        "authentication": counted["admit"] - counted["authenticating"],
        "policy, building SQL": counted["action"] - counted["statements"] + counted["authenticating"] - counted["present"],
        "SQL": sql,
        "presenting": counted["present"],
        "encoding": counted["reply"],
        "all": counted["request"],
        "constant reply behind the edge": counted["constant"],
    }


def _send_requests(where: Where) -> None:
    user = local_user(where)
    constant = LocalUser(rsgi(), user)
    for request in REQUESTS:
        constant.ask_often(user.requests[request], WARM_UP)
        with profile(f"{request}-constant"):
            call(partial(constant.ask_often, user.requests[request], COUNTED))
        user.ask_often(user.requests[request], WARM_UP)
        for name, targets in _functions(user).items():
            part = AUTHENTICATING if name == "authenticating" else ""
            with _counted(targets, part), profile(f"{request}-{name}"):
                user.ask_often(user.requests[request], COUNTED)


@contextmanager
def _counted(targets: list[Target], part: str) -> Iterator[None]:
    """Count the instructions of these functions; where `part` is set, only of statements that contain it."""
    is_counting = False

    def counted(function: Callable[..., T]) -> Callable[..., T]:
        def run(*args: Any, **kwargs: Any) -> T:
            nonlocal is_counting
            # One of them may call another.
            if is_counting or (part and part not in args[1]):
                return function(*args, **kwargs)
            is_counting = True
            try:
                return call(partial(function, *args, **kwargs))
            finally:
                is_counting = False

        return run

    originals = [(owner, name, getattr(owner, name)) for owner, name in targets]
    for owner, name, function in originals:
        _set(owner, name, counted(function))
    yield
    for owner, name, function in originals:
        _set(owner, name, function)


def _set(owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Endpoints are frozen."""
    if isinstance(owner, Endpoint):
        force_setattr(owner, name, function)
    else:
        setattr(owner, name, function)


if __name__ == "__main__":
    main()
