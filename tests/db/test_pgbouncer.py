"""PgBouncer, which pools transactions: several connections of the service share one of the server, and with it prepared statements."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import psycopg
import pytest

from kalends.db import Database
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, a_calendar, an_event
from tests.client import Client
from tests.db.pgbouncer import NEEDED, OLDEST, started_pgbouncer, version
from tests.serve.running import run

SERVER_CONNECTIONS = 2

pytestmark = pytest.mark.skipif(version() < OLDEST, reason=f"needs {NEEDED}")


@pytest.fixture
def role(postgres_url: str) -> Iterator[str]:
    """A user of the server, whose settings may be changed."""
    name = f"pooled_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} SUPERUSER LOGIN".encode())
        yield name
        connection.execute(b"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = %s", [name])
        connection.execute(f"DROP ROLE {name}".encode())


@pytest.fixture
def pooled_url(postgres_url: str, role: str) -> Iterator[str]:
    """The address of the database through PgBouncer."""
    url = urlsplit(postgres_url)
    folder = parse_qs(url.query)["host"][0]
    owner = Path(folder).owner()
    name = url.path.removeprefix("/")
    with started_pgbouncer(folder, url.port or 5432, role, name, connections=SERVER_CONNECTIONS, system_user=owner) as pooled:
        yield pooled


def test_requests_share_server_connections_with_their_prepared_statements(
    pooled_url: str, postgres_url: str, role: str, guest_on: Callable[[Database], Client]
) -> None:
    db = Postgres(pooled_url, is_pooled=True)
    alice = Cast(guest_on(db)).alice
    calendar = a_calendar(alice)["id"]
    event = an_event(alice, title="Zanzibar", calendar_id=calendar)["id"]
    paths = [f"/api/events/{event}", f"/api/events?calendar_id={calendar}", "/api/events?text=zanzibar"]

    def use(number: int) -> list[int]:
        fields = {"title": f"Concert {number}", "start_time": "2026-06-01T20:00", "calendar_id": calendar}
        return [alice.post("/api/events", json=fields).status, *(alice.get(path).status for path in paths)]

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(use, range(20))) == [[201, 200, 200, 200]] * 20
    db.close()
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute(b"SELECT count(*) FROM pg_stat_activity WHERE usename = %s", [role]).fetchone()
    assert row is not None
    assert 0 < row[0] <= SERVER_CONNECTIONS


def test_the_doctor_names_the_settings_that_the_user_lacks(pooled_url: str, postgres_url: str, role: str, tmp_path: Path) -> None:
    def examine() -> str:
        settings = {"data": tmp_path / "data", "database": pooled_url, "pooler": "on"}
        return run("doctor", folder=tmp_path, **settings).stdout  # type: ignore[arg-type]

    statements = re.findall(r"^ +(ALTER ROLE .*;)$", examine(), re.MULTILINE)
    assert f"ALTER ROLE {role} SET statement_timeout = '5000';" in statements
    assert f"ALTER ROLE {role} SET enable_seqscan = 'off';" in statements
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    admin = urlsplit(pooled_url)._replace(path="/pgbouncer").geturl()
    with psycopg.connect(admin, autocommit=True, prepare_threshold=None, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("RECONNECT")
    assert "ok   database" in examine()
