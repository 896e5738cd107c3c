"""A session ends after 14 days without use, and after 90 days in all."""

from pathlib import Path

import apsw
import pytest

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from kalends.db.sqlite.database import Sqlite
from tests.cast import PASSWORD, Cast
from tests.client import Client
from tests.conftest import NOON, Clock
from tests.migrated import write_sqlite
from tests.sessions.clean_up import after_clean_up

pytestmark = pytest.mark.on_one_database

HOUR = 3600
DAY = 24 * HOUR


def _expires_at(cast: Cast) -> str:
    response = cast.alice.get("/api/session/current")
    assert response.status == 200
    return str(response.json["expires_at"])


@pytest.fixture
def alice_now(cast: Cast, clock: Clock) -> Cast:
    """Alice signs in at noon."""
    assert cast.alice.id
    return cast


def test_a_session_lives_for_14_days_without_use(alice_now: Cast, clock: Clock) -> None:
    clock.ahead(14 * DAY - 1)
    assert alice_now.alice.get("/api/calendars").status == 200


def test_a_session_ends_after_14_days_without_use(alice_now: Cast, clock: Clock) -> None:
    clock.ahead(14 * DAY)
    assert alice_now.alice.get("/api/calendars").status == 401
    assert alice_now.alice.get("/api/session/current").status == 401


def test_another_session_does_not_show_one_that_ended(alice_now: Cast, clock: Clock) -> None:
    clock.ahead(14 * DAY)
    again = alice_now.anonymous.post("/api/session", json={"user_name": alice_now.alice.user_name, "password": PASSWORD}).json
    other = alice_now.anonymous.signed_in(again["token"])
    assert other.get(f"/api/session/{alice_now.alice.session_id}").status == 404
    assert other.delete(f"/api/session/{alice_now.alice.session_id}").status == 404


def test_use_prolongs_a_session(alice_now: Cast, clock: Clock) -> None:
    clock.ahead(10 * DAY)
    alice_now.alice.get("/api/calendars")
    assert _expires_at(alice_now) == timestamps.format_utc(NOON + 24 * DAY)
    clock.ahead(10 * DAY)
    assert alice_now.alice.get("/api/calendars").status == 200


def test_the_time_of_use_is_stored_once_an_hour(alice_now: Cast, clock: Clock) -> None:
    clock.ahead(HOUR)
    alice_now.alice.get("/api/calendars")
    assert _expires_at(alice_now) == timestamps.format_utc(NOON + 14 * DAY)
    clock.ahead(1)
    alice_now.alice.get("/api/calendars")
    assert _expires_at(alice_now) == timestamps.format_utc(NOON + HOUR + 1 + 14 * DAY)


def test_a_session_ends_after_90_days_in_spite_of_use(alice_now: Cast, clock: Clock) -> None:
    for _ in range(8):
        clock.ahead(10 * DAY)
        assert alice_now.alice.get("/api/calendars").status == 200
    assert _expires_at(alice_now) == timestamps.format_utc(NOON + 90 * DAY)
    clock.ahead(10 * DAY - 1)
    assert alice_now.alice.get("/api/calendars").status == 200
    clock.ahead(1)
    assert alice_now.alice.get("/api/calendars").status == 401


def test_an_expired_session_is_deleted(alice_now: Cast, db: Database) -> None:
    count_sessions = "SELECT count(*) FROM sessions WHERE id = :id"
    assert after_clean_up(db, NOON + 14 * DAY)(count_sessions, id=alice_now.alice.session_id) == 1
    assert after_clean_up(db, NOON + 14 * DAY + 1)(count_sessions, id=alice_now.alice.session_id) == 0


def test_a_read_succeeds_even_if_its_use_cannot_be_stored(tmp_path: Path, settings: Settings) -> None:
    """When the disk is full or the file is held, people can still look things up."""
    write_sqlite(tmp_path / "busy.sqlite3")
    busy = Sqlite(tmp_path / "busy.sqlite3", busy_ms=50)
    clock = Clock()
    alice = Cast(Client(application(busy, settings, clock))).alice
    clock.ahead(2 * HOUR)
    other = apsw.Connection(str(busy.path))
    other.execute("BEGIN IMMEDIATE")
    assert alice.get("/api/calendars").status == 200
    other.close()
    assert alice.get("/api/session/current").json["expires_at"] == timestamps.format_utc(NOON + 14 * DAY)
    assert alice.get("/api/session/current").json["expires_at"] == timestamps.format_utc(NOON + 2 * HOUR + 14 * DAY)
    busy.close()
