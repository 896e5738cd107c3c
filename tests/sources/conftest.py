"""A service that may follow calendars on this machine, and one elsewhere."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.sources.server import Elsewhere


@pytest.fixture
def near(settings: Settings) -> Settings:
    return structs.replace(settings, sources="any")


@pytest.fixture
def people(db: Database, near: Settings, clock: Clock) -> Cast:
    return Cast(Client(application(db, near, clock)))


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere() as server:
        yield server
