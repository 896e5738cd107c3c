"""`dry_run`: a write replies as it would, names whom it would tell, and changes nothing."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies
from hypothesis import settings as hypothesis_settings
from msgspec import structs

from kalends.app import application
from kalends.db import Database, open_contents, open_database
from kalends.settings import Settings
from tests import migrated
from tests.cast import Cast, a_calendar, a_contact, a_response, an_event
from tests.client import Client
from tests.conftest import NOON
from tests.events.series import events_of_series

TABLES = (
    *("events", "placements", "series", "series_exceptions", "responses", "response_settings", "deliveries", "change_notices"),
    *("changed_events", "changes", "sync_entries", "idempotent_responses", "calendars", "contacts", "subscribers", "rate_counters"),
)
CHANGES: list[dict[str, Any]] = [
    {"start_time": "2027-06-02T20:00"},
    {"end_time": "2027-06-01T23:00"},
    {"location": "Elsewhere"},
    {"status": "cancelled"},
    {"status": "postponed", "status_note": "Rain"},
    {"title": "Another"},
    {"capacity": 3},
    {"public": False, "start_time": "2027-06-02T20:00"},
    {},
]
WRITES = strategies.fixed_dictionaries(
    {
        "fields": strategies.sampled_from(CHANGES),
        "notify": strategies.sampled_from([None, "auto", "none", "going", "concerned", "all"]),
        "scope": strategies.sampled_from([None, "this", "following", "all"]),
        "method": strategies.sampled_from(["PUT", "PUT", "PUT", "DELETE"]),
    }
)


@pytest.fixture(scope="module")
def db(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database without the rows of other tests, since all rows are read again and again here."""
    folder = tmp_path_factory.mktemp("dry_run")
    migrated.put_sqlite(folder)
    with ExitStack() as opened:
        url = opened.enter_context(migrated.postgres(settings.database)) if settings.database else ""
        yield opened.enter_context(closing(open_database(structs.replace(settings, data=str(folder), database=url))))


@pytest.fixture
def client(db: Database, settings: Settings) -> Client:
    return Client(application(db, settings, lambda: NOON))


def contents(db: Database) -> dict[str, Any]:
    """All rows of the tables that a write may change."""
    with db.read() as tx:
        copy = open_contents(db, tx)
        return {table: [row for rows in copy.rows(table, list(copy.columns(table))) for row in rows] for table in TABLES}


