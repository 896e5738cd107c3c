"""How many entries a request writes for the followers of an event that is on many calendars: about one for each calendar and date."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import Cast, a_calendar, a_comment, an_event, shared
from tests.client import Client

CALENDARS = 12
DATES = 5
PLACEMENTS = DATES * (CALENDARS + 1)


def _count_entries(db: Database, kind: str = "event") -> int:
    with db.read() as tx:
        count: int = tx.value("SELECT count(*) FROM sync_entries WHERE kind = :kind", kind=kind)
    return count


def _an_event_on_many_calendars(owner: Client, placer: Client | None = None, **fields: Any) -> dict[str, Any]:
    """An event that is on its home and on calendars of the placer."""
    event = an_event(owner, start_time="2026-06-01T20:00", **fields)
    for _ in range(CALENDARS):
        calendar_id = a_calendar(placer or owner)["id"]
        assert (placer or owner).put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar_id}).status == 200
    return event


def _repeat(who: Client, event: dict[str, Any]) -> None:
    reply = who.put(f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY", "count": DATES})
    assert (reply.status, reply.json["occurrences"]) == (200, DATES), reply


def test_a_series_on_many_calendars_is_synced_once_to_each(cast: Cast, db: Database) -> None:
    event = _an_event_on_many_calendars(cast.alice)
    before = _count_entries(db)
    _repeat(cast.alice, event)
    assert PLACEMENTS <= _count_entries(db) - before <= 3 * PLACEMENTS


def test_a_series_that_moves_is_synced_once_to_each_calendar(cast: Cast, db: Database) -> None:
    event = _an_event_on_many_calendars(cast.alice)
    _repeat(cast.alice, event)
    before = _count_entries(db)
    moved = {"scope": "all", "start_time": "2026-06-01T21:00"}
    assert cast.alice.put(f"/api/events/{event['id']}", json=moved).status == 200
    assert PLACEMENTS <= _count_entries(db) - before <= 3 * PLACEMENTS


def test_a_series_that_is_deleted_and_restored_is_synced_once_to_each_calendar(cast: Cast, db: Database) -> None:
    event = _an_event_on_many_calendars(cast.alice)
    _repeat(cast.alice, event)
    before = _count_entries(db)
    assert cast.alice.delete(f"/api/events/{event['id']}", json={"scope": "all"}).status == 200
    after_deletion = _count_entries(db)
    assert PLACEMENTS <= after_deletion - before <= 3 * PLACEMENTS
    with db.read() as tx:
        change_id = tx.value("SELECT max(id) FROM changes")
    undone = cast.alice.post(f"/api/changes/{change_id}/undo")
    assert undone.status == 200, undone
    assert PLACEMENTS <= _count_entries(db) - after_deletion <= 3 * PLACEMENTS


@pytest.mark.parametrize("is_public", [False, True])
def test_the_end_of_a_share_syncs_an_event_once_to_each_calendar(cast: Cast, db: Database, is_public: bool) -> None:
    calendar = a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    event = _an_event_on_many_calendars(cast.alice, cast.bob, calendar_id=calendar["id"], public=is_public)
    a_comment(cast.alice, event)
    _repeat(cast.alice, event)
    before, comments_before = _count_entries(db), _count_entries(db, "comment")
    ended = cast.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": cast.bob.user_name})
    assert ended.status == 200, ended
    assert PLACEMENTS <= _count_entries(db) - before <= 4 * PLACEMENTS
    assert CALENDARS <= _count_entries(db, "comment") - comments_before <= 4 * CALENDARS
