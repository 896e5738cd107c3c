"""What test processes do for each other: they share the compiling of the tests, and report no more than is read."""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests before the others. In a new checkout, all test processes would otherwise compile each file at once."""
    worker = getattr(session.config, "workerinput", None)
    if worker and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        for name in islice(_modules(session.config.rootpath), int(worker["workerid"].removeprefix("gw")), None, worker["workercount"]):
            # The collection imports it again, and reports what is wrong.
            with suppress(Exception):
                import_module(name)


def _modules(root: Path) -> Iterator[str]:
    for file in sorted(root.glob("tests/**/test_*.py")):
        yield ".".join(file.relative_to(root).with_suffix("").parts)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Of a test that passed, the test process that reports to another one sends one message instead of five."""
    options = item.config.option
    if not hasattr(item.config, "workerinput") or options.durations is not None or options.xmlpath:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True
