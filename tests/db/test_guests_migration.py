"""Migration 0010 preserves every row, and accepts messages of more kinds."""

from pathlib import Path

import pytest

from kalends.db import Database
from kalends.db.migrate import FOLDER, migrate

pytestmark = pytest.mark.on_one_database

BEFORE = """
INSERT INTO users (user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES ('ana', 'ana', 'ana@example.org', 'ana@example.org', 'UTC', '', 5, 5),
       ('eve', 'eve', 'eve@example.org', 'eve@example.org', 'UTC', '', 5, 5);
INSERT INTO calendars (owner_id, name, color, time_zone, public, moderation, is_primary, created_at, updated_at)
VALUES (1, 'Jazz', '#000000', 'UTC', TRUE, 'none', TRUE, 5, 5);
INSERT INTO events (owner_id, calendar_id, title, start_at, until_at, all_day, time_zone, tags, public, search, version,
                    created_at, updated_at)
VALUES (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5);
INSERT INTO responses (event_id, user_id, email_address, email_key, response, number, plus_n, opt_in, version, created_at, updated_at)
VALUES (1, 1, 'ana@example.org', 'ana@example.org', 'YES', 1, 0, FALSE, 2, 5, 5),
       (1, 2, 'old@example.org', 'old@example.org', 'YES', 1, 0, FALSE, 1, 5, 5),
       (1, 2, 'gus@example.org', 'gus@example.org', 'YES', 1, 0, FALSE, 2, 5, 5);
INSERT INTO subscribers (owner_id, channel, address, address_key, source, consent, consented_at)
VALUES (1, 'sms', '+33612345678', '+33612345678', 'send_to_me', 'said so', 7);
INSERT INTO deliveries (owner_id, event_id, subscriber_id, kind, channel, address, address_key, public, state, attempts, due_at,
                        created_at, updated_at)
VALUES (1, 1, 1, 'announce', 'sms', '+33612345678', '+33612345678', TRUE, 'sent', 1, 5, 5, 5);
"""


@pytest.fixture
def migrated(fresh: Database, tmp_path: Path) -> Database:
    """A database that was filled before the migration."""
    for file in FOLDER.iterdir():
        if file.name.endswith(".sql") and file.name < "0010":
            (tmp_path / file.name).write_text(file.read_text())
    migrate(fresh, tmp_path)
    with fresh.write() as tx:
        tx.script(BEFORE)
    assert migrate(fresh)[0] == "0010_proof_and_confirmation"
    return fresh


def test_rows_from_before_the_migration_remain(migrated: Database) -> None:
    with migrated.read() as tx:
        assert tx.rows("SELECT id, kind, state, subscriber_id FROM deliveries") == [(1, "announce", "sent", 1)]
        assert tx.rows("SELECT source, consent, consented_at, confirmed_at FROM subscribers") == [("send_to_me", "said so", 7, 7)]


def test_an_account_is_unlinked_from_responses_that_others_may_have_made(migrated: Database) -> None:
    with migrated.read() as tx:
        rows = tx.rows("SELECT email_address, user_id, proven FROM responses ORDER BY id")
    assert [(address, user_id, bool(proven)) for address, user_id, proven in rows] == [
        ("ana@example.org", 1, False),
        ("old@example.org", 2, False),
        ("gus@example.org", None, False),
    ]


def test_a_delivery_may_be_of_each_kind(migrated: Database) -> None:
    kinds = ["announce", "confirm", "notice", "reset", "send_to_me", "verify"]
    with migrated.write() as tx:
        for kind in kinds:
            tx.run(
                """INSERT INTO deliveries (owner_id, kind, channel, address, address_key, public, state, attempts, due_at,
                                           created_at, updated_at)
                   VALUES (1, :kind, 'email', 'a@example.org', 'a@example.org', FALSE, 'queued', 0, 5, 5, 5)""",
                kind=kind,
            )
        assert [kind for (kind,) in tx.rows("SELECT kind FROM deliveries WHERE state = 'queued' ORDER BY kind")] == kinds


def test_a_delivery_of_an_unknown_kind_is_rejected(migrated: Database) -> None:
    with pytest.raises(Exception, match=r"(?i)check"), migrated.write() as tx:
        tx.run("UPDATE deliveries SET kind = 'carrier pigeon'")
