"""Migrations 0017 and 0018 write the rule of every series, and change none of its events."""

import itertools
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dateutil.rrule
import pytest
from dateutil.rrule import rrule
from msgspec import Struct

from kalends.context import Context
from kalends.db import Database, Transaction
from kalends.db.migrate import FOLDER, migrate
from kalends.events.series import store
from kalends.settings import Settings

pytestmark = pytest.mark.on_one_database

OWNER = """
INSERT INTO users (user_name, user_name_key, email_address, email_key, time_zone, password_hash, created_at, updated_at)
VALUES ('ana', 'ana', 'ana@example.org', 'ana@example.org', 'UTC', '', 5, 5);
INSERT INTO calendars (owner_id, name, color, time_zone, public, moderation, is_primary, created_at, updated_at)
VALUES (1, 'Jazz', '#000000', 'UTC', TRUE, 'none', TRUE, 5, 5);
"""
BEFORE = """
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
EVENTS = "SELECT id, series_id, slot, edited, version, start_at, end_at, until_at, title, updated_at FROM events ORDER BY id"
SERIES = "SELECT id, start_date, end_date, clock, made_until, uid FROM series ORDER BY id"
EXCEPTIONS = "SELECT series_id, slot FROM series_exceptions ORDER BY series_id, slot"
HORIZON = date(2028, 6, 1)
ZONES = ("Europe/Paris", "America/New_York", "Australia/Lord_Howe", "UTC")
STARTS = ("2026-01-31", "2024-02-29", "2026-03-29", "2025-12-28")


def build_old_schema(db: Database, folder: Path) -> None:
    """The tables as the version before had them."""
    for file in FOLDER.iterdir():
        if file.name.endswith(".sql") and file.name < "0017":
            (folder / file.name).write_text(file.read_text())
    migrate(db, folder)


class OldSeries(Struct, frozen=True):
    """A series of the version before, which had a frequency and a step."""

    id: int
    frequency: str
    step: int
    start_date: str
    end_date: str | None
    clock: int
    made_until: str
    zone: str
    all_day: bool

    def dates(self, last: date) -> list[str]:
        """Its dates by dateutil."""
        first, end = datetime.fromisoformat(self.start_date), datetime.fromisoformat(self.end_date or last.isoformat())
        days = rrule(getattr(dateutil.rrule, self.frequency), first, self.step, until=min(end, datetime.combine(last, time())))
        return [day.date().isoformat() for day in days]


def old_series() -> list[OldSeries]:
    """Every frequency with many steps, with an end and without, in zones whose clocks change, by the clock and all-day."""
    kinds = itertools.product(("DAILY", "WEEKLY", "MONTHLY", "YEARLY"), (1, 2, 3, 5, 12, 1000), (True, False), (True, False))
    rows = []
    for number, (frequency, step, has_end, all_day) in enumerate(kinds, 1):
        start = date.fromisoformat(STARTS[number % len(STARTS)])
        end = start + timedelta(days=120 if frequency == "DAILY" else 1_500) if has_end else None
        made_until = end or (start + timedelta(days=130) if (frequency, step) == ("DAILY", 1) else HORIZON)
        clock = 0 if all_day else 2 * 3600 + 1800 + number
        texts = (start.isoformat(), end.isoformat() if end else None)
        rows.append(OldSeries(number, frequency, step, *texts, clock, made_until.isoformat(), ZONES[number % len(ZONES)], all_day))
    return rows


def old_events(series: OldSeries) -> Iterator[dict[str, Any]]:
    """An event for each date. Each fifth was moved alone, and each seventh was deleted."""
    for number, slot in enumerate(series.dates(date.fromisoformat(series.made_until))):
        if number % 7 == 6:
            continue
        local = datetime.fromisoformat(slot) + timedelta(seconds=series.clock, days=number % 5 == 4)
        start_at = int(local.replace(tzinfo=ZoneInfo(series.zone)).timestamp())
        yield {
            "series_id": series.id,
            "slot": slot,
            "edited": number % 5 == 4,
            "start_at": start_at,
            "end_at": None if series.all_day else start_at + 5400,
            "until_at": start_at + (86_400 if series.all_day else 5400),
            "all_day": series.all_day,
            "time_zone": series.zone,
        }


def fill(tx: Transaction, rows: list[OldSeries]) -> int:
    """Insert the series with their events and exceptions; returns how many events there are."""
    tx.many(
        """INSERT INTO series (frequency, step, start_date, end_date, clock, made_until)
           VALUES (:frequency, :step, :start_date, :end_date, :clock, :made_until)""",
        [{name: getattr(series, name) for name in OldSeries.__struct_fields__ if name not in ("id", "zone", "all_day")} for series in rows],
    )
    events = [event for series in rows for event in old_events(series)]
    tx.many(
        """INSERT INTO events (owner_id, calendar_id, title, start_at, end_at, until_at, all_day, time_zone, tags, public, search, version,
                               created_at, updated_at, series_id, slot, edited)
           VALUES (1, 1, 'Trio', :start_at, :end_at, :until_at, :all_day, :time_zone, '', TRUE, '', 1, 5, 5, :series_id, :slot, :edited)""",
        events,
    )
    deleted = [
        {"series_id": series.id, "slot": slot} for series in rows for slot in series.dates(date.fromisoformat(series.made_until))[6::7]
    ]
    tx.many("INSERT INTO series_exceptions (series_id, slot) VALUES (:series_id, :slot)", deleted)
    return len(events)


def test_a_large_database_from_before_has_the_same_occurrences_and_ids(fresh: Database, tmp_path: Path) -> None:
    build_old_schema(fresh, tmp_path)
    rows = old_series()
    with fresh.write() as tx:
        tx.script(OWNER)
        assert fill(tx, rows) > 2_000
        before = [tx.rows(statement) for statement in (EVENTS, SERIES, EXCEPTIONS)]
    migrate(fresh)
    ctx = Context(fresh, Settings(data=str(tmp_path)), 0)
    with ctx.read():
        assert [ctx.tx.rows(statement) for statement in (EVENTS, SERIES, EXCEPTIONS)] == before
        migrated = store.find_by_ids(ctx, [series.id for series in rows])
        slots = {
            series.id: {*store.find_slots(ctx, series.id), *(slot for _, slot in store.find_exceptions(ctx, [series.id]))}
            for series in rows
        }
    assert len(migrated) == len(rows)
    for series, old in zip(sorted(migrated, key=lambda each: each.id), rows, strict=True):
        made = [day.isoformat() for day in series.rule.dates(date.fromisoformat(series.made_until))]
        assert (set(made), sorted(made)) == (slots[series.id], made)
        later = date(2040, 1, 1)
        assert [day.isoformat() for day in series.rule.dates(later)] == old.dates(later)
        assert (series.rule.recurrence.frequency, series.rule.recurrence.interval) == (old.frequency, old.step)
        assert series.with_rule(series.rule) == series


def test_every_series_from_before_has_its_rule_with_the_same_dates(fresh: Database, tmp_path: Path) -> None:
    build_old_schema(fresh, tmp_path)
    with fresh.write() as tx:
        tx.script(OWNER)
        tx.script(BEFORE)
        events = tx.rows(EVENTS)
    assert migrate(fresh)[:2] == ["0017_recurrence_rules", "0018_rules_alone"]
    ctx = Context(fresh, Settings(data=str(tmp_path)), 0)
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
