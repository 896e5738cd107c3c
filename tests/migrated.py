"""Databases with tables and without rows, copied from one: to migrate a new one takes longer than all else that a start does.

All test processes share the one of each kind. The first that needs it makes it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg

from kalends.core.settings import Settings
from kalends.db import open_database
from kalends.db.migrate import migrate

NAME = "kalends.sqlite3"
# The folder that test processes share, which is removed in the end.
SHARED_FOLDER = "TEST_SHARED_FOLDER"


def put_sqlite(data: Path) -> None:
    """Put a SQLite database into this data folder, unless one is there."""
    data.mkdir(mode=0o700, exist_ok=True)
    if not (data / NAME).exists():
        write_sqlite(data / NAME)


def write_sqlite(path: Path) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(_sqlite())


@cache
def _sqlite() -> bytes:
    with _shared("sqlite") as file:
        if not file.exists():
            with TemporaryDirectory() as folder:
                _migrate(Settings(data=folder))
                file.write_bytes((Path(folder) / NAME).read_bytes())
        return file.read_bytes()


@contextmanager
def _shared(name: str) -> Iterator[Path]:
    """A file that one test process writes, and all read."""
    folder = Path(os.environ[SHARED_FOLDER])
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder / name


@contextmanager
def postgres(server: str) -> Iterator[str]:
    """The URL of a PostgreSQL database on this server."""
    with created(server, f'TEMPLATE "{_postgres(server)}"') as url:
        yield url


@cache
def _postgres(server: str) -> str:
    """The name of the database that others are copied from. It stays as long as the server."""
    with _shared("postgres") as file:
        if not file.exists():
            name = f"migrated_{uuid4().hex}"
            with psycopg.connect(server, autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{name}"'.encode())
            _migrate(Settings(database=_with_name(server, name)))
            file.write_text(name)
        return file.read_text()


@contextmanager
def created(server: str, options: str = "") -> Iterator[str]:
    """The URL of a new PostgreSQL database on this server, which is dropped in the end."""
    name = f"serve_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" {options}'.encode())
        yield _with_name(server, name)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def _with_name(server: str, name: str) -> str:
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def _migrate(settings: Settings) -> None:
    with closing(open_database(settings)) as database:
        migrate(database)
