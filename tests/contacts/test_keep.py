"""POST /api/contacts/keep beside other changes: what is kept is a new version, and no change is lost."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kalends.db import Database
from tests.cast import Cast, a_contact
from tests.client import Answer
from tests.conftest import Clock

ENTRIES = 12
TIMEOUT = 20

Imported = Callable[[], list[int]]


@pytest.fixture
def imported(cast: Cast, db: Database, clock: Clock) -> Imported:
    """Fill Alice's temporary list, as an import does, and answer the entries' ids."""

    def fill() -> list[int]:
        made = [a_contact(cast.alice, email_address=f"k{n}@example.org", unique_id=f"k{n}")["id"] for n in range(ENTRIES)]
        with db.write() as tx:
            tx.run("UPDATE contacts SET service = 'google', expires_at = :end WHERE user_id = :me", end=clock() + 60, me=cast.alice.id)
        return made

    return fill


def at_once(*requests: Callable[[], Answer]) -> list[Answer]:
    ready = threading.Barrier(len(requests))

    def run(request: Callable[[], Answer]) -> Answer:
        ready.wait(TIMEOUT)
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(run, requests))


def test_a_kept_entry_is_a_new_version_of_it(cast: Cast, clock: Clock, imported: Imported) -> None:
    path = f"/api/contacts/{imported()[0]}"
    seen = cast.alice.get(path).headers["ETag"]
    clock.ahead(1)
    cast.alice.post("/api/contacts/keep")
    assert cast.alice.get(path, headers={"If-None-Match": seen}).status == 200
    assert cast.alice.put(path, json={"last_name": "Old"}, headers={"If-Match": seen}).status == 412


def test_what_is_changed_while_the_list_is_kept_stays_changed(cast: Cast, imported: Imported) -> None:
    entries = imported()

    def change(entry: int) -> Callable[[], Answer]:
        return lambda: cast.alice.put(f"/api/contacts/{entry}", json={"unique_id": f"mine-{entry}"})

    answers = at_once(lambda: cast.alice.post("/api/contacts/keep"), *map(change, entries))
    assert [answer.status for answer in answers] == [200] * (1 + ENTRIES)
    assert [cast.alice.get(f"/api/contacts/{entry}").json["unique_id"] for entry in entries] == [f"mine-{entry}" for entry in entries]


def test_an_empty_choice_keeps_nothing(cast: Cast, imported: Imported) -> None:
    imported()
    assert cast.alice.post("/api/contacts/keep", json={"ids": []}).json == {"kept": 0, "skipped": 0}
