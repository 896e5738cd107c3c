"""The statements that requests run during the tests, recorded for `plans` to explain.

Hooks in the drivers record them. Statements of commands, migrations and the worker are not recorded."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from kalends.db.postgres.commands import Command
from kalends.db.postgres.connection import Connection

# By database: each statement, with the request that ran it first.
statements: dict[str, dict[str, str]] = {"sqlite": {}, "postgres": {}}

_EXPLAINABLE = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
# A table that only tests have.
_TEST_TABLE = re.compile(r"\bpebbles\b")
_this_thread = threading.local()


def claimed(database: str, folder: Path) -> dict[str, str]:
    """The statements that no other test process with this folder has claimed."""
    return {
        sql: request for sql, request in statements[database].items() if _claim(folder / f"{database}-{sha256(sql.encode()).hexdigest()}")
    }


def _claim(file: Path) -> bool:
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@contextmanager
def during(request: str) -> Iterator[None]:
    """Record the statements of this thread as those of the request."""
    _this_thread.request = request
    try:
        yield
    finally:
        _this_thread.request = None


def listen() -> None:
    """Install hooks in the drivers."""
    apsw.connection_hooks.append(_trace)
    setattr(Connection, "execute_together", _recording(Connection.execute_together))  # noqa: B010


def _trace(connection: apsw.Connection) -> None:
    def record(cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        _record("sqlite", sql)
        return True

    connection.exec_trace = record


def _recording(method: Any) -> Any:
    def run(connection: Connection, commands: Sequence[Command], **options: bool) -> Any:
        for command in commands:
            _record("postgres", command.sql.decode())
        return method(connection, commands, **options)

    return run


def _record(database: str, sql: str) -> None:
    request = getattr(_this_thread, "request", None)
    if request and sql not in statements[database] and _EXPLAINABLE.match(sql) and not _TEST_TABLE.search(sql):
        statements[database][sql] = request
