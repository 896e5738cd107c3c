"""A client that follows the cursor holds exactly what a fresh listing holds, whatever happens."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from threading import Event, Thread

import pytest

from kalends.db import Database
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, a_calendar, an_event, shared
from tests.changes.follower import Follower
from tests.changes.slow_writers import SlowWriters
from tests.changes.triggers import without_trigger
from tests.changes.writers import Writers

FOLLOW_RATE = 0.1
NOTICED = r"was not told|Differing items"
# How often the followers of a walk are compared while it goes on; and of one that ends when they first differ.
COMPARE_STEPS, SOON = 100, 20
# In short, as many as a server has threads for requests.
WRITERS, FEW_WRITERS = 20, 8
ADDITIONS = {
    "event": """INSERT INTO placements (event_id, calendar_id, start_at, public, lasts, grants, granted_by, created_at)
                SELECT e.id, CAST(:calendar_id AS BIGINT), e.start_at, e.public, FALSE, TRUE, e.owner_id, e.created_at FROM events e
                WHERE e.id = :event_id""",
    "comment": """INSERT INTO comments (event_id, email_address, email_key, comment, approved, created_at, updated_at)
                  SELECT e.id, 'g@example.org', 'g@example.org', 'Hi', TRUE, e.created_at, e.created_at FROM events e
                  WHERE e.id = :event_id AND :calendar_id > 0""",
    "response": """INSERT INTO responses
                       (event_id, email_address, email_key, response, number, plus_n, opt_in, version, created_at, updated_at)
                   SELECT e.id, 'g@example.org', 'g@example.org', 'YES', 1, 0, FALSE, 1, e.created_at, e.created_at FROM events e
                   WHERE e.id = :event_id AND :calendar_id > 0""",
}
CHANGES = {
    "comment": "UPDATE comments SET comment = 'Changed' WHERE event_id = :event_id AND :calendar_id > 0",
    "removal": "DELETE FROM comments WHERE event_id = :event_id AND :calendar_id > 0",
    "publication": "UPDATE events SET public = TRUE WHERE id = :event_id AND :calendar_id > 0",
    "share": "DELETE FROM calendar_shares WHERE calendar_id = :calendar_id AND :event_id > 0",
}
# Without the entries that these triggers write, no follower learns of what was deleted, or that a right was taken away.
TOMBSTONES = ("placements", "placements_sync_delete")
REVOCATIONS = ("calendar_shares", "calendar_shares_sync_delete")


def _followers(cast: Cast, calendar_id: int) -> list[Follower]:
    people = (cast.alice, cast.bob, cast.vera)
    return [*map(Follower, people), *(Follower(client, calendar_id) for client in (*people, cast.carol, cast.anonymous))]


def _agree(followers: list[Follower]) -> None:
    for follower in followers:
        expected = follower.listing()
        stale = follower.records.keys() - expected.keys()
        assert stale == set(), f"{follower} was not told that these are gone"
        assert expected.keys() - follower.records.keys() == set(), f"{follower} was not told of these"
        assert follower.records == expected


def _walk(cast: Cast, random: Random, steps: int, compare_steps: int = COMPARE_STEPS) -> None:
    """Let people do things at random, while followers read on now and then; at the end, all of them agree with a listing."""
    calendar_id = a_calendar(cast.alice, public=True)["id"]
    writers = Writers([cast.alice, cast.bob, cast.vera], random)
    followers = _followers(cast, calendar_id)
    for step in range(1, steps + 1):
        writers.act()
        if cast.alice.get(f"/api/calendars/{calendar_id}").status != 200:
            # It was deleted, so nobody can follow it.
            followers = followers[:3]
        elif cast.anonymous.get(f"/api/calendars/{calendar_id}").status != 200:
            cast.alice.put(f"/api/calendars/{calendar_id}", json={"public": True})
        if random.random() < FOLLOW_RATE:
            random.choice(followers).follow(limit=random.randrange(1, 20))
        if step % compare_steps == 0 or step == steps:
            for follower in followers:
                follower.follow(limit=random.randrange(1, 50))
            _agree(followers)
    assert writers.done > steps / 10


def test_a_listing_has_all_pages(cast: Cast, db: Database) -> None:
    """In 100,000 writes, an event may get more comments than a page has."""
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    with db.write() as tx:
        for _ in range(501):
            tx.run(ADDITIONS["comment"], event_id=event["id"], calendar_id=1)
    follower.follow()
    assert len(follower.records) > 501
    _agree([follower])


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 30))])
def test_followers_hold_what_a_listing_holds(cast: Cast, db: Database, soak: bool, seed: int) -> None:
    _walk(cast, Random(seed), 1_000 if soak else 120)
    others = "SELECT count(*) FROM placements p JOIN placements o ON o.event_id = p.event_id AND o.calendar_id <> p.calendar_id"
    with db.read() as tx:
        assert tx.value(others) > 0 or not soak
        assert tx.value(f"{others} WHERE NOT p.has_others") == 0


@pytest.mark.parametrize(
    ("table", "trigger"),
    [
        TOMBSTONES,
        REVOCATIONS,
        *(
            pytest.param(table, f"{table}_sync_{trigger}", marks=pytest.mark.soak)
            for table, trigger in [
                ("placements", "insert"),
                ("events", "update"),
                # Not that of deleted events: what it writes, the triggers of comments, responses and placements write, too.
                ("comments", "update"),
                ("responses", "delete"),
                ("calendar_shares", "insert"),
                ("calendar_shares", "update"),
            ]
        ),
    ],
)
@pytest.mark.on_one_database
def test_a_missing_trigger_is_noticed(cast: Cast, db: Database, table: str, trigger: str) -> None:
    """So the walk can fail: without a tombstone, or without the entries of a right that is granted or revoked."""
    with without_trigger(db, table, trigger), pytest.raises(AssertionError, match=NOTICED):
        _walk(cast, Random(1), 1_000, SOON)


def test_followers_of_slow_writers_hold_what_a_listing_holds(cast: Cast, monkeypatch: pytest.MonkeyPatch, soak: bool) -> None:
    """Some of their transactions are committed late: on PostgreSQL, after others that began later."""
    with SlowWriters(cast, WRITERS if soak else FEW_WRITERS, Random(1), monkeypatch) as writers:
        writers.write(100_000 if soak else 300)
    _agree(writers.followers)


@pytest.mark.soak
@pytest.mark.parametrize("defect", ["tombstones", "revocations", "numbers at insert"])
def test_a_defect_is_noticed_with_slow_writers(cast: Cast, db: Database, monkeypatch: pytest.MonkeyPatch, defect: str) -> None:
    if defect == "numbers at insert" and not isinstance(db, Postgres):
        pytest.skip("SQLite has one writer at a time")
    with SlowWriters(cast, WRITERS, Random(1), monkeypatch) as writers, _planted(db, defect):
        writers.write(3_000)
    with pytest.raises(AssertionError, match=NOTICED):
        _agree(writers.followers)


@pytest.mark.on_postgres
@pytest.mark.parametrize("writers", [4])
def test_a_slow_transaction_is_not_skipped(cast: Cast, db: Database, writers: int) -> None:
    """Its entries have lower numbers than those that others commit before it. Numbered at the insert, they would be skipped."""
    _follow_slow_transaction(cast, db, writers)
    with _planted(db, "numbers at insert"), pytest.raises(AssertionError):
        _follow_slow_transaction(cast, db, writers)


def _follow_slow_transaction(cast: Cast, db: Database, writers: int) -> None:
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    with db.write() as tx:
        tx.run("UPDATE events SET title = 'Slow' WHERE id = :id", id=event["id"])
        others = [Thread(target=an_event, args=(cast.alice,)) for _ in range(writers)]
        for other in others:
            other.start()
        for other in others:
            other.join(30)
        follower.follow(settles=False)
    follower.follow()
    assert follower.records["event", event["id"]]["title"] == "Slow"
    _agree([follower])


@pytest.mark.on_postgres
@pytest.mark.parametrize("record", ["event", "comment"])
def test_what_is_added_while_a_right_is_taken_away_is_gone(cast: Cast, db: Database, record: str) -> None:
    """It is added by a transaction that began earlier, and is committed first: the follower reads it before the right is gone."""
    calendar, event = a_calendar(cast.alice), an_event(cast.alice, public=True)
    shared(cast.alice, calendar, cast.bob, "editor")
    if record == "comment":
        cast.alice.put(f"/api/events/{event['id']}/add", json={"calendar_id": calendar["id"]})
    follower = Follower(cast.bob)
    _write_together(db, ADDITIONS[record], CHANGES["share"], follower, event_id=event["id"], calendar_id=calendar["id"])
    follower.follow()
    _agree([follower])


@pytest.mark.on_postgres
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ADDITIONS["comment"], ADDITIONS["event"]),
        (ADDITIONS["event"], ADDITIONS["comment"]),
        (ADDITIONS["response"], ADDITIONS["event"]),
        (ADDITIONS["event"], ADDITIONS["response"]),
        (ADDITIONS["event"], CHANGES["comment"]),
        (ADDITIONS["event"], CHANGES["removal"]),
    ],
    ids=["comment first", "comment", "response first", "response", "changed comment", "removed comment"],
)
def test_what_is_written_of_an_event_while_it_is_added_to_a_calendar_is_synced_there(
    cast: Cast, db: Database, first: str, second: str
) -> None:
    calendar, event = a_calendar(cast.alice), an_event(cast.alice)
    cast.alice.post("/api/comments", json={"event_id": event["id"], "comment": "Before"})
    follower = Follower(cast.alice, calendar["id"])
    _write_together(db, first, second, follower, event_id=event["id"], calendar_id=calendar["id"])
    follower.follow()
    _agree([follower])


@pytest.mark.on_postgres
def test_a_comment_on_an_event_that_is_published_meanwhile_is_synced_to_strangers(cast: Cast, db: Database) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"], public=False)
    follower = Follower(cast.anonymous, calendar["id"])
    _write_together(db, ADDITIONS["comment"], CHANGES["publication"], follower, event_id=event["id"], calendar_id=calendar["id"])
    follower.follow()
    assert {kind for kind, _ in follower.records} == {"calendar", "event", "comment"}
    _agree([follower])


def _write_together(db: Database, first: str, second: str, follower: Follower, **params: int) -> None:
    """Run both in transactions of their own: the second begins later, and the follower reads on between the commits."""
    ran, may_commit = Event(), Event()

    def run_second() -> None:
        with db.write() as tx:
            tx.run(second, **params)
            ran.set()
            may_commit.wait(10)

    with ThreadPoolExecutor(1) as threads:
        with db.write() as tx:
            tx.run(first, **params)
            running = threads.submit(run_second)
            ran.wait(0.5)
        follower.follow(settles=False)
        may_commit.set()
        running.result(10)


@contextmanager
def _planted(db: Database, defect: str) -> Iterator[None]:
    if defect != "numbers at insert":
        with without_trigger(db, *(TOMBSTONES if defect == "tombstones" else REVOCATIONS)):
            yield
        return
    # As if no transaction could be committed after one that began later.
    with pytest.MonkeyPatch.context() as patch:
        newest = "SELECT tx, id FROM sync_entries ORDER BY id DESC LIMIT 1"
        patch.setattr(type(db), "last_sync_entry", lambda _: newest)
        yield