def a_series_with_guests(cast: Cast) -> dict[str, Any]:
    first = an_event(cast.alice, public=True, start_time="2027-06-01T20:00", capacity=1, waiting_list="auto")
    assert cast.alice.put(f"/api/events/{first['id']}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    for date, names in zip(events_of_series(cast.alice, first["id"]), ("gus hal", "gus ida", "jon"), strict=True):
        for name in names.split():
            a_response(cast.anonymous, date, email_address=f"{name}-{first['id']}@example.org", response="NO" if name == "ida" else "YES")
    return first


def queued(db: Database) -> list[tuple[str, str, str]]:
    with db.read() as tx:
        return tx.rows("SELECT kind, channel, address FROM deliveries ORDER BY id")


# Each example reads whole tables several times.
@hypothesis_settings(max_examples=hypothesis_settings().max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(write=WRITES)
def test_a_dry_run_names_exactly_those_whom_the_write_tells_and_changes_nothing(cast: Cast, db: Database, write: dict[str, Any]) -> None:
    event = a_series_with_guests(cast)
    path = f"/api/events/{event['id']}"
    params = (write["fields"] if write["method"] == "PUT" else {}) | {name: write[name] for name in ("notify", "scope") if write[name]}
    etag, before = cast.alice.get(path).headers["ETag"], contents(db)
    dry = cast.alice.request(write["method"], path, json=params | {"dry_run": True}, headers={"Idempotency-Key": f"dry-{event['id']}"})
    assert contents(db) == before
    assert cast.alice.get(path).headers["ETag"] == etag
    sent = len(queued(db))
    real = cast.alice.request(write["method"], path, json=params)
    assert (dry.status, real.status) == (200, 200), (dry, real)
    reply = dry.json
    tells, changes = reply.pop("would_tell"), reply.pop("would_change")
    assert sorted((each["kind"], each["channel"], each["address"]) for each in tells["messages"]) == sorted(queued(db)[sent:])
    # PostgreSQL does not give the number of a series twice.
    assert reply | {"series_id": 0} == real.json | {"series_id": 0}
    assert bool(changes) == (contents(db)["changes"] != before["changes"])


@pytest.mark.on_one_database
def test_every_kind_of_write_can_be_tried(cast: Cast, db: Database) -> None:
    calendar, event, contact = a_calendar(cast.alice), an_event(cast.alice, public=True), a_contact(cast.alice)
    before = contents(db)
    writes = [
        ("POST", "/api/events", {"title": "New", "start_time": "2027-06-01"}, 201),
        ("POST", "/api/calendars", {"name": "New"}, 201),
        ("PUT", f"/api/calendars/{calendar['id']}", {"name": "Other"}, 200),
        ("DELETE", f"/api/calendars/{calendar['id']}", {}, 200),
        ("POST", "/api/contacts", {"first_name": "Ida"}, 201),
        ("PUT", f"/api/contacts/{contact['id']}", {"first_name": "Ida"}, 200),
        ("DELETE", f"/api/contacts/{contact['id']}", {}, 200),
        ("POST", "/api/responses", {"event_id": event["id"], "response": "YES"}, 201),
        ("POST", "/api/comments", {"event_id": event["id"], "comment": "Hello"}, 201),
        ("PUT", f"/api/events/{event['id']}/send_to_me", {}, 202),
        ("PUT", f"/api/events/{event['id']}/announce", {}, 202),
    ]
    for method, path, params, status in writes:
        reply = cast.alice.request(method, path, json=params | {"dry_run": True}, headers={"Prefer": "handling=strict"})
        assert (reply.status, "would_change" in reply.json) == (status, True), (path, reply)
        assert contents(db) == before, path
        assert "Location" not in reply.headers
    batch = cast.alice.post("/api/events?dry_run=true", json=[{"title": "A", "start_time": "2027-06-01"}] * 2)
    assert [each["title"] for each in batch.json["reply"]] == ["A", "A"]
    assert [each["op"] for each in batch.json["would_change"] if each["kind"] == "event"] == ["create"] * 2
    assert contents(db) == before


def test_a_dry_run_is_refused_where_it_would_hide_an_attempt_and_does_not_tell_guests_who_has_responded(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    a_response(cast.anonymous, event, email_address="gus@example.org")
    for name in ("gus", "hal"):
        response = {"event_id": event["id"], "response": "NO", "email_address": f"{name}@example.org", "dry_run": "yes"}
        reply = cast.anonymous.post("/api/responses", json=response)
        assert (reply.status, reply.json["would_tell"], reply.json["would_change"]) == (201, None, None)
    assert [each["response"] for each in cast.alice.get(f"/api/responses?event_id={event['id']}").json["responses"]] == ["YES"]
    guess = {"user_name": cast.alice.user_name, "password": "wrong", "dry_run": True}
    assert _refused_field(cast.anonymous, "POST", "/api/session", guess) == "dry_run"
    assert _refused_field(cast.alice, "DELETE", f"/api/users/{cast.alice.id}", {"dry_run": True}) == "dry_run"
    assert _refused_field(cast.alice, "PUT", f"/api/events/{event['id']}", {"dry_run": "perhaps"}) == "dry_run"
    assert _refused_field(cast.alice, "PUT", f"/api/events/{event['id']}?dry_run=true", {"title": "New", "dry_run": False}) == "dry_run"


def _refused_field(client: Client, method: str, path: str, params: dict[str, Any]) -> str:
    reply = client.request(method, path, json=params)
    assert reply.status == 422, reply
    return str(reply.json["errors"][0]["field"])
