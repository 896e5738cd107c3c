"""POST /api/contacts/keep: versions, and concurrent changes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kalends.db import Database
from tests.cast import Cast, a_contact
from tests.client import Reply
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database

ENTRIES = 12
TIMEOUT = 20

Imported = Callable[[], list[int]]


@pytest.fixture
def imported(cast: Cast, db: Database, clock: Clock) -> Imported:
    """Fill Alice's temporary list, as an import does, and return the entries' ids."""

    def fill() -> list[int]:
        contact_ids = [a_contact(cast.alice, email_address=f"k{n}@example.org", unique_id=f"k{n}")["id"] for n in range(ENTRIES)]
        with db.write() as tx:
            tx.run("UPDATE contacts SET service = 'google', expires_at = :end WHERE user_id = :me", end=clock() + 60, me=cast.alice.id)
        return contact_ids

    return fill


def at_once(*requests: Callable[[], Reply]) -> list[Reply]:
    ready = threading.Barrier(len(requests))

    def run(request: Callable[[], Reply]) -> Reply:
        ready.wait(TIMEOUT)
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(run, requests))


def test_keeping_an_entry_changes_its_version(cast: Cast, clock: Clock, imported: Imported) -> None:
    path = f"/api/contacts/{imported()[0]}"
    etag = cast.alice.get(path).headers["ETag"]
    clock.ahead(1)
    cast.alice.post("/api/contacts/keep")
    assert cast.alice.get(path, headers={"If-None-Match": etag}).status == 200
    assert cast.alice.put(path, json={"last_name": "Old"}, headers={"If-Match": etag}).status == 412


def test_changes_during_keep_are_not_lost(cast: Cast, imported: Imported) -> None:
    entries = imported()

    def change(entry: int) -> Callable[[], Reply]:
        return lambda: cast.alice.put(f"/api/contacts/{entry}", json={"unique_id": f"mine-{entry}"})

    replies = at_once(lambda: cast.alice.post("/api/contacts/keep"), *map(change, entries))
    assert [response.status for response in replies] == [200] * (1 + ENTRIES)
    assert [cast.alice.get(f"/api/contacts/{entry}").json["unique_id"] for entry in entries] == [f"mine-{entry}" for entry in entries]


def test_an_empty_selection_keeps_nothing(cast: Cast, imported: Imported) -> None:
    imported()
    assert cast.alice.post("/api/contacts/keep", json={"ids": []}).json == {"kept": 0, "skipped": 0}
