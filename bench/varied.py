"""Requests that differ, one server process on one core: `python -m bench.varied [--quick] [--checkout DIR]…`.

With several checkouts of the service, it compares them, and measures them alternately: on a busy machine compare the processor time. It
speaks to `kalends serve` over HTTP only, so a checkout may be older than this program."""

import json
import random
import statistics
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import click
from msgspec import Struct

from bench import databases, servers, wrk
from bench.databases import KINDS, Databases
from bench.load import CITIES, PASSWORD, TWO_YEARS, WORDS
from bench.report import table
from bench.servers import Server, processor_time
from bench.wrk import Request

EVENTS, CALENDARS, BATCH = 10_000, 20, 500
# About ten events have each.
RARE_WORDS = [f"{first}{second}" for first in WORDS[:32] for second in WORDS[-32:]]
LANGUAGES = ("en", "de")
# As many as no server replies to in a second, so that no request is sent twice in it.
REQUESTS = 8_000
# Before they are counted: templates are compiled at first use.
WARM_UP = 10

Make = Callable[[random.Random], Request]


class Site(Struct, frozen=True):
    """A started service with the events: half of them on private calendars of the reader, half on a public calendar of each organiser."""

    server: Server
    authorization: str
    calendar_ids: list[int]
    event_ids: list[int]
    public_calendar_ids: list[int]
    organiser_ids: list[int]
    public_event_ids: list[int]

    @property
    def rows(self) -> dict[str, tuple[Make, bool]]:
        """What makes a request of each row, and whether a guest sends it."""
        return {
            "show": (self._show, False),
            "list of a calendar": (self._list, False),
            "list of all own": (lambda chance: Request(f"/api/events?start_time={_moment(chance)}&limit=50"), False),
            "text": (self._text, False),
            "mix 80/10/5/5": (
                lambda chance: chance.choices([self._show, self._list, self._text, self._create], [80, 10, 5, 5])[0](chance),
                False,
            ),
            "event page": (lambda chance: _page(chance, f"/events/{chance.choice(self.public_event_ids)}"), True),
            "start page": (lambda chance: _page(chance, chance.choice(["/", f"/?when={_moment(chance)[:10]}"])), True),
            "month": (lambda chance: _page(chance, f"/calendar?date={_moment(chance)[:10]}"), True),
            "organiser": (lambda chance: _page(chance, f"/organisers/{chance.choice(self.organiser_ids)}"), True),
            "feed": (lambda chance: _page(chance, f"/feed.xml?calendar_id={chance.choice(self.public_calendar_ids)}"), True),
            "create": (self._create, False),
        }

    def _show(self, chance: random.Random) -> Request:
        return Request(f"/api/events/{chance.choice(self.event_ids)}")

    def _list(self, chance: random.Random) -> Request:
        return Request(f"/api/events?calendar_id={chance.choice(self.calendar_ids)}&start_time={_moment(chance)}&limit=50")

    def _text(self, chance: random.Random) -> Request:
        """Every other one for a rare word, in the reader's calendars or in all public events."""
        word = chance.choice(chance.choice([WORDS, RARE_WORDS]))
        return Request(f"/api/events?text={word}&limit=50{chance.choice(['', '&scope=public'])}")

    def _create(self, chance: random.Random) -> Request:
        return Request("/api/events", _event(chance) | {"calendar_id": self.calendar_ids[-1]})


