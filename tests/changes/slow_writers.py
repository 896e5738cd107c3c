"""Writers that work at the same time, some of whose transactions are committed late, and followers that read on meanwhile."""

import threading
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from kalends.db.postgres.transaction import PostgresTransaction
from kalends.db.sqlite.transaction import WriteTransaction
from tests.cast import Cast, Person, a_calendar
from tests.changes.follower import Follower
from tests.changes.writers import Writers

# Which kinds of records a follower asks for; what says how events repeat is of a kind of its own.
KINDS = ((), (), ("event", "series"), ("event", "series", "comment"), ("comment", "response"), ("calendar", "contact"))
SLOW_RATE, SLOW_SECONDS = 0.03, 0.02
# The lists of a writer are read anew after this many actions, and are not longer than a listing can be.
REFRESH_ACTIONS = 20
MAX_EVENTS, MAX_CALENDARS = 60, 6


class BusyWriter(Writers):
    """One of the writers, who seldom looks, and deletes what is too much."""

    def __init__(self, people: list[Person], random: Random, actor: Person, fixed_calendar_id: int):
        super().__init__(people, random, actor)
        self._fixed_calendar_id = fixed_calendar_id
        self._ids: dict[str, list[int]] = defaultdict(list)
        self._actions = 0

    def act(self) -> None:
        if self._actions % REFRESH_ACTIONS == 0:
            assert self.actor
            for name in ("events", "calendars"):
                self._ids[name] = [item["id"] for item in self.actor.get(f"/api/{name}?limit=500").json[name]]
        self._actions += 1
        super().act()

    def _event(self, person: Person) -> int:
        return self.random.choice(self._ids["events"] or [0])

    def _calendar(self, person: Person) -> int:
        return self.random.choice(self._ids["calendars"])

    def _create(self, person: Person) -> Any:
        return self._delete(person) if len(self._ids["events"]) > MAX_EVENTS else super()._create(person)

    def _repeat(self, person: Person) -> Any:
        return self._delete_series(person) if len(self._ids["events"]) > MAX_EVENTS else super()._repeat(person)

    def _publish_calendar(self, person: Person) -> Any:
        calendar_id = self._calendar(person)
        if calendar_id == self._fixed_calendar_id:
            return None
        return person.put(f"/api/calendars/{calendar_id}", json={"public": self._flag()})

    def _delete_calendar(self, person: Person) -> Any:
        calendar_id = self._calendar(person)
        if len(self._ids["calendars"]) < MAX_CALENDARS:
            return person.post("/api/calendars", json={"name": self._text(), "public": self._flag()})
        return person.delete(f"/api/calendars/{calendar_id}") if calendar_id != self._fixed_calendar_id else None


class SlowWriters:
    """Use it as a context manager: within the block, commits are slow; at its end, the followers have read everything."""

    def __init__(self, cast: Cast, count: int, random: Random, monkeypatch: pytest.MonkeyPatch):
        self._random = random
        self._monkeypatch = monkeypatch
        self._has_failed = False
        people = [cast.alice, *(Person(cast.anonymous, f"writer{number}") for number in range(1, count))]
        # It is public for as long as someone follows it.
        calendar_id = a_calendar(cast.alice, public=True)["id"]
        self._writers = [BusyWriter(people, Random(random.random()), person, calendar_id) for person in people]
        scopes = [(person, None) for person in people[:6]] + [(client, calendar_id) for client in (*people[:4], cast.carol, cast.anonymous)]
        self.followers = [Follower(client, scope, random.choice(KINDS)) for client, scope in scopes]

    @property
    def done(self) -> int:
        return sum(writer.done for writer in self._writers)

    def __enter__(self) -> "SlowWriters":
        commit, leave = PostgresTransaction.commit, WriteTransaction.__exit__

        def commit_late(tx: PostgresTransaction) -> None:
            self._hesitate()
            commit(tx)

        def leave_late(transaction: WriteTransaction, kind: object, error: BaseException | None, trace: object) -> None:
            self._hesitate()
            leave(transaction, kind, error, trace)

        self._monkeypatch.setattr(PostgresTransaction, "commit", commit_late)
        self._monkeypatch.setattr(WriteTransaction, "__exit__", leave_late)
        return self

    def __exit__(self, *error: object) -> None:
        self._monkeypatch.undo()
        for follower in self.followers:
            follower.follow()

    def write(self, writes: int) -> None:
        """Let the writers write until this many writes have succeeded or one failed, while the followers read on."""
        with ThreadPoolExecutor(len(self._writers)) as threads:
            running: list[Future[None]] = [threads.submit(self._act, writer, writes) for writer in self._writers]
            while not all(future.done() for future in running):
                self._random.choice(self.followers).follow(self._random.randrange(1, 200), settles=False)
            for future in running:
                future.result()

    def _act(self, writer: BusyWriter, writes: int) -> None:
        while self.done < writes and not self._has_failed:
            try:
                writer.act()
            except BaseException:
                self._has_failed = True
                raise

    def _hesitate(self) -> None:
        if self._random.random() < SLOW_RATE:
            threading.Event().wait(SLOW_SECONDS)
