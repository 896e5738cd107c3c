"""`python -m tests.security.timing [--postgres] [--capacity]`: whether the time of a failed login, of a request for a new password, or of
sharing with an e-mail address tells a known user from an unknown one, and that of a response whether the address has responded before.

A real service with its worker, the real parameters of Argon2 and the default rate limits. Each pair is a request for a user that there is
and one for a user that there is not, in random order. The AUC is how often a known user's time is longer than an unknown user's; 0.5 is no
information."""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection
from itertools import count
from math import erfc, sqrt
from pathlib import Path
from statistics import quantiles

import click
from msgspec import Struct
from rich.progress import track

from kalends.core import settings, tokens
from kalends.core.records.people import Role
from kalends.core.values import timestamps
from kalends.db import open_database
from kalends.features.users import store
from kalends.features.users.model import Profile
from kalends.features.users.rules import passwords
from kalends.http.context import Context
from tests.cast import PASSWORD
from tests.faults.postgres import Postgres
from tests.serve.running import Running, ask, bearer

PAIRS = 1_000
# Few enough requests a minute for each name, and shares an hour for each owner.
NAMES = 100
SHARES_PER_OWNER = 50
# Enough for everybody.
CAPACITY = 10_000
# Happens by chance once in a thousand runs.
UNLIKELY = 0.001

# The ways to respond: by the API, on the page of the event, and with a comment.
RESPONSES = ("response", "page", "comment")

Pair = tuple[float, float]
Request = Callable[[str], None]


class Verdict(Struct, frozen=True):
    """The quartiles of both times, the AUC, and the probability of one so far from 0.5 by chance."""

    known: list[float]
    unknown: list[float]
    auc: float
    probability: float

    @property
    def is_even(self) -> bool:
        return self.probability > UNLIKELY


