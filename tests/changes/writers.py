"""People who change things at random."""

from random import Random
from typing import Any

from tests.cast import Person

ACTIONS = (
    *("create", "create", "create", "retitle", "retitle", "publish", "repeat", "change series", "delete", "delete series"),
    *("place", "remove", "share", "share", "unshare", "comment", "comment", "approve", "respond", "respond", "withdraw", "contact"),
    *("rename calendar", "publish calendar", "delete calendar", "rename user"),
)


class Writers:
    """People who do things at random, to whatever they see; or one of them, the actor. What is refused changes nothing."""

    def __init__(self, people: list[Person], random: Random, actor: Person | None = None):
        self.people = people
        self.random = random
        self.actor = actor
        self.done = 0

    def act(self) -> None:
        person = self.actor or self.random.choice(self.people)
        action = self.random.choice(ACTIONS).replace(" ", "_")
        reply = getattr(self, f"_{action}")(person)
        # 503: the writer waited too long for the others on SQLite, and has written nothing.
        assert reply is None or reply.status < 500 or reply.status == 503, reply
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
