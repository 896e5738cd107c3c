"""A parameter that names a record which is not there, or is not the caller's to use, is named in the error."""

from typing import Any

import pytest
from msgspec import Struct

from kalends.app.application import ENDPOINTS
from kalends.http.input.fields import fields_of
from tests.cast import Cast, a_calendar, a_webhook, an_event
from tests.events.importing import a_file, an_entry
from tests.http.multipart import multipart
from tests.site.administrator import Admin

MISSING = 2**40


class Case(Struct, frozen=True):
    """A request with the id of a record that is not there, and its other parameters."""

    endpoint: str
    field: str
    params: dict[str, Any] = {}
    role: str = "alice"


AN_EVENT = {"title": "Jazz", "start_time": "2027-01-01T20:00:00Z"}
A_RESPONSE = {"email_address": "guest@example.org", "response": "YES"}
CASES = [
    *(Case(f"GET /api/events{suffix}", field) for suffix in ("", ".ics") for field in ("calendar_id", "calendar_ids")),
    Case("POST /api/events", "calendar_id", AN_EVENT),
    Case("PUT /api/events", "calendar_id", AN_EVENT | {"uid": "jazz@example.org"}),
    Case("DELETE /api/events", "calendar_id", {"uid": "jazz@example.org"}),
    *(Case(f"{method} /api/events/{{event_id}}", "ids") for method in ("PUT", "DELETE")),
    Case("PUT /api/events/{event_id}", "calendar_id"),
    Case("POST /api/events/import", "calendar_id"),
    *(Case(f"PUT /api/events/{{event_id}}/{action}", "calendar_id") for action in ("add", "remove", "copy")),
    Case("GET /api/comments", "event_id"),
    Case("GET /api/comments/new", "event_id"),
    Case("POST /api/comments", "event_id", {"email_address": "guest@example.org", "comment": "Nice."}),
    *(Case(f"GET /api/responses{suffix}", "event_id") for suffix in ("", ".csv", "/new")),
    Case("POST /api/responses", "event_id", A_RESPONSE),
    Case("POST /api/responses/link", "event_id", {"email_address": "guest@example.org"}),
    *(Case(f"GET /api/contacts{suffix}", "event_id") for suffix in ("", ".csv", ".vcf")),
    Case("POST /api/contacts/keep", "ids"),
    Case("GET /api/deliveries", "event_id"),
    Case("GET /api/changes", "calendar_id"),
    Case("GET /api/changes/stream", "calendar_id"),
    Case("GET /api/sources", "calendar_id"),
    Case("POST /api/sources", "calendar_id", {"url": "https://club.example/events.ics"}),
    Case("POST /api/sources/imports", "calendar_id", {"url": "https://club.example/events.ics"}),
    Case("POST /api/webhooks", "calendar_id", {"url": "https://[2606:4700::1111]/hook"}),
    Case("PUT /api/webhooks/{webhook_id}", "calendar_id"),
    Case("POST /api/webhooks/{webhook_id}/redeliver", "delivery_id"),
    *(Case("POST /api/reports", field, {"reason": "spam"}) for field in ("event_id", "comment_id", "calendar_id")),
    Case("POST /api/hidden_events", "event_id", {"reason": "spam"}, "admin"),
    Case("POST /api/events/{event_id}/invitations", "contact_ids"),
    Case("POST /api/keys", "calendar_ids", {"name": "Phone", "kind": "dav"}),
]
# Not the id of a record (`unique_id`), a filter, which finds nothing, or part of a secret address, of which nothing is said.
OTHERS = {"unique_id", "user_id of GET /api/contacts/birthdays.ics", "series_id", "ids of GET /api/events", "ids of GET /api/events.ics"}


def _names(endpoint: str, field: str) -> set[str]:
    return {field, f"{field} of {endpoint}"}


def test_every_parameter_with_the_id_of_a_record_has_a_row() -> None:
    api = [endpoint for endpoint in ENDPOINTS if endpoint.in_api and endpoint.params is not None]
    ids = {
        (f"{endpoint.method} {endpoint.url}", field.name)
        for endpoint in api
        for field in fields_of(endpoint.params)
        if field.name == "ids" or field.name.endswith(("_id", "_ids"))
    }
    assert {pair for pair in ids if not OTHERS & _names(*pair)} == {(case.endpoint, case.field) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.endpoint} {case.field}")
def test_the_error_of_a_record_that_is_not_there_names_the_parameter(cast: Cast, case: Case) -> None:
    actor = Admin(cast.anonymous, "ada") if case.role == "admin" else cast.alice
    method, path = case.endpoint.split()
    variables = {"event_id": an_event(cast.alice)["id"], "webhook_id": a_webhook(cast.alice)["id"]}
    if path == "/api/events/import":
        request = multipart({case.field: str(MISSING)}, [("file", "a.ics", a_file(an_entry()).encode())])
    else:
        request = {"query" if method in ("GET", "DELETE") else "json": case.params | {case.field: MISSING}}
    reply = actor.request(method, path.format(**variables), **request)
    assert (reply.status, reply.broken) == (422 if case.field in ("delivery_id", "contact_ids") else 404, [case.field])
    assert reply.json["errors"][0]["code"] == "not_found"


def test_the_error_of_a_record_that_one_may_not_use_names_the_parameter(cast: Cast) -> None:
    shared = a_calendar(cast.alice, public=True)
    reply = cast.carol.post("/api/events", json=AN_EVENT | {"calendar_id": shared["id"]})
    assert (reply.status, reply.broken, reply.json["errors"][0]["code"]) == (403, ["calendar_id"], "forbidden")
    alone = cast.carol.get(f"/api/events/{2**40}")
    assert (alone.status, alone.json["errors"]) == (404, [])
