"""Started services, on each database, that end with the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import migrated
from tests.serve.prepared import Migrated, Prepared
from tests.serve.running import Running

Start = Callable[..., Running]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database with tables and without rows: the setting that names it. SQLite's is where `start` and `Place` expect it."""
    if request.param == "sqlite":
        migrated.put_sqlite(tmp_path / "data")
        yield ""
    else:
        with migrated.postgres(request.getfixturevalue("postgres_url")) as url:
            yield url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """A database without tables."""
    with _empty(request) as setting:
        yield setting


# In short, from each kind of database to the other; from each to its own kind in `make soak`.
to_another_kind = pytest.mark.parametrize(
    ("database", "another_database"),
    [
        pytest.param("sqlite", "to_postgres", marks=pytest.mark.soak),
        ("postgres", "to_sqlite"),
        pytest.param("sqlite", "to_sqlite", marks=pytest.mark.soak),
        pytest.param("postgres", "to_postgres", marks=pytest.mark.soak),
    ],
    indirect=True,
)


@pytest.fixture(params=["to_sqlite", "to_postgres"])
def another_database(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty one of either kind."""
    with _empty(request) as setting:
        yield setting


@contextmanager
def _empty(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param.endswith("sqlite"):
        yield ""
    else:
        with migrated.created(request.getfixturevalue("postgres_url")) as url:
            yield url


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One service for all tests that need no setting, no empty database and no end of it."""
    service = Prepared(tmp_path_factory.mktemp("plain"), "--no-work")
    yield service.ready()
    service.end()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a service in the test's folder, with these options and settings, and wait until it is ready.
    It has no background worker, an empty database, and is a real `kalends serve`, only if the test is about that."""
    with ExitStack() as running:

        def started(*options: str, work: bool = False, ready: bool = True, real: bool = False, **settings: Any) -> Running:
            service_type = Migrated if real else Prepared
            service = service_type(tmp_path, *options, *([] if work else ["--no-work"]), **settings)
            running.callback(service.end)
            return service.ready() if ready else service

        yield started


@pytest.fixture
def service(start: Start, database: str) -> Running:
    """A service of the test's own, on each database."""
    return start(database=database)
