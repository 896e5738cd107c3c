"""PATCH: another name for the PUT of an update."""

import pytest

from kalends.app.application import ENDPOINTS
from tests.cast import Cast, a_calendar, a_contact, an_event
from tests.client import HOST

UPDATES = [endpoint for endpoint in ENDPOINTS if "PATCH" in endpoint.methods]


def test_patch_changes_the_fields_that_it_has(cast: Cast) -> None:
    event, contact = an_event(cast.alice, description="Doors at seven"), a_contact(cast.alice)
    changed = cast.alice.request("PATCH", f"/api/events/{event['id']}", json={"title": "Concerto"})
    assert (changed.status, changed.json["title"], changed.json["description"]) == (200, "Concerto", "Doors at seven")
    cleared = cast.alice.request("PATCH", f"/api/events/{event['id']}", json={"description": None})
    assert (cleared.status, cleared.json["description"]) == (200, None)
    assert cast.alice.request("PATCH", f"/api/contacts/{contact['id']}", json={"tag": "late"}).json["tags"][-1] == "late"


def test_patch_has_the_permissions_and_conditions_of_put(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, public=True)
    path = f"/api/calendars/{calendar['id']}"
    people = (cast.anonymous, cast.carol)
    assert [person.request("PATCH", path, json={"name": "Mine"}).status for person in people] == [401, 403]
    assert cast.alice.request("PATCH", path, json={"name": "New"}, headers={"If-Match": '"0-0"'}).status == 412
    cookie = {"Cookie": f"kalends_session={cast.alice.token}", "Origin": "https://evil.example"}
    assert cast.anonymous.request("PATCH", path, json={"name": "Stolen"}, headers=cookie, host=HOST).status == 403
    preview = cast.alice.request("PATCH", path, json={"name": "New", "dry_run": True})
    assert (preview.status, cast.alice.get(path).json["name"]) == (200, calendar["name"])


def test_patch_runs_once_under_an_idempotency_key(cast: Cast) -> None:
    path, key = f"/api/events/{an_event(cast.alice)['id']}", {"Idempotency-Key": "patch-once"}
    first, again = (cast.alice.request("PATCH", path, json={"tag": "late"}, headers=key) for _ in range(2))
    assert (first.status, again.json, again.headers["Idempotency-Replayed"]) == (200, first.json, "true")
    assert cast.alice.request("PUT", path, json={"tag": "late"}, headers=key).status == 422


@pytest.mark.on_one_database
def test_actions_have_no_patch(cast: Cast) -> None:
    assert len(UPDATES) > 10
    event = an_event(cast.alice)
    assert cast.alice.request("PATCH", f"/api/events/{event['id']}/repeat", json={"frequency": "DAILY"}).status == 405
    assert cast.alice.request("PATCH", "/api/events", json={"uid": "x"}).status == 405
    allowed = cast.alice.request("OPTIONS", f"/api/events/{event['id']}").headers["Allow"]
    assert "PATCH" in allowed.split(", ")
