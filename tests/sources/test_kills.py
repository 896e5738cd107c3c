"""A worker that is killed within a run, and two workers at once: nothing is lost, and nothing is there twice."""

import signal
import threading
from typing import Any

import pytest

from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.sources.steps.claim import claim_due
from kalends.features.sources.store import LEASE
from kalends.http.context import Context
from tests.cast import Cast, a_calendar, shared
from tests.conftest import Clock
from tests.contacts.providers.stand import Request
from tests.serve.prepared import context
from tests.serve.running import TIMEOUT
from tests.sources import killed
from tests.sources.server import Elsewhere, a_feed, an_event_of_feed, events_of_feed, follow, read_address

MOST_STEPS = 30
HOUR = 3600


def _versions() -> tuple[str, str]:
    """Two versions of a calendar: each has some events that the other has not, and some that differ."""
    common = events_of_feed(6)
    weekly = an_event_of_feed("weekly@club.example", "Weekly", "DTSTART:20260703T180000Z", "RRULE:FREQ=WEEKLY;COUNT=4")
    changed = [each.replace("T180000Z", "T200000Z") for each in common[:3]]
    return (
        a_feed(*common, *events_of_feed(2, "old"), weekly),
        a_feed(*changed, *common[3:], *events_of_feed(3, "new"), weekly.replace("COUNT=4", "COUNT=5")),
    )


def _listed(db: Database, source: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Title and start of each event of the calendar, in the order of both."""
    with db.read() as tx:
        sql = "SELECT title, start_at FROM events WHERE calendar_id = :id ORDER BY 1, 2"
        return [tuple(row) for row in tx.rows(sql, id=source["calendar_id"])]


@pytest.mark.on_one_database
def test_a_worker_that_is_killed_at_every_step_loses_and_doubles_nothing(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    feeds = _versions()
    elsewhere.says(feeds[0])
    source = follow(people.alice, elsewhere)
    states = [_listed(db, source)]
    kills = 0
    now = clock.now
    for step in range(1, MOST_STEPS):
        elsewhere.says(feeds[step % 2])
        now += 7 * HOUR
        worker = context.Process(target=killed.fetch, args=(near, elsewhere.url, now, step))
        worker.start()
        worker.join(TIMEOUT)
        assert worker.exitcode in (0, -signal.SIGKILL)
        was_killed = worker.exitcode != 0
        kills += was_killed
        titles = [title for title, _ in _listed(db, source) if title != "Weekly"]
        assert len(titles) == len(set(titles)), (step, titles)
        now += LEASE + 7 * HOUR
        # Another worker finishes it.
        assert read_address(db, near, elsewhere.url, now) == 1
        if step == 1:
            states.insert(1, _listed(db, source))
        assert _listed(db, source) == states[step % 2], step
        if not was_killed:
            break
    assert states[0] != states[1]
    assert kills >= 8


def test_a_source_is_not_fetched_by_two_workers_at_once(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    source = follow(people.alice, elsewhere)
    clock.ahead(2 * HOUR)
    asked, free = threading.Event(), threading.Event()
    fetched: list[int] = []

    def wait(request: Request) -> None:
        asked.set()
        free.wait(10)
        request.reply(200, a_feed(*events_of_feed(4)))

    elsewhere.behaviour = wait
    before = len(elsewhere.requests)
    worker = threading.Thread(target=lambda: fetched.append(read_address(db, near, elsewhere.url, clock.now)))
    worker.start()
    assert asked.wait(10)
    assert not any(elsewhere.url == each.feed_url for sources in claim_due(Context(db, near, clock.now), 1) for each in sources)
    assert read_address(db, near, elsewhere.url, clock.now) == 0
    # Nor by hand.
    assert people.alice.post(f"/api/sources/{source['id']}/runs").status == 429
    free.set()
    worker.join(10)
    assert (fetched, len(elsewhere.requests) - before) == ([1], 1)
    runs = people.alice.get(f"/api/sources/{source['id']}/runs").json["runs"]
    assert [run["created"] for run in runs] == [1, 3]


def test_an_address_is_fetched_once_for_all_who_follow_it(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    sources = [follow(who, elsewhere) for who in (people.alice, people.bob, people.carol)]
    elsewhere.says(a_feed(*events_of_feed(4)))
    before = len(elsewhere.requests)
    assert read_address(db, near, elsewhere.url, clock.now + 2 * HOUR) == 3
    assert len(elsewhere.requests) == before + 1
    assert [len(_listed(db, source)) for source in sources] == [4, 4, 4]


def test_a_run_that_lost_its_source_writes_nothing(people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings) -> None:
    elsewhere.says(a_feed(*events_of_feed(3)))
    source = follow(people.alice, elsewhere)

    def end_and_reply(request: Request) -> None:
        assert people.alice.delete(f"/api/sources/{source['id']}").status == 200
        request.reply(200, a_feed(*events_of_feed(5)))

    elsewhere.behaviour = end_and_reply
    assert read_address(db, near, elsewhere.url, clock.now + 2 * HOUR) == 1
    assert len(_listed(db, source)) == 3


def test_who_may_no_longer_edit_the_calendar_no_longer_follows_for_it(
    people: Cast, elsewhere: Elsewhere, clock: Clock, db: Database, near: Settings
) -> None:
    calendar = a_calendar(people.alice, name="Town")
    shared(people.alice, calendar, people.bob, "editor")
    elsewhere.says(a_feed(*events_of_feed(2)))
    source = follow(people.bob, elsewhere, calendar_id=calendar["id"])
    assert people.alice.put(f"/api/calendars/{calendar['id']}/unshare", json={"user_name": people.bob.user_name}).status == 200
    elsewhere.says(a_feed(*events_of_feed(3)))
    read_address(db, near, elsewhere.url, clock.now + 2 * HOUR)
    shown = people.alice.get(f"/api/sources/{source['id']}").json
    assert (shown["state"], shown["paused"]) == ("paused", "access")
    assert len(_listed(db, source)) == 2
