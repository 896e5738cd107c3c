"""Migrations 0023 and 0024: a calendar has each UID once, and a series the UID of the event that was repeated."""

from pathlib import Path

import pytest

from kalends.db import Database
from kalends.db.migrate import FOLDER, migrate

pytestmark = pytest.mark.on_one_database

BEFORE = """
INSERT INTO users (user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES ('ana', 'ana', 'ana@example.org', 'ana@example.org', 'UTC', '', 5, 5);
INSERT INTO calendars (owner_id, name, color, time_zone, public, moderation, is_primary, created_at, updated_at)
VALUES (1, 'Jazz', '#000000', 'UTC', TRUE, 'none', TRUE, 5, 5);
INSERT INTO series (start_date, clock, made_until, rrule) VALUES ('2026-06-01', 0, '2026-06-02', 'FREQ=DAILY;COUNT=2');
INSERT INTO events (owner_id, calendar_id, title, start_at, until_at, all_day, time_zone, tags, public, search, version,
                    created_at, updated_at, uid, series_id)
VALUES (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5, 'once', NULL),
       (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5, 'once', NULL),
       (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5, 'repeated', 1),
       (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5, NULL, 1);
"""


def test_a_uid_that_two_events_had_stays_with_the_first(fresh: Database, tmp_path: Path) -> None:
    for file in FOLDER.iterdir():
        if file.name.endswith(".sql") and file.name < "0023":
            (tmp_path / file.name).write_text(file.read_text())
    migrate(fresh, tmp_path)
    with fresh.write() as tx:
        tx.script(BEFORE)
    migrate(fresh)
    with fresh.read() as tx:
        assert [uid for (uid,) in tx.rows("SELECT uid FROM events ORDER BY id")] == ["once", None, "repeated", None]
        assert tx.value("SELECT uid FROM series") == "repeated"
