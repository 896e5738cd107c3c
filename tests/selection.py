"""Which tests run, on which databases, in which form, and in which order.

`--soak` runs the long forms. `--databases`, `--no-processes` and `--no-long-files` leave out what takes long, for `make check`."""

import gc
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

DATABASES = ["sqlite", "postgres"]
# A test with one of these needs a PostgreSQL server, whatever its parameters are.
POSTGRES_FIXTURES = {"postgres_url", "fresh_url", "postgres", "postgres_with_tables", "server"}

# Tests that start processes: by file or folder, and by the fixtures that do.
PROCESSES = (
    "tests/db/test_failover.py",
    "tests/db/test_replicas.py",
    "tests/demo/",
    "tests/deliveries/test_killed_worker.py",
    "tests/deliveries/test_mail_faults.py",
    "tests/deliveries/test_sent.py",
    "tests/deliveries/test_worker.py",
    "tests/faults/",
    "tests/identities/test_real_provider.py",
    "tests/inbound/test_imap.py",
    "tests/inbound/test_whole_way.py",
    "tests/openapi/test_client.py",
    "tests/openapi/test_schemathesis.py",
    "tests/pictures/test_hostile.py",
    "tests/serve/",
    "tests/sources/test_kills.py",
    "tests/sources/test_workers.py",
    "tests/users/test_reset_mail.py",
    "tests/webhooks/test_document.py",
    "tests/webhooks/test_tls.py",
)
# Every upload of a picture starts the first of these short processes, and every picture of a shared link the second; the third reads the
# files of a database that is open.
SHORT_PROCESSES = {"kalends.features.pictures.steps.reencode", "kalends.features.pictures.steps.draw_share_picture", "cat"}
PROCESS_FIXTURES = {"books", "browser", "certified", "guest", "started"}

# Hostile input, random walks, files of many programs, and all combinations of parameters: seconds for each file or folder.
LONG_FILES = {
    "tests/changes/test_convergence.py",
    "tests/contacts/providers/test_hostile.py",
    "tests/dav/test_convergence.py",
    "tests/dav/test_hostile.py",
    "tests/db/test_list_plans.py",
    "tests/events/test_hostile.py",
    "tests/ical/test_corpus.py",
    "tests/ical/test_round_trip.py",
    "tests/ical/test_series.py",
    "tests/security",
}

# The longest tests begin first, each file in another test process, so that none of them is waited for at the end.
LONGEST = (
    "tests/openapi/test_schemathesis.py",
    "tests/openapi/test_client.py",
    "tests/deliveries/test_worker.py",
    "tests/faults/test_faults.py",
)