def verdict(pairs: list[Pair]) -> Verdict:
    """A Mann-Whitney test of the pairs (known, unknown)."""
    known, unknown = ([pair[side] for pair in pairs] for side in (0, 1))
    n = len(pairs)
    # Equal times are sorted by chance.
    ranked = sorted([(time, random.random(), True) for time in known] + [(time, random.random(), False) for time in unknown])
    rank_sum = sum(rank for rank, (_, _, is_known) in enumerate(ranked, 1) if is_known)
    auc = (rank_sum - n * (n + 1) / 2) / n**2
    deviations = (auc - 0.5) / sqrt((2 * n + 1) / (12 * n**2))
    return Verdict(quantiles(known), quantiles(unknown), auc, erfc(abs(deviations) / sqrt(2)))


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(["login", "reset", "share", *RESPONSES]))
@click.option("--pairs", default=PAIRS)
@click.option("--postgres", is_flag=True, help="On PostgreSQL; else on SQLite.")
@click.option("--capacity", is_flag=True, help="The events that are responded to have a capacity, and everybody says YES.")
def main(names: tuple[str, ...], pairs: int, postgres: bool, capacity: bool) -> None:
    """Measure all requests, or the named ones, and print a table for docs/reports/security.md."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kalends-timing-")))
        database = ""
        if postgres:
            server = Postgres(folder / "postgres")
            stack.callback(server.close)
            database = server.new()
        service = Running(folder, database=database, access_log="off", trusted_proxies="127.0.0.1")
        stack.callback(service.stop)
        service.ready()
        owners = [f"owner-{number}" for number in range(-(-2 * pairs // SHARES_PER_OWNER))]
        _insert_users(folder / "data", database, [f"known-{number}" for number in range(NAMES)] + owners)
        client = Client(service, owners, has_capacity=capacity)
        for way in set(RESPONSES) & set(names or RESPONSES):
            client.make_events(way, rounds=-(-pairs // NAMES))
        verdicts = {
            name: verdict(_measure(pairs, request)) for name, request in client.requests.items() if name in (names or client.requests)
        }
    print("| request | pairs | known: quartiles, ms | unknown: quartiles, ms | AUC | probability by chance |")
    print("|---|---|---|---|---|---|")
    for name, each in verdicts.items():
        known, unknown = (" / ".join(f"{seconds * 1e3:.2f}" for seconds in times) for times in (each.known, each.unknown))
        print(f"| {name} | {pairs:,} | {known} | {unknown} | {each.auc:.3f} | {each.probability:.2f} |")
    sys.exit(0 if all(each.is_even for each in verdicts.values()) else 1)


def _insert_users(data: Path, database: str, names: list[str]) -> None:
    """Insert users with verified addresses and the same password."""
    loaded = settings.load({"data": str(data), "database": database})
    tokens.ensure_secret(loaded)
    db = open_database(loaded)
    ctx = Context(db, loaded, timestamps.now())
    password_hash = passwords.hash_password(PASSWORD)
    with ctx.write():
        for name in names:
            # Admins may add as many guests as they like.
            role: Role = "admin" if name.startswith("owner") else "member"
            store.insert(ctx, Profile(user_name=name, email_address=f"{name}@example.org"), password_hash, verified=True, role=role)
    db.close()


def _measure(pairs: int, request: Request) -> list[Pair]:
    times = []
    for number in track(range(pairs), "Asking"):
        users = [f"known-{number % NAMES}", f"other-{number % NAMES}"]
        seconds = {side: _seconds(request, users[side]) for side in random.sample((0, 1), 2)}
        times.append((seconds[0], seconds[1]))
    return times


def _seconds(request: Request, name: str) -> float:
    began = time.perf_counter()
    request(name)
    return time.perf_counter() - began


class Client:
    """A client that comes from another network with each request, so that no rate limit refuses it."""

    def __init__(self, service: Running, owners: list[str], *, has_capacity: bool):
        self._connection: HTTPConnection = service.connection()
        self._networks = (f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}" for number in count())
        # Paths and credentials: one for each share.
        self._calendars_of_owners = [self._make_calendar(owner) for owner in owners]
        self._calendars = iter([calendar for calendar in self._calendars_of_owners for _ in range(SHARES_PER_OWNER)])
        self._room: dict[str, object] = {"capacity": CAPACITY, "waiting_list": "auto"} if has_capacity else {}
        self._choice = "YES" if has_capacity else "NO"
        self._events: dict[str, list[int]] = {}
        self._uses: Counter[tuple[str, str]] = Counter()

    @property
    def requests(self) -> dict[str, Request]:
        return {
            "login": self._log_in,
            "reset": self._ask_for_reset,
            "share": self._share,
            "response": self._respond,
            "page": self._respond_on_page,
            "comment": self._comment,
        }

    def make_events(self, way: str, rounds: int) -> None:
        """Make events to which the known addresses have responded with proof: one for each time that a name is used."""
        _, authorization = self._calendars_of_owners[0]
        for _ in range(rounds):
            fields = {"title": "Choir", "start_time": "2099-06-01T20:00", "public": True} | self._room
            event_id = ask(self._connection, "POST", "/api/events", fields, authorization).json["id"]
            for number in range(NAMES):
                response = {"event_id": event_id, "response": "YES", "email_address": f"known-{number}@example.org", "comment": "Yes!"}
                assert ask(self._connection, "POST", "/api/responses", response, authorization).status == 201
            self._events.setdefault(way, []).append(event_id)

    def _event_for(self, way: str, name: str) -> int:
        """An event for which the name was not used yet."""
        self._uses[way, name] += 1
        return self._events[way][self._uses[way, name] - 1]

    def _respond(self, name: str) -> None:
        fields = {"event_id": self._event_for("response", name), "email_address": f"{name}@example.org", "response": self._choice}
        assert ask(self._connection, "POST", "/api/responses", fields, self._headers()).status == 201

    def _respond_on_page(self, name: str) -> None:
        form = self._headers() | {"Content-Type": "application/x-www-form-urlencoded"}
        path = f"/events/{self._event_for('page', name)}/respond"
        self._connection.request("POST", path, f"response={self._choice}&email_address={name}@example.org&by_hand=1", form)
        reply = self._connection.getresponse()
        reply.read()
        assert reply.status == 303, reply.status

    def _comment(self, name: str) -> None:
        fields = {
            "event_id": self._event_for("comment", name),
            "email_address": f"{name}@example.org",
            "response": self._choice,
            "comment": "Hi",
        }
        assert ask(self._connection, "POST", "/api/comments", fields, self._headers()).status == 201

    def _log_in(self, name: str) -> None:
        fields = {"user_name": name, "password": "not the password"}
        assert ask(self._connection, "POST", "/api/session", fields, self._headers()).status == 401

    def _ask_for_reset(self, name: str) -> None:
        form = self._headers() | {"Content-Type": "application/x-www-form-urlencoded"}
        self._connection.request("POST", "/reset", f"user_name={name}@example.org", form)
        reply = self._connection.getresponse()
        reply.read()
        assert reply.status == 303, reply.status

    def _share(self, name: str) -> None:
        """With an address that the calendar is not yet shared with."""
        path, authorization = next(self._calendars)
        fields = {"user_name": f"{name}@example.org"}
        assert ask(self._connection, "PUT", path, fields, authorization).status == 200

    def _make_calendar(self, owner: str) -> tuple[str, dict[str, str]]:
        fields = {"user_name": owner, "password": PASSWORD}
        authorization = bearer(ask(self._connection, "POST", "/api/session", fields, self._headers()).json["token"])
        calendar = ask(self._connection, "POST", "/api/calendars", {"name": "Choir"}, authorization)
        return f"/api/calendars/{calendar.json['id']}/share", authorization

    def _headers(self) -> dict[str, str]:
        return {"X-Forwarded-For": next(self._networks)}


if __name__ == "__main__":
    main()
