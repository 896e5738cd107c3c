"""The statements that requests run, noted while the tests run, for `plans` to explain.

The drivers tell of them, however the code comes to run one. What no request runs (commands, migrations, the worker) is not noted."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import psycopg

# By database: each statement, with the request that ran it first.
statements: dict[str, dict[str, str]] = {"sqlite": {}, "postgres": {}}

_EXPLAINABLE = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
# A table of the tests' own.
_PEBBLES = re.compile(r"\bpebbles\b")
_this_thread = threading.local()


@contextmanager
def during(request: str) -> Iterator[None]:
    """What this thread runs meanwhile, it runs for the request."""
    _this_thread.request = request
    try:
        yield
    finally:
        _this_thread.request = None


def listen() -> None:
    """Let the drivers tell of every statement."""
    apsw.connection_hooks.append(_listen_to)
    for name in ("execute", "executemany"):
        setattr(psycopg.Cursor, name, _telling(getattr(psycopg.Cursor, name)))


def _listen_to(connection: apsw.Connection) -> None:
    def told(cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        _note("sqlite", sql)
        return True

    connection.exec_trace = told


def _telling(method: Any) -> Any:
    def run(cursor: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        _note("postgres", query.decode() if isinstance(query, bytes) else str(query))
        return method(cursor, query, *args, **kwargs)

    return run


def _note(database: str, sql: str) -> None:
    request = getattr(_this_thread, "request", None)
    if request and _EXPLAINABLE.match(sql) and not _PEBBLES.search(sql):
        statements[database].setdefault(sql, request)
