"""Every page that is read after a write shows it, whichever process serves it."""

import random
from dataclasses import dataclass, field

import pytest

from tests.serve.conftest import Start
from tests.serve.running import Running, bearer

# Every connection is another one, and the kernel spreads connections over the processes.
READS = 2


@dataclass
class Expected:
    """What guests should find: the titles of the public events by id, and the texts of their comments."""

    titles: dict[int, str] = field(default_factory=dict)
    comments: dict[int, list[str]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


class Walk:
    """Three people who write, and guests who read after each write."""

    def __init__(self, service: Running, chance: random.Random):
        self._service, self._chance = service, chance
        self._people = [bearer(service.sign_up(name)) for name in ("alice", "bob", "carol")]
        alice = self._people[0]
        calendar = service.post("/api/calendars", {"name": "Club", "public": True, "moderation": "none"}, headers=alice).json
        self._calendar_id = calendar["id"]
        share = {"user_name": "bob", "role": "editor"}
        assert service.request("PUT", f"/api/calendars/{self._calendar_id}/share", share, alice).status == 200
        self._expected, self._number = Expected(), 0

    def step(self) -> None:
        """One random write of one person, and the reads after it."""
        if len(self._expected.titles) < 3:
            self._create()
        else:
            self._chance.choice([self._create, self._rename, self._rename, self._comment, self._comment, self._delete])()
        self._read()

    def _new(self, word: str) -> str:
        self._number += 1
        return f"{word} {self._number:03}"

    def _editor(self) -> dict[str, str]:
        return self._chance.choice(self._people[:2])

    def _event_id(self) -> int:
        return self._chance.choice(sorted(self._expected.titles))

    def _create(self) -> None:
        title = self._new("Concert")
        fields = {"title": title, "start_time": "2030-06-01T20:00", "calendar_id": self._calendar_id, "public": True}
        reply = self._service.post("/api/events", fields, headers=self._editor())
        assert reply.status == 201, reply
        self._expected.titles[reply.json["id"]] = title
        self._expected.comments[reply.json["id"]] = []

    def _rename(self) -> None:
        event_id, title = self._event_id(), self._new("Moved")
        assert self._service.request("PUT", f"/api/events/{event_id}", {"title": title}, self._editor()).status == 200
        self._expected.gone.add(self._expected.titles[event_id])
        self._expected.titles[event_id] = title

    def _comment(self) -> None:
        event_id, text = self._event_id(), self._new("Remark")
        fields = {"event_id": event_id, "comment": text}
        reply = self._service.post("/api/comments", fields, headers=self._chance.choice(self._people))
        assert (reply.status, reply.json["approved"]) == (201, "true"), reply
        self._expected.comments[event_id].append(text)

    def _delete(self) -> None:
        event_id = self._event_id()
        assert self._service.request("DELETE", f"/api/events/{event_id}", None, self._editor()).status == 200
        self._expected.gone.add(self._expected.titles.pop(event_id))
        del self._expected.comments[event_id]

    def _read(self) -> None:
        event_id = self._event_id() if self._expected.titles else 0
        lists = ("/?when=2030-06-01", f"/feed.xml?calendar_id={self._calendar_id}", "/calendar?view=day&date=2030-06-01")
        for path in lists:
            for _ in range(READS):
                page = self._page(path)
                missing = [title for title in self._expected.titles.values() if title not in page]
                stale = [title for title in self._expected.gone if title in page]
                assert (missing, stale) == ([], []), path
        for _ in range(READS):
            page = self._page(f"/events/{event_id}")
            expected = [self._expected.titles[event_id], *self._expected.comments[event_id]]
            assert [text for text in expected if text not in page] == []

    def _page(self, path: str) -> str:
        reply = self._service.get(path)
        assert reply.status == 200, (path, reply)
        return reply.content.decode()


@pytest.mark.parametrize("writes", [20, pytest.param(40, marks=pytest.mark.soak)])
def test_every_page_after_a_write_shows_it(start: Start, database: str, writes: int) -> None:
    service = start("--workers", "2", database=database, rate_limits="off")
    walk = Walk(service, random.Random(7))
    for _ in range(writes):
        walk.step()
