"""`python -m tests.security.timing [PAIRS]`: whether the time of a failed login, or of a request for a new password, tells a known user
from an unknown one.

A real service with the real figures of Argon2, and its worker. Each pair is a request for a user that there is and one for a user that
there is not, in an order that chance chooses. Were there no difference, either would be the slower in half of the pairs."""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection
from math import sqrt
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.progress import track

from tests.serve.running import Running, ask

PAIRS = 1_000
# This many standard deviations from one half happen by chance once in a thousand runs.
UNLIKELY = 3.29

Pair = tuple[float, float]
Request = Callable[[HTTPConnection, str], None]


class Verdict(NamedTuple):
    """The result of the pairs."""

    pairs: int
    known: float
    unknown: float
    slower: int
    deviations: float

    @property
    def is_even(self) -> bool:
        return abs(self.deviations) < UNLIKELY


def verdict(pairs: list[Pair]) -> Verdict:
    """A sign test over the pairs (known, unknown) that differ."""
    differing = [(known, unknown) for known, unknown in pairs if known != unknown]
    slower = sum(known > unknown for known, unknown in differing)
    deviations = (slower - len(differing) / 2) / sqrt(max(1, len(differing)) / 4)
    return Verdict(len(pairs), median(known for known, _ in pairs), median(unknown for _, unknown in pairs), slower, deviations)


def main() -> int:
    """Measure, and print a line for docs/security.md."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    with tempfile.TemporaryDirectory(prefix="kalends-timing-") as folder:
        service = Running(Path(folder), access_log="off", rate_limits="off").ready()
        try:
            verdicts = {name: verdict(_measured(service, count, request)) for name, request in REQUESTS.items()}
        finally:
            service.stop()
    print("| request | pairs | known user, median | unknown user, median | known slower in | standard deviations from half |")
    print("|---|---|---|---|---|---|")
    for name, (pairs, known, unknown, slower, deviations) in verdicts.items():
        print(f"| {name} | {pairs:,} | {known * 1e3:.2f} ms | {unknown * 1e3:.2f} ms | {slower:,} | {deviations:+.2f} |")
    return 0 if all(each.is_even for each in verdicts.values()) else 1


def _measured(service: Running, count: int, request: Request) -> list[Pair]:
    names = [f"user-{number}" for number in range(10)]
    for name in names:
        if service.sign_in(name).status != 201:
            service.sign_up(name)
    connection = service.connection()
    pairs = []
    for number in track(range(count), "Asking"):
        users = [names[number % len(names)], f"none-{number % len(names)}"]
        order = random.sample((0, 1), 2)
        seconds = {which: _seconds(connection, users[which], request) for which in order}
        pairs.append((seconds[0], seconds[1]))
    connection.close()
    return pairs


def _seconds(connection: HTTPConnection, name: str, request: Request) -> float:
    began = time.perf_counter()
    request(connection, name)
    return time.perf_counter() - began


def _log_in(connection: HTTPConnection, name: str) -> None:
    reply = ask(connection, "POST", "/api/session", {"user_name": name, "password": "not the password"})
    assert reply.status == 401, reply


def _ask_for_reset(connection: HTTPConnection, name: str) -> None:
    connection.request("POST", "/reset", f"user_name={name}", {"Content-Type": "application/x-www-form-urlencoded"})
    reply = connection.getresponse()
    reply.read()
    assert reply.status == 303, reply.status


REQUESTS: dict[str, Request] = {"login": _log_in, "reset": _ask_for_reset}


if __name__ == "__main__":
    sys.exit(main())
