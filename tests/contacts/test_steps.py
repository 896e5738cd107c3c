"""Many contacts are written in steps, each in a transaction of its own, so that others can write in between."""

from typing import Any

import pytest

from kalends.db import Database
from kalends.features.contacts import store
from tests.cast import Cast, a_calendar, a_contact, an_event
from tests.client import Client
from tests.http.multipart import multipart


@pytest.fixture
def in_between(db: Database, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is called between two steps, of two contacts each."""
    calls: list[Any] = []
    monkeypatch.setattr(store, "BATCH", 2)
    monkeypatch.setattr(type(db), "yield_to_other_writers", lambda self: [call() for call in list(calls)])
    return calls


def _file(count: int) -> dict[str, Any]:
    rows = "".join(f"Ana {i},ana{i}@example.org\n" for i in range(count))
    return multipart(files=[("file", "a.csv", f"first_name,email_address\n{rows}".encode())])


def _addresses(client: Client) -> list[str]:
    return sorted(contact["email_address"] for contact in client.get("/api/contacts").json["contacts"])


def test_a_contact_that_is_made_while_a_file_is_imported_is_skipped_in_the_file(cast: Cast, in_between: list[Any]) -> None:
    def add_once() -> None:
        in_between.clear()
        a_contact(cast.alice, email_address="ANA4@example.org")

    in_between.append(add_once)
    reply = cast.alice.post("/api/contacts/import_file", **_file(5))
    assert (reply.status, reply.json["imported"], reply.json["skipped"]) == (201, 4, 1)
    assert _addresses(cast.alice) == ["ANA4@example.org", *(f"ana{i}@example.org" for i in range(4))]


def test_others_write_while_all_contacts_are_deleted_and_one_undo_restores_them(cast: Cast, db: Database, in_between: list[Any]) -> None:
    assert cast.alice.post("/api/contacts/import_file", **_file(5)).status == 201
    made: list[Any] = []
    in_between.append(lambda: made.append(a_contact(cast.carol)))
    assert cast.alice.post("/api/contacts/delete_all", json={}).json == {"deleted": 5}
    assert (_addresses(cast.alice), len(made)) == ([], 2)
    with db.read() as tx:
        seq = tx.value("SELECT max(id) FROM changes WHERE actor_id = :id", id=cast.alice.id)
    assert cast.alice.post(f"/api/changes/{seq}/undo").status == 200
    assert _addresses(cast.alice) == [f"ana{i}@example.org" for i in range(5)]


def test_a_file_beyond_the_quota_is_refused_before_a_part_of_it_is_written(
    cast: Cast, in_between: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kalends.policy.quotas._free_records", lambda *args: 4)
    assert cast.alice.post("/api/contacts/import_file", **_file(5)).status == 409
    assert _addresses(cast.alice) == []


def test_a_dry_run_that_takes_long_is_refused_and_changes_nothing(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    calendar = a_calendar(cast.alice)
    events = [an_event(cast.alice, calendar_id=calendar["id"])["id"] for _ in range(3)]
    monkeypatch.setattr("kalends.features.events.placements.store.BATCH_EVENTS", 1)
    path = f"/api/calendars/{calendar['id']}"
    assert cast.alice.delete(f"{path}?dry_run=true").status == 200
    monkeypatch.setattr("kalends.http.context.MAX_DRY_RUN_SECONDS", 0)
    refused = cast.alice.delete(f"{path}?dry_run=true")
    assert (refused.status, "several steps" in refused.json["detail"]) == (409, True)
    assert [event["id"] for event in cast.alice.get("/api/events").json["events"]] == events
