"""Fixtures of the tests of the HTTP layer: services with settings of their own, and actions defined for one test."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.db import Database, open_database
from kalends.features.idempotency import store as idempotent_responses
from kalends.features.sessions.steps.access import require_access
from kalends.features.sessions.store import authenticate
from kalends.http.endpoint import Endpoint, declaration
from kalends.http.server import Application
from tests.cast import an_inhabitant
from tests.client import Client
from tests.conftest import Clock
from tests.contacts.providers.stand import Stand
from tests.http.stored_rows import FreshService, fresh_service
from tests.migrated import put_sqlite

Service = Callable[..., Client]
Stage = Callable[..., Client]
OUTLOOK = {"value": [{"displayName": "Ana", "emailAddresses": [{"address": "ana@example.org"}]}]}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Start the whole service on a SQLite database of its own, with these settings."""
    opened: list[Database] = []

    def start(**changes: Any) -> Client:
        usual = {"data": str(tmp_path / uuid4().hex), "base_url": "http://testserver", "access_log": "off", "rate_limits": "off"}
        settings = Settings(**usual | changes)
        put_sqlite(settings.folder)
        opened.append(open_database(settings))
        an_inhabitant(opened[-1], settings)
        return Client(application(opened[-1], settings))

    yield start
    for database in opened:
        database.close()


@pytest.fixture(scope="module")
def fresh(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FreshService]:
    """A service on a database of its own, of each kind; its Outlook has one contact."""
    with (
        Stand(lambda request: request.reply(200, json.dumps(OUTLOOK))) as stand,
        fresh_service(settings, tmp_path_factory.mktemp("fresh"), graph_url=stand.settings.graph_url) as service,
    ):
        yield service


@pytest.fixture
def stage(db: Database, settings: Settings, clock: Clock) -> Stage:
    """Serve actions that a test made for itself (see `act`), on each database."""

    def serve(*actions: Endpoint, **changes: Any) -> Client:
        return Client(
            Application(
                list(actions),
                db,
                msgspec.structs.replace(settings, **changes),
                authenticate,
                require_access,
                idempotent_responses,
                clock,
            )
        )

    return serve


def act(method: str, path: str, function: Callable[..., Any], **options: Any) -> Endpoint:
    """Declare the function as an action, for one test alone."""
    return declaration(function, method, path, **options)
