"""A device that follows a calendar by sync-collection, and people who write by CalDAV."""

from random import Random
from typing import Any

from tests.cast import Person
from tests.changes.follower import settle
from tests.changes.writers import Writers
from tests.client import Reply
from tests.dav.clients import D, calendar_path, propfind, report, responses, tree
from tests.dav.test_write import ALARM, RULE, ics, put

ACTIONS = ("put", "put", "put", "put_series", "put_task", "change", "change", "change_alarm", "delete", "move", "copy", "leave")
# Half of the time people use the API or the pages.
DAV_RATE = 0.5


class Device:
    """Holds the ETags of one calendar by the names of its resources."""

    def __init__(self, person: Person, calendar_id: int, random: Random):
        self.person = person
        self.calendar_id = calendar_id
        self.random = random
        self.token = ""
        self.etags: dict[str, str] = {}
        self.refusals = 0

    def __str__(self) -> str:
        return f"the device of {self.person.user_name} with calendar {self.calendar_id}"

    @property
    def path(self) -> str:
        return calendar_path(self.person, self.calendar_id)

    def listing(self) -> dict[str, str] | None:
        """What it would have if it listed the calendar anew; None if the person has no such calendar."""
        reply = propfind(self.person, self.path, "D:getetag", depth="1")
        return None if reply.status == 404 else _etags(reply)

    def sync(self, max_limit: int = 10) -> None:
        """Apply all changes since the token, in parts of random sizes or at once. A calendar that is not there is forgotten, or kept
        until it is there again."""
        settle(self.person)
        if not self.token:
            self.etags = {}
        for _ in range(1_000):
            reply = self._ask(self.random.choice([None, self.random.randrange(1, max_limit)]))
            if reply.status == 404:
                if self.random.random() < 0.5:
                    self.token, self.etags = "", {}
                return
            if reply.status == 403:
                assert tree(reply).find(f"{D}valid-sync-token") is not None, reply
                assert self.token, reply
                self.token, self.etags = "", {}
                self.refusals += 1
            elif self._apply(reply):
                return
        raise AssertionError(f"{self} never has all")

    def _ask(self, limit: int | None) -> Reply:
        bound = f"<D:limit><D:nresults>{limit}</D:nresults></D:limit>" if limit else ""
        inner = f"<D:sync-token>{self.token}</D:sync-token><D:sync-level>1</D:sync-level>{bound}<D:prop><D:getetag/></D:prop>"
        return report(self.person, self.path, "D:sync-collection", inner)

    def _apply(self, reply: Reply) -> bool:
        """Whether there is no more."""
        assert reply.status == 207, reply
        members = responses(reply)
        is_cut = members.pop(str(self.calendar_id), (200, {}))[0] == 507
        for name, (status, _) in members.items():
            if status == 404:
                self.etags.pop(name, None)
        self.etags |= _etags(reply)
        self.token = str(tree(reply).findtext(f"{D}sync-token"))
        return not is_cut


def _etags(reply: Reply) -> dict[str, str]:
    tags = {name: props[f"{D}getetag"].text for name, (_, props) in responses(reply).items() if f"{D}getetag" in props}
    return {name: str(tag) for name, tag in tags.items()}


class DavWriters(Writers):
    """People who do things at random over the API and by CalDAV."""

    def act(self) -> None:
        if self.random.random() > DAV_RATE:
            super().act()
            return
        person = self.random.choice(self.people)
        path = calendar_path(person, self._calendar(person))
        reply = getattr(self, f"_dav_{self.random.choice(ACTIONS)}")(person, path)
        # 503: the database took too long, on a machine that has no time for it, and nothing is written.
        assert reply is None or reply.status < 500 or reply.status == 503, reply
        self.done += reply is not None and reply.status < 300

    def _name(self, person: Person, path: str) -> str:
        """A resource of the calendar, or a name that none has."""
        names = sorted(_etags(propfind(person, path, "D:getetag", depth="1"))) if self._flag() or self._flag() else []
        return self.random.choice([*names, f"{self.random.randrange(30)}.ics"])

    def _dav_put(self, person: Person, path: str, more: str = "", component: str = "VEVENT") -> Any:
        number = self.random.randrange(30)
        file = ics(f"u{number}", title=self._text(), start=f"202606{self.random.randrange(10, 28)}T180000Z", more=more, component=component)
        return put(person, f"{path}{number}.ics", file)

    def _dav_put_series(self, person: Person, path: str) -> Any:
        return self._dav_put(person, path, RULE)

    def _dav_put_task(self, person: Person, path: str) -> Any:
        return self._dav_put(person, path, component="VTODO")

    def _dav_change(self, person: Person, path: str, old: str = "SUMMARY:", new: str = "SUMMARY:New ") -> Any:
        name = self._name(person, path)
        file = person.get(f"{path}{name}")
        return put(person, f"{path}{name}", file.text.replace(old, new)) if file.status == 200 else None

    def _dav_change_alarm(self, person: Person, path: str) -> Any:
        """Nothing that an event here has."""
        return self._dav_change(person, path, "END:VEVENT", f"{ALARM}END:VEVENT")

    def _dav_delete(self, person: Person, path: str) -> Any:
        return person.request("DELETE", f"{path}{self._name(person, path)}")

    def _dav_move(self, person: Person, path: str, method: str = "MOVE") -> Any:
        other = calendar_path(person, self._calendar(person))
        target = f"http://testserver{other}{self.random.randrange(30, 60)}.ics"
        return person.request(method, f"{path}{self._name(person, path)}", headers={"Destination": target})

    def _dav_copy(self, person: Person, path: str) -> Any:
        return self._dav_move(person, path, "COPY")

    def _dav_leave(self, person: Person, path: str) -> Any:
        """The owner of a calendar would delete it."""
        calendar = person.get(f"/api/calendars/{path.split('/')[-2]}").json
        return None if calendar["role"] == "owner" else person.request("DELETE", path)
