"""A client that follows the cursor holds exactly what a fresh listing holds, whatever happens."""

from random import Random
from threading import Thread
from typing import Any

import pytest

from kalends.db import Database
from kalends.db.postgres.database import Postgres
from tests.cast import Cast, Person, a_calendar, an_event
from tests.changes.follower import Follower, listing

FOLLOW_RATE = 0.1
ACTIONS = (
    *("create", "create", "create", "retitle", "retitle", "publish", "repeat", "change series", "delete", "delete series"),
    *("place", "remove", "share", "share", "unshare", "comment", "comment", "approve", "respond", "respond", "withdraw", "contact"),
    *("rename calendar", "publish calendar", "delete calendar", "rename user"),
)


class Writers:
    """People who do things at random, to whatever they see. What is refused changes nothing."""

    def __init__(self, people: list[Person], random: Random):
        self.people = people
        self.random = random
        self.done = 0

    def act(self) -> None:
        person = self.random.choice(self.people)
        action = self.random.choice(ACTIONS).replace(" ", "_")
        reply = getattr(self, f"_{action}")(person)
        assert reply is None or reply.status < 500, reply
        self.done += reply is not None and reply.status < 300

    def _event(self, person: Person) -> int:
        events = person.get("/api/events?limit=500&fields=id").json["events"]
        return int(self.random.choice(events)["id"]) if events else 0

    def _calendar(self, person: Person) -> int:
        calendars = person.get("/api/calendars?limit=500").json["calendars"]
        return int(self.random.choice(calendars)["id"])

    def _text(self) -> str:
        return f"Text {self.random.randrange(1_000)}"

    def _flag(self) -> bool:
        return self.random.random() < 0.5

    def _create(self, person: Person) -> Any:
        start = f"2026-06-{self.random.randrange(1, 28):02}T20:00"
        event = {"title": self._text(), "start_time": start, "public": self._flag(), "calendar_id": self._calendar(person)}
        return person.post("/api/events", json=event)

    def _retitle(self, person: Person) -> Any:
        return person.put(f"/api/events/{self._event(person)}", json={"title": self._text()})

    def _publish(self, person: Person) -> Any:
        return person.put(f"/api/events/{self._event(person)}", json={"public": self._flag()})

    def _repeat(self, person: Person) -> Any:
        rule = {"frequency": "WEEKLY", "count": self.random.randrange(1, 4)}
        return person.put(f"/api/events/{self._event(person)}/repeat", json=rule)

    def _change_series(self, person: Person) -> Any:
        scope = self.random.choice(["this", "following", "all"])
        return person.put(f"/api/events/{self._event(person)}", json={"title": self._text(), "scope": scope})

    def _delete(self, person: Person) -> Any:
        return person.delete(f"/api/events/{self._event(person)}")

    def _delete_series(self, person: Person) -> Any:
        return person.delete(f"/api/events/{self._event(person)}?scope={self.random.choice(['following', 'all'])}")

    def _place(self, person: Person) -> Any:
        return person.put(f"/api/events/{self._event(person)}/add", json={"calendar_id": self._calendar(person)})

    def _remove(self, person: Person) -> Any:
        return person.put(f"/api/events/{self._event(person)}/remove", json={"calendar_id": self._calendar(person)})

    def _share(self, person: Person) -> Any:
        friend, role = self.random.choice(self.people), self.random.choice(["viewer", "editor"])
        return person.put(f"/api/calendars/{self._calendar(person)}/share", json={"user_name": friend.user_name, "role": role})

    def _unshare(self, person: Person) -> Any:
        friend = self.random.choice(self.people)
        return person.put(f"/api/calendars/{self._calendar(person)}/unshare", json={"user_name": friend.user_name})

    def _comment(self, person: Person) -> Any:
        return person.post("/api/comments", json={"event_id": self._event(person), "comment": self._text()})

    def _approve(self, person: Person) -> Any:
        comments = person.get("/api/comments").json["comments"]
        if comments:
            approved = {"approved": self._flag(), "comment": self._text()}
            return person.put(f"/api/comments/{self.random.choice(comments)['id']}", json=approved)
        return None

    def _respond(self, person: Person) -> Any:
        return person.post("/api/responses", json={"event_id": self._event(person), "response": self.random.choice(["YES", "NO"])})

    def _withdraw(self, person: Person) -> Any:
        own = person.get("/api/responses").json["responses"]
        return person.delete(f"/api/responses/{self.random.choice(own)['id']}") if own else None

    def _contact(self, person: Person) -> Any:
        contacts = person.get("/api/contacts").json["contacts"]
        if contacts and self._flag():
            return person.delete(f"/api/contacts/{self.random.choice(contacts)['id']}")
        return person.post("/api/contacts", json={"first_name": self._text()})

    def _rename_calendar(self, person: Person) -> Any:
        return person.put(f"/api/calendars/{self._calendar(person)}", json={"name": self._text()})

    def _publish_calendar(self, person: Person) -> Any:
        return person.put(f"/api/calendars/{self._calendar(person)}", json={"public": self._flag()})

    def _delete_calendar(self, person: Person) -> Any:
        if self.random.random() < 0.8:
            return person.post("/api/calendars", json={"name": self._text(), "public": self._flag()})
        return person.delete(f"/api/calendars/{self._calendar(person)}")

    def _rename_user(self, person: Person) -> Any:
        return person.put(f"/api/users/{person.id}", json={"name": self._text()})


