"""Every write of the API with `dry_run`: it changes no row of any table, and names those whom the write then tells."""

from collections.abc import Callable
from typing import Any

import pytest

from kalends.app.application import ENDPOINTS
from tests.cast import Cast, a_calendar, a_response, shared
from tests.http.stored_rows import FreshService
from tests.subscribers.confirmations import confirmed
from tests.test_policy import Scene, content_of, name_of, one_who_may

pytestmark = pytest.mark.on_one_database

WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.writes and endpoint.in_api]

OUTLOOK = {"service": "outlook", "access_token": "token"}


def _subscribe(scene: Scene) -> dict[str, Any]:
    assert scene.subscriber
    confirmed(scene.cast.alice, scene.settings, "dana@example.org")
    return {}


def _add_to_other_calendar(scene: Scene) -> dict[str, Any]:
    other = {"calendar_id": a_calendar(scene.cast.alice)["id"]}
    assert scene.cast.alice.put(f"/api/events/{scene.event['id']}/add", json=other).status == 200
    return other


def _share(scene: Scene) -> dict[str, Any]:
    shared(scene.cast.alice, scene.calendar, scene.cast.dave, "viewer")
    return {"user_name": scene.cast.dave.user_name}


def _show_by_link(scene: Scene) -> dict[str, Any]:
    assert scene.cast.alice.put(f"/api/events/{scene.event['id']}", json={"visibility": "link"}).status == 200
    return {}


def _import_contacts(scene: Scene) -> dict[str, Any]:
    assert scene.cast.alice.post("/api/contacts/import", json=OUTLOOK).status == 201
    return {}


# What makes a write that would be refused or change nothing one that changes something; the fields that it then has.
PREPARED: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "POST /api/contacts/import": lambda scene: OUTLOOK,
    "PUT /api/events/{event_id}": lambda scene: {"location": "Elsewhere"},
    "PUT /api/events/{event_id}/announce": _subscribe,
    "PUT /api/events/{event_id}/remove": _add_to_other_calendar,
    "PUT /api/webhooks/{webhook_id}": lambda scene: {"kinds": ["event"]},
    "PUT /api/calendars/{calendar_id}/unshare": _share,
    "PUT /api/events/{event_id}/reset_link": _show_by_link,
    "PUT /api/events/{event_id}/questions/{question_id}": lambda scene: {"label": "Which menu?"},
    "PUT /api/calendars/{calendar_id}/questions/{question_id}": lambda scene: {"label": "Which menu?"},
    "PUT /api/events/{event_id}/reminders/{reminder_id}": lambda scene: {"before": 30},
    "PUT /api/calendars/{calendar_id}/reminders/{reminder_id}": lambda scene: {"before": 30},
    "PUT /api/users/{user_id}": lambda scene: {"name": "Alice Liddell"},
    "PUT /api/site": lambda scene: {"name": "Jazz in Paris"},
    "POST /api/contacts/keep": _import_contacts,
    "POST /api/contacts/delete_all": lambda scene: {"confirmed": bool(scene.contact)},
}
# They have nothing to do for new records: no delivery has failed, the mail of an invitation waits already, and challenges are not stored.
IDLE = {
    "POST /api/webhooks/{webhook_id}/redeliver",
    "PUT /api/events/{event_id}/invitations/{invitation_id}/resend",
    "POST /api/passkeys/options",
    "POST /api/session/passkey_options",
}
# They delete what the actor does not see, or no longer sees when they are gone themselves, or the history alone.
HIDDEN = {
    "DELETE /api/users/{user_id}",
    "PUT /api/admin/people/{person_id}/refuse",
    "DELETE /api/admin/people/{person_id}",
    "DELETE /api/admin/deleted_calendars/{deleted_calendar_id}",
}
# The dry run is a preview: `found` says what there is, since creating the events takes several steps.
PREVIEWED = {"POST /api/sources"}


@pytest.mark.parametrize("endpoint", WRITES, ids=name_of)
def test_a_dry_run_of_each_write_changes_no_row_and_names_those_whom_it_notifies(fresh: FreshService, endpoint: Any) -> None:
    name, scene = name_of(endpoint), Scene(Cast(fresh.guest), fresh.settings, "public")
    a_response(scene.cast.dave, scene.event)
    path = scene.path(endpoint.url)
    who = one_who_may(name, scene)
    content = {"json": PREPARED[name](scene)} if name in PREPARED else content_of(name, scene)
    before = fresh.contents()
    dry = who.request(endpoint.method, f"{path}?dry_run=true", **content)
    assert fresh.contents() == before
    if endpoint.pool == "hash" and endpoint.guests:
        assert (dry.status, dry.broken) == (422, ["dry_run"])
        return
    real = who.request(endpoint.method, path, **content)
    assert dry.status == real.status < 300, (dry, real)
    after = fresh.contents()
    # SQLite has the author of a write there, whatever it changes.
    is_idle = {**after, "change_author": []} == {**before, "change_author": []}
    assert is_idle == (name in IDLE), "The write changed nothing: give it a field that changes, in REQUEST_FIELDS of tests/test_policy.py."
    if endpoint.guests:
        assert (dry.json["would_notify"], dry.json["would_change"]) == (None, None)
        return
    # Dave is named by his user name, and his address is not disclosed.
    addresses = {scene.cast.dave.user_name: scene.cast.dave.email_address}
    messages = dry.json["would_notify"]["messages"]
    would_notify = sorted((each["kind"], each["channel"], addresses.get(each["address"], each["address"])) for each in messages)
    # What was queued before may be gone with an account.
    assert would_notify == sorted(fresh.queued(after=max((row[0] for row in before["deliveries"]), default=0)))
    if name not in HIDDEN | PREVIEWED:
        assert bool(dry.json["would_change"]) == (after["changes"] != before["changes"])
