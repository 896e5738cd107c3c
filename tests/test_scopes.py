"""The permission table for keys with scopes: every endpoint, every scope."""

import re
from typing import Any, get_args

import pytest

from kalends.app.application import ENDPOINTS
from kalends.core.records.credentials import KeyScope
from kalends.core.values import timestamps
from kalends.policy.actor import ANY, UNLIMITED, required_scope
from tests.cast import Cast, a_calendar, a_key, an_event
from tests.client import Client, Reply
from tests.conftest import NOON, Clock
from tests.dav.clients import calendar_path, device, propfind, responses

SCOPES: tuple[str, ...] = get_args(get_args(KeyScope)[0])
# What each scope is for. The rows of all other endpoints follow from these rules.
MEANING = {
    "GET /api/events": {"events:read", "events:write"},
    "GET /api/events/{event_id}": {"events:read", "events:write"},
    "PUT /api/events/{event_id}": {"events:write"},
    "POST /api/calendars": {"events:write"},
    "DELETE /api/comments/{comment_id}": {"events:write"},
    "GET /api/responses": {"responses:read", "responses:write"},
    "PUT /api/responses/{response_id}": {"responses:write"},
    "GET /api/contacts": {"contacts"},
    "DELETE /api/subscribers/{subscriber_id}": {"contacts"},
    "POST /api/events/{event_id}/messages": {"messages"},
    "POST /api/events/{event_id}/invitations": {"messages"},
    "PUT /api/events/{event_id}/announce": {"messages"},
    "GET /api/admin/people": {"admin"},
    "GET /api/admin/invitations": {"admin"},
    "POST /api/admin/invitations": {"admin"},
    "PUT /api/site": {"admin"},
    "GET /api/site": set(SCOPES),
    "GET /api/users/current": set(SCOPES),
    "PUT /api/calendars/{calendar_id}/share": set(),
    "POST /api/events/{event_id}/cohosts": set(),
    "PUT /api/calendars/{calendar_id}/reset_feed": set(),
    "POST /api/calendars/{calendar_id}/ownership_offers": set(),
    "PUT /api/ownership_offers/{offer_id}": set(),
    "POST /api/webhooks": set(),
    "GET /api/keys": set(),
    "DELETE /api/users/{user_id}": set(),
    "GET /api/changes": set(),
    "GET /api/events/{event_id}/changes": set(),
    "GET /account": set(),
}


def a_limited_key(cast: Cast, *scopes: str) -> Client:
    return cast.anonymous.signed_in(a_key(cast.alice, scopes=list(scopes))["wkey"])


def _is_refused(reply: Reply) -> bool:
    return reply.status == 403 and "insufficient-scope" in reply.text


def _opening(name: str) -> set[str]:
    method, path = name.split(" ")
    needed = required_scope(method, path)
    return {scope for scope in SCOPES if needed != UNLIMITED and (needed in (ANY, scope) or needed.replace(":read", ":write") == scope)}


@pytest.mark.parametrize("name", MEANING)
def test_a_scope_opens_what_it_is_for(name: str) -> None:
    assert _opening(name) == MEANING[name]


def test_what_admins_do_needs_the_scope_of_admins() -> None:
    admins = [f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS if endpoint.path.startswith("/api/admin/")]
    assert len(admins) > 10
    assert {name: _opening(name) for name in admins if _opening(name) != {"admin"}} == {}


def test_every_endpoint_asks_every_key_for_its_scope(cast: Cast) -> None:
    """Each endpoint with each scope, on ids that do not exist: whatever else it replies, the scope decides first."""
    keys = {scope: a_limited_key(cast, scope) for scope in SCOPES}
    tried = 0
    for endpoint in ENDPOINTS:
        name = f"{endpoint.method} {endpoint.path}"
        if not endpoint.credentials or endpoint.on_event_loop or name == "GET /api/changes/stream":
            continue
        path = re.sub(r"{\w+}", "999999", endpoint.url)
        for scope, program in keys.items():
            reply = program.request(endpoint.method, path)
            assert _is_refused(reply) == (scope not in _opening(name)), f"{name} with {scope}: {reply.status}"
            tried += 1
    assert tried > 100 * len(SCOPES)


def test_a_session_that_a_key_opened_has_its_scopes(cast: Cast) -> None:
    key = a_key(cast.alice, scopes=["events:read"])
    session = cast.anonymous.signed_in(cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json["token"])
    assert session.get("/api/events").status == 200
    assert _is_refused(session.post("/api/calendars", json={"name": "Jazz"}))
    assert _is_refused(session.get("/api/keys"))