def _followers(cast: Cast, calendar_id: int) -> list[Follower]:
    people = (cast.alice, cast.bob, cast.vera)
    return [*map(Follower, people), *(Follower(client, calendar_id) for client in (*people, cast.carol, cast.anonymous))]


def _agree(followers: list[Follower]) -> None:
    for follower in followers:
        expected = listing(follower.client, follower.calendar_id)
        stale = follower.records.keys() - expected.keys()
        assert stale == set(), "the follower was not told that these are gone"
        assert expected.keys() - follower.records.keys() == set(), "the follower was not told of these"
        assert follower.records == expected


def _walk(cast: Cast, random: Random, steps: int) -> None:
    """Let people do things at random, while followers read on now and then; at the end, all of them agree with a listing."""
    calendar_id = a_calendar(cast.alice, public=True)["id"]
    writers = Writers([cast.alice, cast.bob, cast.vera], random)
    followers = _followers(cast, calendar_id)
    for _ in range(steps):
        writers.act()
        if cast.alice.get(f"/api/calendars/{calendar_id}").status != 200:
            # It was deleted, so nobody can follow it.
            followers = followers[:3]
        elif cast.anonymous.get(f"/api/calendars/{calendar_id}").status != 200:
            cast.alice.put(f"/api/calendars/{calendar_id}", json={"public": True})
        if random.random() < FOLLOW_RATE:
            random.choice(followers).follow(limit=random.randrange(1, 20))
    assert writers.done > steps / 10
    for follower in followers:
        follower.follow(limit=random.randrange(1, 50))
    _agree(followers)


@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 30))])
def test_followers_hold_what_a_listing_holds(cast: Cast, soak: bool, seed: int) -> None:
    _walk(cast, Random(seed), 1_000 if soak else 120)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("table", "trigger"),
    [
        ("placements", "placements_sync_delete"),
        ("placements", "placements_sync_insert"),
        ("events", "events_sync_update"),
        ("events", "events_sync_delete"),
        ("comments", "comments_sync_update"),
        ("responses", "responses_sync_delete"),
        ("calendar_shares", "calendar_shares_sync_delete"),
        ("calendar_shares", "calendar_shares_sync_insert"),
        ("calendar_shares", "calendar_shares_sync_update"),
    ],
)
def test_a_missing_trigger_is_noticed(cast: Cast, db: Database, table: str, trigger: str) -> None:
    """So the walk can fail: without a tombstone, or without the entries of a right that is given or taken away."""
    with db.write() as tx:
        tx.script(f"DROP TRIGGER {trigger} ON {table}" if isinstance(db, Postgres) else f"DROP TRIGGER {trigger}")
    with pytest.raises(AssertionError, match=r"was not told|Differing items"):
        _walk(cast, Random(1), 1_000)


@pytest.mark.parametrize("writers", [4])
def test_a_slow_transaction_is_not_skipped(cast: Cast, db: Database, writers: int) -> None:
    """Its entries have lower numbers than those that others commit before it."""
    if not isinstance(db, Postgres):
        pytest.skip("SQLite has one writer at a time")
    event = an_event(cast.alice)
    follower = Follower(cast.alice)
    with db.write() as tx:
        tx.run("UPDATE events SET title = 'Slow' WHERE id = :id", id=event["id"])
        others = [Thread(target=an_event, args=(cast.alice,)) for _ in range(writers)]
        for other in others:
            other.start()
        for other in others:
            other.join(30)
        follower.follow()
    follower.follow()
    assert follower.records["event", event["id"]]["title"] == "Slow"
    _agree([follower])
