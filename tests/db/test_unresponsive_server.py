"""PostgreSQL behind a network that hangs: statements time out, and the service recovers without a restart."""

from collections.abc import Iterator

import pytest

from kalends.core.errors import Unavailable
from kalends.db.postgres import database as module
from kalends.db.postgres.database import Postgres
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
    proxy.resume()
    db.close()


def responds(db: Postgres) -> bool:
    try:
        with db.read() as tx:
            return bool(tx.value("SELECT 1") == 1)
    except Unavailable:
        return False


def test_an_idle_connection_without_a_reply_times_out(db: Postgres, proxy: Proxy) -> None:
    assert responds(db)
    proxy.hang()
    assert not responds(db)
    proxy.resume()
    eventually(lambda: responds(db))


def test_an_idle_connection_must_reply_to_begin_soon(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not within the timeout of the statement that is sent with it: of an hour here."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 2)
    monkeypatch.setattr("kalends.db.postgres.connection.IDLE_SECONDS", 0)
    db = Postgres(proxy.database, statement_ms=3_600_000)
    assert responds(db)
    proxy.hang()
    assert not responds(db)
    proxy.resume()
    eventually(lambda: responds(db))
    db.close()


def test_a_new_connection_without_a_reply_times_out(db: Postgres, proxy: Proxy) -> None:
    proxy.hang()
    assert not responds(db)
    proxy.resume()
    eventually(lambda: responds(db))


def test_a_statement_without_a_reply_times_out(db: Postgres, proxy: Proxy) -> None:
    def ask() -> None:
        with db.read() as tx:
            proxy.hang()
            tx.value("SELECT 1")

    with pytest.raises(Unavailable):
        ask()
    proxy.resume()
    eventually(lambda: responds(db))
