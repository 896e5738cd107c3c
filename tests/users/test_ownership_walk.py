"""Random walks of shares, roles, transfers, events and deleted accounts: an event that somebody else could edit is never removed with an
account, and the others come back from the trash as they were."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from tests.cast import PASSWORD, Cast, Person, a_calendar, an_event, an_ownership_offer, shared
from tests.conftest import Clock
from tests.site.administrator import Admin

STEPS = 90
PEOPLE = 4


@dataclass
class Shelf:
    """What the oracle knows of a calendar: its owner, and its other members in the order of their shares."""

    id: int
    owner: Person
    roles: dict[Person, str] = field(default_factory=dict)
    event_ids: set[int] = field(default_factory=set)
    is_primary: bool = False

    @property
    def editors(self) -> list[Person]:
        return [person for person, role in self.roles.items() if role in ("editor", "manager")]

    @property
    def heir(self) -> Person | None:
        """Who gets it when the account of its owner is deleted: managers before editors, the first in the order of the shares."""
        return next(iter(sorted(self.editors, key=lambda person: self.roles[person] != "manager")), None)


class World:
    """The service and the oracle, which are changed together."""

    def __init__(self, cast: Cast, random: Random):
        self.cast, self.random = cast, random
        self.people: list[Person] = []
        self.shelves: list[Shelf] = []
        self.admin = Admin(cast.anonymous, "ada")
        self.kept = self.transfers = self.given = 0
        for _ in range(PEOPLE):
            self._enter()

    def _enter(self) -> None:
        person = Person(self.cast.anonymous, "walker")
        self.people.append(person)
        self.shelves.append(Shelf(person.primary_calendar_id, person, is_primary=True))

    def add_calendar(self) -> None:
        owner = self.random.choice(self.people)
        self.shelves.append(Shelf(a_calendar(owner)["id"], owner))

    def share(self) -> None:
        shelf, person = self.random.choice(self.shelves), self.random.choice(self.people)
        if person is shelf.owner:
            return
        role = self.random.choice(["viewer", "editor", "editor", "manager"])
        managers = [each for each, role in shelf.roles.items() if role == "manager" and each is not person]
        shared(self.random.choice([shelf.owner, *managers]), {"id": shelf.id}, person, role)
        shelf.roles[person] = role

    def unshare(self) -> None:
        shelf = self.random.choice(self.shelves)
        if not shelf.roles:
            return
        person = self.random.choice(list(shelf.roles))
        sender = self.random.choice([shelf.owner, person])
        reply = sender.put(f"/api/calendars/{shelf.id}/unshare", json={"user_name": person.user_name})
        assert reply.status == 200, reply
        del shelf.roles[person]

    def hand_over(self) -> None:
        """Offer a calendar to somebody; the offer is accepted or declined."""
        shelf, person = self.random.choice(self.shelves), self.random.choice(self.people)
        if shelf.is_primary or person is shelf.owner:
            return
        offer = an_ownership_offer(shelf.owner, {"id": shelf.id}, person)
        accepted = self.random.random() < 0.7
        reply = person.put(f"/api/ownership_offers/{offer['id']}", json={"accepted": accepted})
        assert reply.status == 200, reply
        if accepted:
            former, shelf.owner = shelf.owner, person
            shelf.roles.pop(person, None)
            shelf.roles[former] = "manager"
            self.transfers += 1

    def add_event(self) -> None:
        shelf = self.random.choice(self.shelves)
        shelf.event_ids.add(an_event(self.random.choice([shelf.owner, *shelf.editors]), calendar_id=shelf.id)["id"])

    def delete_account(self) -> None:
        person = self.people.pop(self.random.randrange(len(self.people)))
        fields: dict[str, Any] = {"current_password": PASSWORD, "erase": self.random.random() < 0.3}
        reply = person.delete(f"/api/users/{person.id}", json=fields)
        assert reply.status == 200, reply
        expected: dict[int, str | None] = {}
        deleted: list[Shelf] = []
        for shelf in list(self.shelves):
            shelf.roles.pop(person, None)
            if shelf.owner is not person:
                continue
            heir = shelf.heir
            expected[shelf.id] = heir.user_name if heir else None
            if heir is None:
                deleted.append(shelf)
                continue
            shelf.owner, shelf.is_primary = heir, False
            del shelf.roles[heir]
            self.kept += len(shelf.event_ids)
        assert {each["calendar_id"]: each["user_name"] for each in reply.json["calendars"]} == expected
        self._enter()
        for shelf in deleted:
            self._give(shelf)

    def _give(self, shelf: Shelf) -> None:
        """Give a calendar that was deleted with its owner's account to somebody, unless it is empty, or leave it in the trash."""
        person = self.random.choice(self.people)
        if not shelf.event_ids or self.random.random() < 0.4:
            self.shelves.remove(shelf)
            return
        given = {"user_name": person.user_name, "current_password": PASSWORD}
        reply = self.admin.put(f"/api/admin/deleted_calendars/{shelf.id}", json=given)
        assert reply.status == 200, reply
        shelf.owner, shelf.is_primary = person, False
        shelf.roles.pop(person, None)
        self.given += len(shelf.event_ids)

    def check(self) -> None:
        """Everybody has the calendars of the oracle with their roles, and sees and edits exactly its events."""
        for person in self.people:
            listed = person.get("/api/calendars?limit=100").json["calendars"]
            roles = {shelf.id: "owner" if shelf.owner is person else shelf.roles.get(person) for shelf in self.shelves}
            assert {each["id"]: each["role"] for each in listed} == {each: role for each, role in roles.items() if role}
            events = person.get("/api/events?limit=100&fields=id").json["events"]
            assert {each["id"] for each in events} == {each for shelf in self.shelves if roles[shelf.id] for each in shelf.event_ids}
        for shelf in self.shelves:
            for event_id in shelf.event_ids:
                assert shelf.owner.put(f"/api/events/{event_id}", json={"title": "Concert"}).status == 200


SEEDS = [
    1,
    *(pytest.param(seed, marks=pytest.mark.on_one_database) for seed in (2, 3)),
    *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(4, 30)),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_account_takes_nothing_with_it_that_others_could_edit(cast: Cast, seed: int, clock: Clock) -> None:
    random = Random(seed)
    world = World(cast, random)
    steps = [world.add_calendar] + [world.share] * 6 + [world.unshare] + [world.add_event] * 5
    steps += [world.hand_over] * 3 + [world.delete_account] * 2
    for _ in range(STEPS):
        clock.ahead(1)
        step = random.choice(steps)
        step()
        if step == world.delete_account:
            world.check()
    world.check()
    assert world.kept > 0
    assert world.transfers > 0
    assert world.given > 0
