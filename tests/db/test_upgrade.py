"""A database of version 0.1.0, which had the migrations up to 0078, becomes what a new one is, with all its records."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database, open_contents
from kalends.db.backup.file import BackupError, Header, write
from kalends.db.backup.restore import restore
from kalends.db.backup.take import take
from kalends.db.migrate import KALENDS, TooOld, find_mismatch, migrate, restorable, tables
from kalends.db.sqlite.database import Sqlite
from tests.client import Client
from tests.db.described_schema import describe
from tests.db.test_table_copy import no_progress

PASSWORD = "correct horse battery"
NAMES = ["0078_versions_of_events", *(name for _, name, _ in KALENDS.files())]


def test_an_upgraded_database_has_the_schema_of_a_new_one(old: Database, request: pytest.FixtureRequest) -> None:
    assert migrate(old) == NAMES[1:]
    kind = "sqlite" if isinstance(old, Sqlite) else "postgres"
    upgraded, new = describe(old), describe(request.getfixturevalue(f"{kind}_with_tables"))
    for kind in new:
        assert upgraded[kind] == new[kind], kind


def _columns(db: Database) -> dict[str, list[str]]:
    """The columns of each table."""
    with db.read() as tx:
        copy = open_contents(db, tx)
        return {table: list(copy.columns(table)) for table in tables() if tx.has_table(table)}


def _contents(db: Database, columns: dict[str, list[str]]) -> dict[str, list[dict[str, Any]]]:
    """All rows of these tables."""
    with db.read() as tx:
        copy = open_contents(db, tx)
        return {
            table: [dict(zip(names, row, strict=True)) for rows in copy.rows(table, names) for row in rows]
            for table, names in columns.items()
        }


def test_an_upgrade_keeps_all_records(old: Database) -> None:
    columns = _columns(old)
    before = _contents(old, columns)
    migrate(old)
    after = _contents(old, columns)
    assert {
        table: len(before[table]) for table in ("users", "events", "responses", "contacts", "changes", "webhooks", "dav_resources")
    } == {
        "users": 3,
        "events": 18,
        "responses": 84,
        "contacts": 14,
        "changes": 42,
        "webhooks": 1,
        "dav_resources": 1,
    }
    # The invitation of one of the two events was withdrawn before.
    (withdrawn,) = [row["event_id"] for row in before["invitations"] if row["state"] == "withdrawn"]
    before["placements"] = [row for row in before["placements"] if not (row["by_invitation"] and row["event_id"] == withdrawn)]
    # A response that waits for an editor does not count any more.
    for table in before.keys() - {"response_tallies", "changes", "sync_entries", "calendars", "change_author"}:
        assert [{name: row[name] for name in old_row} for row, old_row in zip(after[table], before[table], strict=True)] == before[table], (
            table
        )
    with old.read() as tx:
        assert tx.rows("SELECT invited_by FROM invitations ORDER BY id") == [(row["owner_id"],) for row in before["invitations"]]
    assert sum(row["yes"] for row in after["response_tallies"]) == sum(row["yes"] for row in before["response_tallies"]) - 1


def test_people_sign_in_to_an_upgraded_database(old: Database, guest_on: Callable[[Database], Client]) -> None:
    migrate(old)
    guest = guest_on(old)
    session = guest.post("/api/session", json={"user_name": "demo", "password": PASSWORD})
    assert session.status == 201
    events = guest.get("/api/events?limit=100&from=2000-01-01", headers={"Authorization": f"Bearer {session.json['token']}"})
    assert len(events.json["events"]) > 5


def test_an_older_database_is_refused_in_one_line(old: Database, guest_on: Callable[[Database], Client]) -> None:
    with old.write() as tx:
        tx.run("DELETE FROM migrations WHERE number > 77")
    before = describe(old)
    with pytest.raises(
        TooOld, match=r"^The database is older than migration 0078\. Run 'kalends migrate' of the commit \w+ of Kalends, .*$"
    ) as error:
        migrate(old)
    assert describe(old) == before
    with old.read() as tx:
        assert find_mismatch(tx) == str(error.value)


def test_a_database_that_is_not_migrated_is_not_backed_up(old: Database, tmp_path: Path) -> None:
    """The backup could not be restored."""
    with pytest.raises(BackupError, match="not migrated"):
        take(old, Settings(data=str(tmp_path)), tmp_path / "backup", no_progress)


def test_a_backup_of_an_older_schema_is_refused_in_one_line(fresh: Database, tmp_path: Path) -> None:
    with (tmp_path / "backup").open("wb") as file:
        write(file, Header("kalends backup 1", "0.1.0", NAMES[0], "2026-11-15T10:00:00Z", "", []), [])
    with pytest.raises(
        BackupError, match=rf"^The backup is older than migration {restorable()[0][:4]}\. Restore it with the commit \w+ of Kalends, .*$"
    ):
        restore(fresh, tmp_path / "backup", no_progress)
    with fresh.read() as tx:
        assert not tx.has_table("migrations")


def test_the_schema_has_no_rules_in_comments() -> None:
    assert KALENDS.schema
    for file in KALENDS.schema.iterdir():
        assert not re.search(r"^\s*-- @", file.read_text(), re.MULTILINE), file.name
