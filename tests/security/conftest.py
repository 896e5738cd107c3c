"""A started service that hostile bytes are sent to."""

from collections.abc import Iterator

import pytest

from tests.http.conftest import service as service
from tests.serve.running import Running


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("wire"), "--no-work", access_log="off", rate_limits="off", log_format="json", body_timeout=2)
    yield running.ready()
    running.stop()


@pytest.fixture(scope="module")
def alice(started: Running) -> str:
    """The header by which alice is known."""
    return f"Authorization: Bearer {started.sign_up('alice')}"


@pytest.fixture
def unharmed(started: Running) -> Iterator[None]:
    """Whatever a test sent, the same processes serve the next client, and no internal error occurred."""
    before = set(started.servers)
    yield
    assert started.get("/readyz").status == 200
    assert set(started.servers) == before
    assert [line for line in started.log if line["level"] == "error"] == []
