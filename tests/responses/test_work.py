"""For a caller without proof, a known and an unknown address cause the same statements, and as many rows to be written."""

from collections.abc import Callable
from typing import Any

import pytest

from kalends.db import Database
from kalends.db.sqlite.database import Sqlite
from kalends.http import run_endpoint
from tests import recorded_statements
from tests.cast import Cast, a_calendar, a_response, an_event, verified
from tests.client import Client, Reply

pytestmark = pytest.mark.on_one_database

Event = dict[str, Any]


def _by_api(guest: Client, event: Event, address: str, response: str) -> Reply:
    return guest.post("/api/responses", json={"event_id": event["id"], "email_address": address, "response": response, "comment": "Ill"})


def _by_page(guest: Client, event: Event, address: str, response: str) -> Reply:
    return guest.post(f"/events/{event['id']}/respond", data={"response": response, "email_address": address, "name": "Guest"})


def _by_comment(guest: Client, event: Event, address: str, response: str) -> Reply:
    return guest.post("/api/comments", json={"event_id": event["id"], "email_address": address, "response": response, "comment": "Ill"})


def _rows_written(db: Database) -> int:
    """How many rows were written so far; only SQLite counts them."""
    if not isinstance(db, Sqlite):
        return 0
    with db.write() as tx:
        return int(tx.value("SELECT total_changes()"))


@pytest.mark.parametrize("room", [{}, {"capacity": 10, "waiting_list": "auto"}], ids=["", "capacity"])
@pytest.mark.parametrize("confirm_responses", ["none", "always"])
@pytest.mark.parametrize("way", [_by_api, _by_page, _by_comment])
def test_known_and_unknown_addresses_are_the_same_work(
    cast: Cast,
    db: Database,
    monkeypatch: pytest.MonkeyPatch,
    way: Callable[[Client, Event, str, str], Reply],
    confirm_responses: str,
    room: dict[str, Any],
) -> None:
    # So that she is told of responses.
    verified(db, cast.alice)
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"], start_time="2027-06-01T20:00", **room)
    a_response(cast.anonymous, event, email_address="unproven@example.org", comment="Hello")
    a_response(cast.alice, event, email_address="proven@example.org", comment="Hello")
    assert cast.alice.put(f"/api/calendars/{calendar['id']}", json={"confirm_responses": confirm_responses}).status == 200
    statements: list[str] = []
    monkeypatch.setattr(recorded_statements, "_record", lambda database, sql: statements.append(sql))
    work = {}
    for address in ("warmup", "unknown", "unproven", "proven"):
        before = _rows_written(db)
        statements.clear()
        assert way(cast.anonymous, event, f"{address}@example.org", "YES" if room else "NO").status in (201, 303)
        work[address] = [sql for sql in statements if "INTO" in sql or "SELECT" in sql or "UPDATE" in sql]
        work[address].append(f"{_rows_written(db) - before} rows")
    assert any("INSERT INTO" in sql for sql in work["unknown"])
    assert work["unproven"] == work["unknown"]
    assert work["proven"] == work["unknown"]


def test_only_replies_to_callers_without_proof_are_delayed(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    delays: list[float] = []
    monkeypatch.setattr(run_endpoint, "sleep", delays.append)
    event = an_event(cast.alice, public=True, start_time="2027-06-01T20:00")
    a_response(cast.alice, event)
    assert delays == []
    for way in (_by_api, _by_page, _by_comment):
        assert way(cast.anonymous, event, "gus@example.org", "NO").status in (201, 303)
    assert len(set(delays)) == 3
    assert max(delays) <= run_endpoint.MAX_DELAY
