"""The migration `live_invitations`: guests whose invitations were withdrawn lose the event, and the file that they had of it."""

from pathlib import Path

import pytest

from kalends.db import Database
from kalends.db.migrate import KALENDS, Source, migrate
from kalends.db.sqlite.database import Sqlite

pytestmark = pytest.mark.on_one_database

BEFORE = """
INSERT INTO users (id, user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES (1, 'ana', 'ana', 'ana@example.org', 'ana@example.org', 'UTC', '', 5, 5),
       (2, 'bob', 'bob', 'bob@example.org', 'bob@example.org', 'UTC', '', 5, 5),
       (3, 'eve', 'eve', 'new@example.org', 'new@example.org', 'UTC', '', 5, 5);
INSERT INTO calendars (id, owner_id, name, color, time_zone, public, moderation, is_primary, created_at, updated_at)
VALUES (1, 1, 'Jazz', '#000000', 'UTC', FALSE, 'none', TRUE, 5, 5), (2, 2, 'bob', '#000000', 'UTC', FALSE, 'none', TRUE, 5, 5),
       (3, 3, 'eve', '#000000', 'UTC', FALSE, 'none', TRUE, 5, 5);
INSERT INTO series (id, start_date, clock, made_until, rrule) VALUES (1, '2026-06-01', 0, '2026-06-02', 'FREQ=DAILY;COUNT=2');
INSERT INTO events (id, owner_id, calendar_id, title, start_at, until_at, all_day, time_zone, tags, public, search, version,
                    created_at, updated_at, series_id)
VALUES (1, 1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', FALSE, '', 1, 5, 5, NULL),
       (2, 1, 1, 'Duo', 9, 9, FALSE, 'UTC', '', FALSE, '', 1, 5, 5, 1);
INSERT INTO invitations (id, event_id, series_id, address, email_key, state, sequence, mails, created_at, updated_at)
VALUES (1, 1, NULL, 'bob@example.org', 'bob@example.org', 'withdrawn', 1, 2, 5, 5),
       (2, NULL, 1, 'bob@example.org', 'bob@example.org', 'sent', 0, 1, 5, 5),
       (3, 1, NULL, 'old@example.org', 'old@example.org', 'sent', 0, 1, 5, 5),
       (4, NULL, 1, 'old@example.org', 'old@example.org', 'withdrawn', 0, 1, 5, 5);
INSERT INTO placements (event_id, calendar_id, start_at, public, grants, granted_by, by_invitation, created_at)
VALUES (1, 1, 9, FALSE, TRUE, NULL, FALSE, 5), (2, 1, 9, FALSE, TRUE, NULL, FALSE, 5),
       (1, 2, 9, FALSE, TRUE, 1, TRUE, 5), (2, 2, 9, FALSE, TRUE, 1, TRUE, 5),
       (1, 3, 9, FALSE, TRUE, 1, TRUE, 5), (2, 3, 9, FALSE, TRUE, 1, TRUE, 5);
INSERT INTO dav_resources (id, calendar_id, name, uid, component, version, original, base, state, has_events, gone, written_at)
VALUES (1, 2, 'invitation-1.ics', 'a', 'VEVENT', 1, $empty, $empty, '', TRUE, FALSE, 5),
       (2, 2, 'invitation-2.ics', 'b', 'VEVENT', 1, $empty, $empty, '', TRUE, FALSE, 5),
       (3, 3, 'invitation-3.ics', 'a', 'VEVENT', 1, $empty, $empty, '', TRUE, FALSE, 5);
INSERT INTO dav_parts (resource_id, calendar_id, event_id, series_id) VALUES (1, 2, 1, NULL), (2, 2, NULL, 1), (3, 3, 1, NULL);
"""


def test_guests_whose_invitations_were_withdrawn_lose_the_event(old: Database, tmp_path: Path) -> None:
    for number, name, sql in KALENDS.files():
        if number < 81:
            (tmp_path / f"{name}.sql").write_text(sql)
    migrate(old, Source(tmp_path))
    with old.write() as tx:
        tx.script("DELETE FROM users; DELETE FROM series; DELETE FROM sync_entries; DELETE FROM changes;")
        tx.script(BEFORE.replace("$empty", "x''" if isinstance(old, Sqlite) else "''"))
    assert migrate(old)[0] == "0081_live_invitations"
    with old.read() as tx:
        assert tx.rows("SELECT calendar_id, event_id, invited_key FROM placements ORDER BY calendar_id, event_id") == [
            (1, 1, None),
            (1, 2, None),
            (2, 2, "bob@example.org"),
            (3, 1, "old@example.org"),
        ]
        rows = tx.rows("SELECT name, has_events, gone FROM dav_resources ORDER BY id")
        assert [(name, bool(has_events), bool(gone)) for name, has_events, gone in rows] == [
            ("invitation-1.ics", False, True),
            ("invitation-2.ics", True, False),
            ("invitation-3.ics", True, False),
        ]
        assert tx.rows("SELECT resource_id FROM dav_parts ORDER BY resource_id") == [(2,), (3,)]
