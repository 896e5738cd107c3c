"""Which messages a worker sends next: those that someone waits for, then those of each organiser in turn."""

from collections import Counter
from collections.abc import Iterator

import pytest

from kalends.core.records.delivery import Delivery
from kalends.core.settings import Settings
from kalends.db import Database
from kalends.features.deliveries import claim_store as claims
from kalends.http.context import Context
from tests.cast import Cast, Person
from tests.conftest import Clock

LEASE = 120


class Queue:
    """The deliveries of the test, and a worker that claims them."""

    def __init__(self, db: Database, settings: Settings, now: int):
        self._ctx = Context(db, settings, now)

    def add(self, owner: Person, number: int, kind: str = "announce", wait: int = 0) -> None:
        with self._ctx.write() as tx:
            tx.many(
                """INSERT INTO deliveries (owner_id, kind, channel, address, address_key, public, state, attempts, due_at, created_at,
                                           updated_at)
                   VALUES (:owner_id, :kind, 'email', 'x@example.org', 'x@example.org', TRUE, 'queued', 0, :due_at, 1, 1)""",
                [{"owner_id": owner.id, "kind": kind, "due_at": self._ctx.now + wait - number + n} for n in range(number)],
            )

    def claim(self, limit: int, after: int = 0) -> list[Delivery]:
        with self._ctx.write():
            return claims.claim(self._ctx, "email", LEASE, limit, after)

    def clear(self) -> None:
        with self._ctx.write() as tx:
            tx.run("DELETE FROM deliveries WHERE state IN ('queued', 'sending')")


@pytest.fixture
def waiting(cast: Cast, db: Database, settings: Settings, clock: Clock) -> Iterator[Queue]:
    queue = Queue(db, settings, clock.now)
    queue.clear()
    yield queue
    queue.clear()


def test_the_message_of_another_organiser_does_not_wait_for_a_thousand(cast: Cast, waiting: Queue) -> None:
    waiting.add(cast.alice, 1_000)
    waiting.add(cast.bob, 1)
    assert Counter(each.owner_id for each in waiting.claim(8)) == {cast.alice.id: 7, cast.bob.id: 1}
    assert {each.owner_id for each in waiting.claim(8)} == {cast.alice.id}


def test_organisers_share_what_is_sent(cast: Cast, waiting: Queue) -> None:
    for person in (cast.alice, cast.bob, cast.carol):
        waiting.add(person, 20)
    assert sorted(Counter(each.owner_id for each in waiting.claim(8)).values()) == [2, 3, 3]
    # One at a time: each in turn.
    owners = [0]
    for _ in range(6):
        owners.append(waiting.claim(1, owners[-1])[0].owner_id)
    assert owners[1:4] == owners[4:] == sorted([cast.alice.id, cast.bob.id, cast.carol.id])


def test_what_somebody_waits_for_comes_before_the_other_messages_of_the_same_organiser(cast: Cast, waiting: Queue) -> None:
    waiting.add(cast.alice, 100)
    for kind in ("link", "confirm", "send_to_me"):
        waiting.add(cast.alice, 1, kind)
    assert sorted(each.kind for each in waiting.claim(4)) == ["announce", "confirm", "link", "send_to_me"]


@pytest.mark.parametrize("kind", ["reset", "verify"])
def test_a_password_reset_comes_before_everything_else_that_waits(cast: Cast, waiting: Queue, kind: str) -> None:
    for person in (cast.alice, cast.bob):
        waiting.add(person, 50, "send_to_me")
        waiting.add(person, 50)
    # It is the newest of all, and the last owner in turn has it.
    last = max((cast.alice, cast.bob, cast.carol), key=lambda person: person.id)
    waiting.add(last, 1, kind)
    assert [each.kind for each in waiting.claim(1)] == [kind]
    waiting.add(cast.carol, 20, kind)
    assert [each.kind for each in waiting.claim(8)] == [kind] * 8


def test_the_messages_of_an_organiser_are_sent_in_their_order(cast: Cast, waiting: Queue) -> None:
    waiting.add(cast.alice, 10)
    numbers = [sorted(each.id for each in waiting.claim(5)) for _ in range(2)]
    assert numbers[0] + numbers[1] == sorted(numbers[0] + numbers[1])
    assert waiting.claim(5) == []


def test_organisers_whose_messages_are_not_due_do_not_hide_others(cast: Cast, waiting: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "MAX_OWNERS", 1)
    people = sorted((cast.alice, cast.bob), key=lambda person: person.id)
    waiting.add(people[0], 5, wait=100)
    waiting.add(people[1], 1)
    assert [each.owner_id for each in waiting.claim(8)] == [people[1].id]
