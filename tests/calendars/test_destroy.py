"""DELETE /api/calendars/<id>."""

from typing import Any

import pytest

from kalends.db import Database
from tests.cast import PASSWORD, Cast, a_calendar, an_event, shared

pytestmark = pytest.mark.on_one_database


def test_a_deleted_calendar_is_gone_for_everybody(cast: Cast) -> None:
    calendar, other_calendar = a_calendar(cast.alice, public=True), a_calendar(cast.alice)
    shared(cast.alice, calendar, cast.bob, "editor")
    gone = cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert (gone.status, gone.json) == (200, {"deleted": [calendar["id"]]})
    for person in (cast.anonymous, cast.alice, cast.bob):
        assert person.get(f"/api/calendars/{calendar['id']}").status == 404
    assert [c["id"] for c in cast.alice.get("/api/calendars").json["calendars"]] == [cast.alice.primary_calendar_id, other_calendar["id"]]
    assert len(cast.bob.get("/api/calendars").json["calendars"]) == 1
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 404


def test_the_primary_calendar_cannot_be_deleted(cast: Cast) -> None:
    response = cast.alice.delete(f"/api/calendars/{cast.alice.primary_calendar_id}")
    assert response.status == 409
    assert cast.alice.get(f"/api/calendars/{cast.alice.primary_calendar_id}").status == 200


def test_the_id_of_a_deleted_calendar_is_not_reused(cast: Cast) -> None:
    """Someone may still hold a link to it."""
    calendar = a_calendar(cast.alice)
    cast.alice.delete(f"/api/calendars/{calendar['id']}")
    assert a_calendar(cast.alice)["id"] > calendar["id"]


@pytest.mark.parametrize("thing", ["calendar", "account"])
def test_other_requests_write_while_a_calendar_with_many_events_is_deleted(
    cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch, thing: str
) -> None:
    alice, carol = cast.alice, cast.carol
    calendar, other = a_calendar(alice), a_calendar(alice, name="Other")
    events = [an_event(alice, calendar_id=calendar["id"]) for _ in range(5)]
    assert alice.put(f"/api/events/{events[0]['id']}/add", json={"calendar_id": other["id"]}).status == 200
    events_in_between: list[Any] = []
    monkeypatch.setattr("kalends.features.events.placements.store.BATCH_EVENTS", 2)
    monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: events_in_between.append(an_event(carol)))
    if thing == "calendar":
        assert alice.delete(f"/api/calendars/{calendar['id']}").status == 200
        assert [event["id"] for event in alice.get("/api/events").json["events"]] == [events[0]["id"]]
    else:
        assert alice.delete(f"/api/users/{alice.id}", json={"current_password": PASSWORD}).status == 200
    assert len(events_in_between) == 2