@click.command()
@click.option("--quick", is_flag=True, help="Two rounds of a second for each row instead of five.")
@click.option("--checkout", "checkouts", multiple=True, type=click.Path(exists=True), help="Whose code runs; this one.")
@click.option("--database", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS)
def main(quick: bool, checkouts: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    """Print requests a second, and the processor time of each in microseconds."""
    wrk.require()
    with databases.opened(core=0) as opened:
        for kind in kinds:
            with ExitStack() as running:
                sites = [_started(running, opened, kind, checkout) for checkout in checkouts or (".",)]
                rows = [_row(name, sites, opened, 2 if quick else 5) for name in sites[0].rows]
            names = [name for checkout in checkouts or ("",) for name in (f"{checkout} a second", "µs", "µs of PostgreSQL")]
            print(f"\n## {kind}\n\n{table(['request', *names], rows)}", flush=True)


def _started(running: ExitStack, opened: Databases, kind: str, checkout: str) -> Site:
    """Start the service on an empty database, and create the events."""
    server = running.enter_context(servers.kalends(running.enter_context(opened.empty(kind)), checkout=checkout))
    chance = random.Random(7)  # noqa: S311 - the same events every time
    reader, *organisers = (_Account(server.port) for _ in range(1 + CALENDARS // 2))
    placed = [(account, number < CALENDARS // 2) for number, account in enumerate(organisers + [reader] * (CALENDARS // 2))]
    calendar_ids, event_ids = [], []
    for account, public in placed:
        calendar_ids.append(account.post("/api/calendars", {"name": "Concerts", "time_zone": "UTC", "public": public})["id"])
        events = [_event(chance) | {"calendar_id": calendar_ids[-1], "public": public} for _ in range(EVENTS // CALENDARS)]
        event_ids += [event["id"] for event in account.post("/api/events", events)]
    guests_see = calendar_ids[: len(organisers)], [each.id for each in organisers], event_ids[: EVENTS // 2]
    return Site(server, f"Bearer {reader.token}", calendar_ids, event_ids, *guests_see)


class _Account:
    """A new account, signed in."""

    def __init__(self, port: int):
        self._port = port
        self.token = ""
        name = f"user{uuid4().hex[:12]}"
        user = {"user_name": name, "email_address": f"{name}@example.org", "name": name.title(), "password": PASSWORD}
        self.id: int = self.post("/api/users", user)["id"]
        self.token = self.post("/api/session", {"user_name": name, "password": PASSWORD})["token"]

    def post(self, path: str, content: Any) -> Any:
        return json.loads(_ask(self._port, path, f"Bearer {self.token}" if self.token else "", content=json.dumps(content).encode()))


def _ask(port: int, path: str, authorization: str, language: str = "en", content: bytes | None = None) -> bytes:
    headers = {"Authorization": authorization, "Accept-Language": language, "Content-Type": "application/json"}
    sent = {name: value for name, value in headers.items() if value and (content or name != "Content-Type")}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", content, sent)
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - of this machine
        return bytes(reply.read())


def _event(chance: random.Random) -> dict[str, Any]:
    words = chance.sample(WORDS, 4)
    return {
        "title": " ".join([*words[:3], chance.choice(RARE_WORDS)]).title(),
        "description": " ".join(chance.choices(WORDS, k=25)),
        "start_time": _moment(chance),
        "location": f"{words[3].title()} hall, {chance.choice(CITIES)}",
        "city": chance.choice(CITIES),
        "tag_list": ",".join(words[:2]),
    }


def _moment(chance: random.Random) -> str:
    """A quarter of an hour of two years that begin now."""
    today = datetime.now(UTC).timestamp() // 86_400 * 86_400
    return f"{datetime.fromtimestamp(today + chance.randrange(TWO_YEARS // 900) * 900, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _page(chance: random.Random, path: str) -> Request:
    return Request(path, language=chance.choice(LANGUAGES))


def _row(name: str, sites: list[Site], opened: Databases, rounds: int) -> list[str]:
    figures: list[list[list[float]]] = [[] for _ in sites]
    for number in range(rounds):
        for site, site_figures in zip(sites, figures, strict=True):
            site_figures.append(_measured(site, name, number, opened))
    return [name, *(f"{statistics.median(each):,.0f}" for site_figures in figures for each in zip(*site_figures, strict=True))]


def _measured(site: Site, name: str, seed: int, opened: Databases) -> list[float]:
    """Requests a second, and the microseconds of the service and of PostgreSQL for each."""
    make, is_guest = site.rows[name]
    chance = random.Random(f"{name}{seed}")  # noqa: S311 - the same requests for every checkout
    requests = [make(chance) for _ in range(REQUESTS)]
    authorization = "" if is_guest else site.authorization
    for request in requests[:WARM_UP]:
        if not request.fields:
            _ask(site.server.port, request.path, authorization, request.language)
    site.server.settle()
    before = _used(site, opened)
    figures = wrk.measured_varied(site.server.port, requests, authorization, 1)
    number = max(1, figures.requests)
    return [figures.rate, *((after - used) * 1000 / number for used, after in zip(before, _used(site, opened), strict=True))]


def _used(site: Site, opened: Databases) -> tuple[float, float]:
    return processor_time([site.server.pid]), processor_time([opened.postgres_pid])


if __name__ == "__main__":
    main()
