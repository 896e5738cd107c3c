"""Migration 0017 writes the rule of every series, and changes none of its events."""

from datetime import date
from pathlib import Path

from kalends.context import Context
from kalends.db import Database
from kalends.db.migrate import FOLDER, migrate
from kalends.events.series import store
from kalends.settings import Settings

BEFORE = """
INSERT INTO users (user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES ('ana', 'ana', 'ana@example.org', 'ana@example.org', 'UTC', '', 5, 5);
INSERT INTO calendars (owner_id, name, color, time_zone, public, moderation, is_primary, created_at, updated_at)
VALUES (1, 'Jazz', '#000000', 'UTC', TRUE, 'none', TRUE, 5, 5);
INSERT INTO series (frequency, step, start_date, end_date, clock, made_until, uid)
VALUES ('WEEKLY', 2, '2026-05-11', '2026-06-10', 3600, '2026-06-10', 'lesson'),
       ('MONTHLY', 1, '2026-01-31', NULL, 0, '2026-08-01', NULL),
       ('YEARLY', 1, '2024-02-29', '2032-12-31', 0, '2032-12-31', NULL);
INSERT INTO series_exceptions (series_id, slot) VALUES (1, '2026-05-25');
INSERT INTO events (owner_id, calendar_id, title, start_at, until_at, all_day, time_zone, tags, public, search, version,
                    created_at, updated_at, series_id, slot, edited)
VALUES (1, 1, 'Trio', 9, 9, FALSE, 'UTC', '', TRUE, '', 1, 5, 5, 1, '2026-05-11', FALSE),
       (1, 1, 'Moved', 10, 10, FALSE, 'UTC', '', TRUE, '', 3, 5, 6, 1, '2026-06-08', TRUE);
"""
EVENTS = "SELECT id, series_id, slot, edited, version, start_at, updated_at FROM events ORDER BY id"


def test_every_series_from_before_has_its_rule_with_the_same_dates(fresh: Database, settings: Settings, tmp_path: Path) -> None:
    for file in FOLDER.iterdir():
        if file.name.endswith(".sql") and file.name < "0017":
            (tmp_path / file.name).write_text(file.read_text())
    migrate(fresh, tmp_path)
    with fresh.write() as tx:
        tx.script(BEFORE)
        events = tx.rows(EVENTS)
    assert migrate(fresh)[0] == "0017_recurrence_rules"
    ctx = Context(fresh, settings, 0)
    with ctx.read():
        assert ctx.tx.rows(EVENTS) == events
        first, second, third = (store.get(ctx, series_id) for series_id in (1, 2, 3))
        assert store.find_exceptions(ctx, [1]) == [(1, "2026-05-25")]
    rules = [(series.rrule, series.start_date, series.end_date, series.also) for series in (first, second, third)]
    assert rules == [
        ("FREQ=WEEKLY;INTERVAL=2;UNTIL=20260610", "2026-05-11", "2026-06-10", ""),
        ("FREQ=MONTHLY", "2026-01-31", None, ""),
        ("FREQ=YEARLY;UNTIL=20321231", "2024-02-29", "2032-12-31", ""),
    ]
    assert [str(day) for day in first.rule.dates(date(2027, 1, 1))] == ["2026-05-11", "2026-05-25", "2026-06-08"]
    assert [str(day) for day in second.rule.dates(date(2026, 8, 1))] == ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]
    assert [str(day) for day in third.rule.dates(date(2040, 1, 1))] == ["2024-02-29", "2028-02-29", "2032-02-29"]
    assert (first.uid, first.clock, first.with_rule(first.rule)) == ("lesson", 3600, first)
