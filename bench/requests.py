"""Random requests to a database that `bench.load` filled: those of programs, and those of guests for pages."""

import random
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

from bench.load import CITIES, RARE_WORDS, START, TWO_YEARS, WORDS
from bench.user import User
from bench.wrk import Request

LANGUAGES = ("en", "de")
# More than any server replies to in a second, but for the smallest, so that hardly one is sent twice.
NUMBER = 8_000
PROGRAM_ROWS = ("show", "list", "text", "mix", "create")
PAGE_ROWS = ("event page", "start page", "month", "organiser", "feed")

Make = Callable[[random.Random], Request]


class Requests(Struct, frozen=True):
    """What there is to ask for."""

    calendar_ids: list[int]
    """The user's, on which half of all events are private."""
    new_events_calendar_id: int
    event_ids: list[int]
    public_event_ids: list[int]
    public_calendar_ids: list[int]
    organiser_id: int

    @classmethod
    def of(cls, user: User) -> "Requests":
        """Read it from a started service."""
        calendars = user.json(Request("/api/calendars"))["calendars"]
        by_visibility = {public: [each["id"] for each in calendars if each["public"] == public] for public in (True, False)}
        public_ids = [event_id for calendar_id in by_visibility[True] for event_id in _event_ids(user, calendar_id)]
        private_ids = [event_id for calendar_id in by_visibility[False] for event_id in _event_ids(user, calendar_id)]
        organiser_id = user.json(Request(f"/api/events/{public_ids[0]}"))["owner"]["id"]
        event_ids = sorted(public_ids + private_ids)
        calendar_ids = [each["id"] for each in calendars]
        return cls(calendar_ids, user.calendar_id, event_ids, public_ids, by_visibility[True], organiser_id)

    def row(self, name: str, seed: int) -> list[Request]:
        """The requests of a row: the same for every server, others for every seed."""
        chance = random.Random(f"{name}{seed}")  # noqa: S311 - repeatable
        make = self.makes[name]
        return [make(chance) for _ in range(NUMBER)]

    @property
    def makes(self) -> dict[str, Make]:
        """How a request of each row is made."""
        return {
            "show": self._show,
            "list": self._list,
            "text": self._text,
            "mix": lambda chance: chance.choices([self._show, self._list, self._text, self._create], [80, 10, 5, 5])[0](chance),
            "create": self._create,
            "event page": lambda chance: _page(chance, f"/events/{chance.choice(self.public_event_ids)}"),
            "start page": lambda chance: _page(chance, f"/?when={moment(chance)[:10]}"),
            "month": lambda chance: _page(chance, f"/calendar?date={moment(chance)[:10]}"),
            "organiser": lambda chance: _page(chance, f"/organisers/{self.organiser_id}?when={moment(chance)[:10]}"),
            "feed": lambda chance: _page(chance, f"/feed.xml?calendar_id={chance.choice(self.public_calendar_ids)}"),
        }

    def _show(self, chance: random.Random) -> Request:
        return Request(f"/api/events/{chance.choice(self.event_ids)}")

    def _list(self, chance: random.Random) -> Request:
        return Request(f"/api/events?calendar_id={chance.choice(self.calendar_ids)}&start_time={moment(chance)}&limit=50")

    def _text(self, chance: random.Random) -> Request:
        """Every other one for a rare word."""
        return Request(f"/api/events?text={chance.choice(chance.choice([WORDS, RARE_WORDS]))}&limit=50")

    def _create(self, chance: random.Random) -> Request:
        words = chance.sample(WORDS, 4)
        fields: dict[str, str | int] = {
            "title": " ".join([*words[:3], chance.choice(RARE_WORDS)]).title(),
            "description": " ".join(chance.choices(WORDS, k=25)),
            "start_time": moment(chance),
            "location": f"{words[3].title()} hall, {chance.choice(CITIES)}",
            "tag_list": ",".join(words[:2]),
            "calendar_id": self.new_events_calendar_id,
        }
        return Request("/api/events", fields)


def _event_ids(user: User, calendar_id: int) -> list[int]:
    path, ids = f"/api/events?calendar_id={calendar_id}&start_time=2000-01-01T00:00:00Z&limit=500", list[int]()
    while path:
        page = user.json(Request(path))
        ids += [event["id"] for event in page["events"]]
        path = page["next"]
    return ids


def moment(chance: random.Random) -> str:
    """A quarter of an hour of the two years that have events."""
    return f"{datetime.fromtimestamp(START + chance.randrange(TWO_YEARS // 900) * 900, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _page(chance: random.Random, path: str) -> Request:
    return Request(path, language=chance.choice(LANGUAGES))
