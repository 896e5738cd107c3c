"""Servers of address books, and a check that no failure discloses a credential."""

import base64
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote_plus

import pytest

from kalends.core.errors import Problem
from kalends.core.log import line_of
from kalends.core.settings import Settings
from kalends.features.contacts.model import ImportInput
from kalends.features.contacts.steps.providers.fetch import fetch_entries
from tests.contacts.providers.books import USER, Book, radicale, xandikos
from tests.contacts.providers.stand import Stand

CANARY = "Canary bird/+Žluť:7"
TOKEN = "canary.token-_~+/=="
SECRETS = [CANARY, quote_plus(CANARY), TOKEN, quote_plus(TOKEN), base64.b64encode(f"{USER}:{CANARY}".encode()).decode()]

Fails = Callable[..., Problem]


@pytest.fixture(scope="session")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Book]]:
    """Each is started while the other one is."""
    started = {make.__name__: make(tmp_path_factory.mktemp(make.__name__)) for make in (radicale, xandikos)}
    try:
        yield {name: book.ready() for name, book in started.items()}
    finally:
        for book in started.values():
            book.stop()


@pytest.fixture(params=["radicale", "xandikos"])
def book(request: pytest.FixtureRequest, books: dict[str, Book]) -> Book:
    return books[request.param]


@pytest.fixture
def stand() -> Iterator[Stand]:
    """A server whose replies the test defines."""
    with Stand() as server:
        yield server


@pytest.fixture
def fails(caplog: pytest.LogCaptureFixture) -> Fails:
    """Run an import that fails, and return its problem. Neither that nor any log line has a word of the credential."""

    def failing(settings: Settings, service: str = "google", **credentials: Any) -> Problem:
        credentials = {"user_name": USER, "password": CANARY} | credentials
        problem: Problem | None = None
        with caplog.at_level(logging.DEBUG), suppress(Problem):
            try:
                fetch_entries(settings, ImportInput(service=service, **credentials))  # type: ignore[arg-type]
            except Problem as raised:
                problem = raised
                raise
        assert problem is not None, "the import went well"
        output = [
            caplog.text,
            repr([line_of(record) for record in caplog.records]),
            *traceback.format_exception(problem),
            repr(problem),
            problem.detail,
            repr(problem.errors),
        ]
        output += [str(problem.headers), *map(str, _behind(problem))]
        assert [secret for secret in SECRETS if secret in "\n".join(output)] == []
        return problem

    return failing


def _behind(error: BaseException) -> Iterator[BaseException]:
    """The causes of the error, even if they are suppressed."""
    for inner in filter(None, (error.__cause__, error.__context__)):
        yield inner
        yield from _behind(inner)
