"""What all lists and new records have in common."""

import pytest

from tests.cast import Cast, a_calendar, a_webhook, an_event

pytestmark = pytest.mark.on_one_database


def test_a_new_calendar_has_the_etag_of_its_next_read(cast: Cast) -> None:
    created = cast.alice.post("/api/calendars", json={"name": "Jazz"})
    assert created.headers["ETag"] == cast.alice.get(f"/api/calendars/{created.json['id']}").headers["ETag"]


def test_trash_history_and_deliveries_are_counted(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    events = [an_event(cast.alice, calendar_id=calendar["id"]) for _ in range(3)]
    for event in events[:2]:
        cast.alice.delete(f"/api/events/{event['id']}")
    webhook = a_webhook(cast.alice)
    cast.alice.post(f"/api/webhooks/{webhook['id']}/ping")
    history = cast.alice.get(f"/api/events/{events[2]['id']}/changes").json["changes"]
    paths = {
        "/api/trash": 2,
        f"/api/events/{events[2]['id']}/changes": len(history),
        f"/api/webhooks/{webhook['id']}/deliveries": 1,
    }
    for path, total in paths.items():
        assert cast.alice.get(f"{path}?limit=1&count=true").json["total"] == total > 0
        assert "total" not in cast.alice.get(path).json
