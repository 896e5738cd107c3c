"""PostgreSQL behind a network that hangs: what is asked ends in time, and is well again by itself."""

from collections.abc import Iterator

import pytest

from kalends.db.postgres import database as module
from kalends.db.postgres.database import Postgres
from kalends.errors import Unavailable
from tests.faults.postgres import Proxy
from tests.serve.running import eventually


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[Proxy]:
    proxy = Proxy(postgres_url)
    yield proxy
    proxy.close()


@pytest.fixture
def db(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Postgres]:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 2)
    monkeypatch.setattr(module, "GRACE_SECONDS", 1)
    db = Postgres(proxy.database, statement_ms=1000)
    yield db
    proxy.go_on()
    db.close()


def answers(db: Postgres) -> bool:
    try:
        with db.read() as tx:
            return bool(tx.value("SELECT 1") == 1)
    except Unavailable:
        return False


def test_a_connection_that_waited_and_hears_nothing_is_given_up(db: Postgres, proxy: Proxy) -> None:
    assert answers(db)
    proxy.hang()
    assert not answers(db)
    proxy.go_on()
    eventually(lambda: answers(db))


def test_a_new_connection_that_hears_nothing_is_given_up(db: Postgres, proxy: Proxy) -> None:
    proxy.hang()
    assert not answers(db)
    proxy.go_on()
    eventually(lambda: answers(db))


def test_a_statement_that_hears_nothing_is_given_up(db: Postgres, proxy: Proxy) -> None:
    def ask() -> None:
        with db.read() as tx:
            proxy.hang()
            tx.value("SELECT 1")

    with pytest.raises(Unavailable):
        ask()
    proxy.go_on()
    eventually(lambda: answers(db))