hypothesis_settings.register_profile(
    "quick",
    max_examples=20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.register_profile("thorough", hypothesis_settings.get_profile("quick"), derandomize=False, max_examples=500)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kalends")
    group.addoption("--soak", action="store_true", help="run the long forms of the tests")
    group.addoption("--databases", default=",".join(DATABASES), help="run on these databases only (default: sqlite,postgres)")
    group.addoption("--no-processes", action="store_true", help="leave out the tests that start processes or a browser")
    group.addoption("--no-long-files", action="store_true", help="leave out hostile input, random walks and other files that take long")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "on_one_database: SQLite will do, since no database takes part or others run the same on PostgreSQL")
    config.addinivalue_line("markers", "on_sqlite: SQLite itself is what is tested")
    config.addinivalue_line("markers", "on_postgres: only PostgreSQL has what is tested, such as several writers at a time")
    config.addinivalue_line("markers", "soak: a long form, which runs with --soak alone")
    hypothesis_settings.load_profile("thorough" if config.getoption("--soak") else "quick")
    if config.getoption("--no-processes"):
        sys.addaudithook(_refuse_processes)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out long files before they are imported."""
    if not config.getoption("--no-long-files"):
        return None
    return collection_path.relative_to(config.rootpath).as_posix() in LONG_FILES or None


def _databases(config: pytest.Config) -> list[str]:
    return str(config.getoption("--databases")).split(",")


_is_testing = False


def _refuse_processes(event: str, args: Any) -> None:
    if event == "subprocess.Popen" and _is_testing and SHORT_PROCESSES.isdisjoint(args[1]):
        raise AssertionError("This test starts a process: name its file or fixture in tests/selection.py.")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    global _is_testing
    _is_testing = True
    try:
        return (yield)
    finally:
        _is_testing = False


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that depends on `settings` runs on each database."""
    if "settings" not in metafunc.fixturenames:
        return
    databases = _databases(metafunc.config)
    if _is_on_sqlite(metafunc.config, {mark.name for mark in metafunc.definition.iter_markers()}) and "sqlite" in databases:
        databases = ["sqlite"]
    metafunc.parametrize("settings", databases, indirect=True, scope="session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    deselected = {item for item in items if _is_deselected(config, item)}
    if deselected:
        config.hook.pytest_deselected(items=list(deselected))
        items[:] = [item for item in items if item not in deselected]
    _spread_longest(items, _number_of_test_processes(config))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Any:
    """Collect no garbage among ten thousand tests: neither while they are collected, nor, since they are frozen, afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _is_deselected(config: pytest.Config, item: pytest.Item) -> bool:
    fixtures, params = _fixtures(item), _params(item)
    marks = {mark.name for mark in item.iter_markers()}
    if not config.getoption("--soak") and "soak" in marks:
        return True
    own = {params.get(name) for name in ("settings", "database", "empty_database")}
    if "postgres" in own and _is_on_sqlite(config, marks):
        return True
    if "sqlite" in own and "on_postgres" in marks:
        return True
    if config.getoption("--no-processes") and _starts_processes(item):
        return True
    return "postgres" not in _databases(config) and bool(fixtures & POSTGRES_FIXTURES or "postgres" in _texts(params))


def _is_on_sqlite(config: pytest.Config, marks: set[str]) -> bool:
    return "on_sqlite" in marks or ("on_one_database" in marks and not config.getoption("--soak"))


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", []))


def _starts_processes(item: pytest.Item) -> bool:
    return item.nodeid.startswith(PROCESSES) or bool(_fixtures(item) & PROCESS_FIXTURES)


def _params(item: pytest.Item) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return callspec.params if callspec else {}


def _texts(params: dict[str, Any]) -> list[str]:
    return [value for value in params.values() if isinstance(value, str)]


def _number_of_test_processes(config: pytest.Config) -> int:
    return int(getattr(config, "workerinput", {}).get("workercount", 1))


def _spread_longest(items: list[pytest.Item], processes: int) -> None:
    """`--dist worksteal` first gives each test process an equal share of the list. Each share begins with the tests that take long, and
    ends with short ones, which other processes may steal. Half of the shares have the tests with a browser, because each process that
    has one starts a Chromium; the other half has the tests that start processes. Tests of a file stay together, so that what they
    share is started once."""
    if processes == 1:
        return
    longest = [[item for item in items if item.nodeid.startswith(file)] for file in LONGEST]
    with_browser = [item for item in items if "browser" in _fixtures(item)]
    started = [item for item in items if _starts_processes(item) and not item.nodeid.startswith(LONGEST)]
    with_processes = [item for item in started if "browser" not in _fixtures(item)]
    half = processes - processes // 2
    first = _split(with_browser, processes // 2)
    first += [[*chain.from_iterable(longest[n::half]), *share] for n, share in enumerate(_split(with_processes, half))]
    taken = set(chain.from_iterable(first))
    others = [item for item in items if item not in taken]
    total = len(items)
    items.clear()
    for n in range(processes):
        rest = max(0, (total - len(items)) // (processes - n) - len(first[n]))
        items += first[n] + others[:rest]
        others = others[rest:]


def _split(items: list[pytest.Item], shares: int) -> list[list[pytest.Item]]:
    return [items[len(items) * n // shares : len(items) * (n + 1) // shares] for n in range(shares)]
