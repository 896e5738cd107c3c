"""The worker merges what recent writes appended to the text indexes."""

from collections.abc import Callable

from kalends.db import Database
from kalends.db.postgres.database import Postgres
from kalends.db.sqlite.database import Sqlite
from tests.cast import Cast, an_event
from tests.client import Client

# Fewer than the four segments from which SQLite merges by default.
WRITES = 3


def _segments(db: Sqlite) -> int:
    with db.read() as tx:
        return int(tx.value("SELECT count(DISTINCT segid) FROM events_search_idx"))


def test_the_segments_of_a_search_index_become_few(sqlite_with_tables: Sqlite, guest_on: Callable[[Database], Client]) -> None:
    sqlite = sqlite_with_tables
    alice = Cast(guest_on(sqlite)).alice
    for number in range(WRITES):
        an_event(alice, title=f"Concert {number}")
    before = _segments(sqlite)
    sqlite.merge_text_indexes()
    assert (before, _segments(sqlite)) == (WRITES, 1)
    assert len(alice.get("/api/events?text=concert").json["events"]) == WRITES


def test_the_pending_entries_of_a_search_index_are_moved_to_their_place(
    postgres_with_tables: Postgres, guest_on: Callable[[Database], Client]
) -> None:
    postgres = postgres_with_tables
    alice = Cast(guest_on(postgres)).alice
    an_event(alice)
    postgres.merge_text_indexes()
    with postgres.write() as tx:
        assert tx.value("SELECT gin_clean_pending_list('events_search')") == 0
    an_event(alice)
    with postgres.write() as tx:
        assert tx.value("SELECT gin_clean_pending_list('events_search')") == 1