def test_a_key_ends_when_it_expires_and_so_do_its_sessions(cast: Cast, clock: Clock) -> None:
    key = a_key(cast.alice, expires_at=timestamps.format_utc(NOON + 86_400))
    assert key["expires_at"] == timestamps.format_utc(NOON + 86_400)
    program = cast.anonymous.signed_in(key["wkey"])
    session = cast.anonymous.signed_in(cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).json["token"])
    assert [each.get("/api/calendars").status for each in (program, session)] == [200, 200]
    clock.ahead(2 * 86_400)
    assert [each.get("/api/calendars").status for each in (program, session)] == [401, 401]
    assert cast.anonymous.post("/api/session", json={"wkey": key["wkey"]}).status == 401


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"scopes": ["events:read"], "kind": "dav"}, "scopes"),
        ({"read_only": True}, "read_only"),
        ({"calendar_ids": []}, "calendar_ids"),
        ({"calendar_ids": [], "kind": "dav"}, "calendar_ids"),
        ({"calendar_ids": ["x"], "kind": "dav"}, "calendar_ids"),
        ({"expires_at": "2020-01-01"}, "expires_at"),
        ({"expires_at": "soon"}, "expires_at"),
    ],
)
def test_a_wrong_limit_of_a_key_is_refused(cast: Cast, fields: dict[str, Any], field: str) -> None:
    refused = cast.alice.post("/api/keys", json={"name": "reader"} | fields)
    assert (refused.status, [name.split(".")[0].split("[")[0] for name in refused.broken]) == (422, [field])


def test_the_list_of_keys_says_what_each_opens(cast: Cast) -> None:
    a_key(cast.alice, scopes=["responses:read", "events:read", "events:read"])
    a_key(cast.alice, kind="dav", read_only=True)
    a_key(cast.alice)
    listed = {(tuple(key["scopes"] or ()), key["read_only"], key["expires_at"]) for key in cast.alice.get("/api/keys").json["keys"]}
    assert listed == {(("events:read", "responses:read"), False, None), ((), True, None), ((), False, None)}


def test_an_app_password_that_only_reads_changes_nothing(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=int(calendar["id"]))
    credential = device(cast.alice, a_key(cast.alice, kind="dav", read_only=True)["wkey"])
    path = calendar_path(cast.alice, calendar["id"])
    assert propfind(cast.anonymous, path, "D:getetag", depth="1", **credential).status == 207
    assert cast.anonymous.request("DELETE", f"{path}{event['uid']}.ics", headers=credential).status == 403
    assert cast.anonymous.request("MKCALENDAR", f"{path.rstrip('/')}-new/", headers=credential).status == 403
    assert cast.alice.get(f"/api/events/{event['id']}").status == 200


def test_an_app_password_of_calendars_opens_these_and_nothing_else(cast: Cast) -> None:
    ours, other = a_calendar(cast.alice), a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=int(ours["id"]))
    key = a_key(cast.alice, kind="dav", calendar_ids=[ours["id"], ours["id"]])
    assert key["calendar_ids"] == [ours["id"]]
    assert cast.alice.get("/api/keys").json["keys"][-1]["calendar_ids"] == [ours["id"]]
    credential = device(cast.alice, key["wkey"])
    home = f"/dav/users/{cast.alice.id}/calendars"
    listed = responses(propfind(cast.anonymous, f"{home}/", "D:displayname", depth="1", **credential))
    assert set(listed) == {"calendars", str(ours["id"])}
    paths = {int(each["id"]): calendar_path(cast.alice, each["id"]) for each in (ours, other)}
    found = responses(propfind(cast.anonymous, paths[int(ours["id"])], "D:getetag", depth="1", **credential))
    [name] = [name for name in found if name.endswith(".ics")]
    assert propfind(cast.anonymous, paths[int(other["id"])], "D:getetag", depth="1", **credential).status == 404
    for method, path in [
        ("MKCALENDAR", f"{home}/new/"),
        ("PROPFIND", f"/dav/users/{cast.alice.id}/books/"),
        ("PROPFIND", f"/dav/users/{cast.alice.id}/inbox/"),
        ("PUT", f"{paths[int(other['id'])]}x.ics"),
        ("DELETE", paths[int(other["id"])]),
        ("REPORT", paths[int(other["id"])]),
    ]:
        reply = cast.anonymous.request(method, path, headers=credential)
        assert reply.status in (400, 403, 404), (method, path, reply)
    moved = credential | {"Destination": f"{paths[int(other['id'])]}moved.ics"}
    assert cast.anonymous.request("COPY", f"{paths[int(ours['id'])]}{name}", headers=moved).status == 409
    assert cast.anonymous.request("DELETE", f"{paths[int(ours['id'])]}{name}", headers=credential).status == 204
    assert cast.alice.get(f"/api/calendars/{other['id']}").status == 200


def test_an_app_password_names_only_calendars_of_its_user(cast: Cast) -> None:
    for calendar_id in (a_calendar(cast.bob)["id"], a_calendar(cast.bob, public=True)["id"], 999_999_999):
        refused = cast.alice.post("/api/keys", json={"name": "phone", "kind": "dav", "calendar_ids": [calendar_id]})
        assert (refused.status, refused.broken) == (404, ["calendar_ids"])


def test_a_deleted_calendar_leaves_its_app_password_nothing(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    credential = device(cast.alice, a_key(cast.alice, kind="dav", calendar_ids=[calendar["id"]])["wkey"])
    assert cast.alice.delete(f"/api/calendars/{calendar['id']}").status == 200
    home = f"/dav/users/{cast.alice.id}/calendars/"
    assert set(responses(propfind(cast.anonymous, home, "D:displayname", depth="1", **credential))) == {"calendars"}
