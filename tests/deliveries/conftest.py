"""Fixtures for the tests of the transports."""

from pathlib import Path

import pytest

from tests.deliveries.servers import certificate


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody trusts yet."""
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trusted(certified: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate that this test trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certified))
    return certified
