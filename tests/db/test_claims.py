"""Workers on several servers claim deliveries at the same time."""

import pytest

from kalends.core.settings import Settings
from kalends.db.postgres.database import Postgres
from kalends.features.deliveries import claim_store as claims
from kalends.http.context import Context

ROWS = """
INSERT INTO users (user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES ('alice', 'alice', 'alice@example.org', 'alice@example.org', 'UTC', '', 1, 1);
INSERT INTO deliveries (owner_id, kind, channel, address, address_key, public, state, attempts, due_at, created_at, updated_at)
SELECT id, 'announce', 'email', 'x@example.org', 'x@example.org', TRUE, 'queued', 0, due_at, 1, 1 FROM users, generate_series(1, 3) due_at;
"""


@pytest.mark.on_one_database
def test_a_worker_skips_the_deliveries_that_another_one_is_claiming(postgres_with_tables: Postgres, settings: Settings) -> None:
    with postgres_with_tables.write() as tx:
        tx.script(ROWS)
    workers = [Context(postgres_with_tables, settings, 10) for _ in range(2)]
    with workers[0].write():
        first = claims.claim(workers[0], "email", 120, 1)
        with workers[1].write():
            others = claims.claim(workers[1], "email", 120, 5)
    assert len(first) == 1
    assert len(others) == 2
    assert not {each.id for each in first} & {each.id for each in others}
