"""A started service that hostile bytes are sent to."""

import os
from collections.abc import Iterator

import pytest

from tests.http.conftest import service as service
from tests.serve.prepared import Prepared
from tests.serve.running import Running


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Prepared(tmp_path_factory.mktemp("wire"), "--no-work", access_log="off", rate_limits="off", log_format="json", body_timeout=2)
    yield running.ready()
    running.stop()


@pytest.fixture(scope="module")
def alice(started: Running) -> str:
    """The header by which alice is known."""
    return f"Authorization: Bearer {started.sign_up('alice')}"


@pytest.fixture(scope="module")
def server_pids(started: Running) -> list[int]:
    return started.servers


@pytest.fixture
def unharmed(started: Running, server_pids: list[int]) -> Iterator[None]:
    """Whatever a test sent, the same processes serve the next client, and no internal error occurred."""
    yield
    assert started.get("/readyz").status == 200
    for pid in server_pids:
        os.kill(pid, 0)
    assert [line for line in started.log if line["level"] == "error"] == []
