"""The journal records every column of its tables, apart from those that follow from others."""

import json
import re
from uuid import uuid4

import pytest

from kalends.app import worker
from kalends.core.settings import Settings
from kalends.db import Database, open_contents
from kalends.db.journal import DECLARATION
from kalends.db.migrate import KALENDS
from kalends.features.changes.rules.tables import TABLES, Table
from kalends.http.context import Context
from tests.cast import Cast, an_event

# Columns that are computed from others, or count changes; of co-hosts who have no account yet, nothing is recorded.
DERIVED = {
    "events": {"search"},
    "placements": {"start_at", "public", "lasts", "takes_days", "has_others", "invited_key"},
    "response_settings": {"taken", "waiting", "last_queued_at", "ceiling"},
    "contacts": {"search", "sort_key"},
    "question_answers": {"erase_at"},
    "reminders": {"due_from"},
    "cohosts": {"email_address", "email_key"},
    "calendars": {"search", "revision", "changed_at", "feed_version", "public_revision", "public_changed_at"},
}


def _declared(table: str) -> set[str]:
    """The columns in the newest declaration of the table."""
    declarations = [match for match in DECLARATION.finditer("\n".join(KALENDS.texts())) if match["table"] == table]
    return set(re.findall(r"\w+", declarations[-1]["columns"]))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_column_is_recorded(db: Database, table: Table) -> None:
    with db.read() as tx:
        columns = set(open_contents(db, tx).columns(table.name))
    assert columns
    assert _declared(table.name) == columns - DERIVED.get(table.name, set())


def test_a_change_has_its_author_and_the_row_as_it_was(cast: Cast, db: Database) -> None:
    event = an_event(cast.alice)
    reply = cast.alice.put(f"/api/events/{event['id']}", json={"title": "Moved"})
    with db.read() as tx:
        rows = tx.rows("SELECT set_id, actor_id, via, request_id, op, before FROM changes WHERE event_id = :id ORDER BY id", id=event["id"])
    assert [row[1:3] for row in rows] == [(cast.alice.id, "api")] * 2
    assert [row[4] for row in rows] == ["create", "update"]
    assert rows[0][0] != rows[1][0]
    assert rows[1][3] == reply.headers["X-Request-Id"]
    assert json.loads(rows[1][5])["title"] == "Concert"


def test_the_history_of_a_deleted_account_is_erased(cast: Cast, db: Database, settings: Settings) -> None:
    """But for what is in the trash for 30 days: the calendar as it was in the end."""
    secret = uuid4().hex
    event = an_event(cast.alice, title=f"Very {secret}", start_time="2027-06-01T20:00")
    cast.alice.put(f"/api/events/{event['id']}/repeat", json={"frequency": "WEEKLY", "count": 2})
    invited = {"addresses": [f"{secret}.guest@example.org"]}
    for scope in ("this", "all"):
        assert cast.alice.post(f"/api/events/{event['id']}/invitations", json=invited | {"scope": scope}).status == 202
    shared_with = {"user_name": f"{secret}.friend@example.org", "role": "viewer"}
    assert cast.alice.put(f"/api/calendars/{cast.alice.primary_calendar_id}/share", json=shared_with).status == 200
    cast.alice.put(f"/api/events/{event['id']}", json={"title": f"Still {secret}"})
    assert cast.alice.delete(f"/api/users/{cast.alice.id}", json={"current_password": "correct horse battery"}).status == 200
    of_secret = "SELECT op, before FROM changes WHERE before LIKE :secret"
    with db.read() as tx:
        rows = tx.rows(of_secret, secret=f"%{secret}%")
        deleted_at = tx.value("SELECT deleted_at FROM deleted_calendars WHERE owner_id = :id", id=cast.alice.id)
    assert {op for op, _ in rows} == {"delete"}
    worker.empty_trash(Context(db, settings, deleted_at + 30 * 86_400))
    with db.read() as tx:
        assert tx.rows(of_secret, secret=f"%{secret}%") == []
