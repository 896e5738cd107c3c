"""What each cache and trick brings, alone, on requests that differ: `python -m bench.caches`. It takes some ten minutes.

Each is switched off and on again in one process, in alternate rounds, and the processor time of a request is compared. A bounded cache
of a function is measured in the rows in which it finds something."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import _lru_cache_wrapper
from typing import Any

import click
from jinja2.runtime import Context as JinjaContext

from bench import databases
from bench.databases import FEW, SQLITE
from bench.instructions import LocalUser, local_user
from bench.report import table
from bench.requests import PAGE_ROWS, Requests
from bench.wrk import Request
from kalends.core.values.format_cache import FormatCache
from kalends.db.sqlite import connection
from kalends.web import environment

ROWS = {"show": 300, "list": 100, "text": 40, "create": 80, "event page": 30, "start page": 30, "month": 20, "feed": 30}
ROUNDS = 5
# Below this number of finds in a request, a cache is not measured.
FEWEST = 0.5

Switch = Callable[[], AbstractContextManager[None]]


@click.command()
@click.argument("rows", nargs=-1, type=click.Choice(list(ROWS)))
def main(rows: Sequence[str]) -> None:
    """Print how much more processor time a request takes without each."""
    with databases.opened(core=0) as opened:
        opened.fill(SQLITE, FEW)
        with opened.copy(SQLITE, FEW) as where:
            user = local_user(where)
            requests = Requests.of(user)
            for row in rows or ROWS:
                sent = [requests.row(row, seed)[: ROWS[row]] for seed in range(-1, ROUNDS)]
                _send(user, row, sent[0])
                switches = _tricks(user, row) | {name: _without_cache(function) for name, function in _used_caches(user, row, sent[1])}
                lines = [[name, f"{_gain(user, row, sent, switch):+.0%}"] for name, switch in switches.items()]
                click.echo(f"{row}\n\n{table(['without', 'processor time of a request'], lines)}\n")


def _gain(user: LocalUser, row: str, sent: Sequence[list[Request]], switch: Switch) -> float:
    """By the quickest rounds: other load on the machine makes the others slower."""
    with_it, without = list[float](), list[float]()
    warm_up = sent[0][:10]
    for requests in sent[1:]:
        _send(user, row, warm_up)
        with_it.append(_send(user, row, requests))
        with switch():
            _send(user, row, warm_up)
            without.append(_send(user, row, requests))
    return min(without) / min(with_it) - 1


def _send(user: LocalUser, row: str, requests: list[Request]) -> float:
    """The processor time that they take."""
    began = time.process_time()
    for request in requests:
        user.ask(request, guest=row in PAGE_ROWS)
    return time.process_time() - began


def _tricks(user: LocalUser, row: str) -> dict[str, Switch]:
    db: Any = user.edge._application._services.db

    @contextmanager
    def without_prepared_statements() -> Iterator[None]:
        original = connection.Connection
        with _replaced(connection, "Connection", lambda path, flags, statementcachesize: original(path, flags, statementcachesize=0)):
            db.close()
            yield
        db.close()

    @contextmanager
    def without(name: str, value: Any) -> Iterator[None]:
        with _replaced(environment._Environment, name, value):
            _forget_templates()
            yield
        _forget_templates()

    tricks: dict[str, Switch] = {"prepared statements": without_prepared_statements}
    if row not in PAGE_ROWS:
        return tricks
    return tricks | {
        "calls from templates without the context": lambda: without("context_class", JinjaContext),
        "FormatCache": lambda: _replaced(FormatCache, "__getitem__", lambda cache, value: cache._format(value)),
    }


def _forget_templates() -> None:
    environment._environment.cache_clear()
    environment._compiled._code.clear()


def _used_caches(user: LocalUser, row: str, requests: list[Request]) -> list[tuple[str, Any]]:
    """The bounded caches of functions that find something in this row."""
    caches = _bounded_caches()
    before = {name: function.cache_info().hits for name, function in caches.items()}
    _send(user, row, requests)
    least = FEWEST * len(requests)
    return [(name, function) for name, function in caches.items() if function.cache_info().hits - before[name] > least]


def _bounded_caches() -> dict[str, Any]:
    caches = {}
    for module in _modules():
        for value in vars(module).values():
            if isinstance(value, _lru_cache_wrapper) and value.cache_parameters()["maxsize"]:
                caches[f"{value.__module__}.{value.__name__}"] = value
    return caches


def _modules() -> list[Any]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("kalends.")]


def _without_cache(function: Any) -> Switch:
    """Call the function itself, wherever it was imported."""

    @contextmanager
    def without() -> Iterator[None]:
        places = [(module, name) for module in _modules() for name, value in list(vars(module).items()) if value is function]
        for module, name in places:
            setattr(module, name, function.__wrapped__)
        yield
        for module, name in places:
            setattr(module, name, function)

    return without


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Another value of the attribute for the duration of the block."""
    original = vars(owner).get(name)
    setattr(owner, name, value)
    yield
    if original is None:
        delattr(owner, name)
    else:
        setattr(owner, name, original)


if __name__ == "__main__":
    main()
